"""The caller's own reviews, and the verdicts on an item for those who may see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from annotation.permissions import may_see_item
from annotation.queries.item import get_item
from annotation.services import record_key_exposures
from core.errors import require
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER
from projects.queries import get_project
from review.api.content import Json
from review.models import Review, Stage
from review.queries.verdict import judgements_on
from web.endpoint import PAGING, endpoint, filters, page, page_of
from web.requests import signed_in


class OwnReviewSerializer(serializers.Serializer[Any]):
    """A finished review of the caller; `request` is its request, where the item is."""

    id = serializers.IntegerField()
    request = serializers.UUIDField()
    stage = serializers.CharField()
    task = serializers.CharField()
    rating = serializers.IntegerField(allow_null=True)
    disposition = serializers.CharField()
    flaws = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField()
    is_correct = serializers.BooleanField(allow_null=True)
    misclick = serializers.BooleanField()
    seconds = serializers.IntegerField()
    active_seconds = serializers.IntegerField()
    reviewed_at = serializers.DateTimeField(allow_null=True)
    late_at = serializers.DateTimeField(allow_null=True)


class OwnReviewFilters(serializers.Serializer[Any]):
    """Filters of the caller's reviews; `late`: those that came after another person had the request."""

    stage = serializers.ChoiceField(Stage.choices, required=False)
    late = serializers.BooleanField(required=False)


class ItemVerdictSerializer(serializers.Serializer[Any]):
    """A verdict on an item, without its reviewer's name, as the item's writer sees it."""

    id = serializers.IntegerField()
    revision = serializers.IntegerField()
    stage = serializers.CharField()
    rating = serializers.IntegerField(allow_null=True)
    disposition = serializers.CharField()
    flaws = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField()
    about = serializers.CharField()
    reviewed_at = serializers.DateTimeField(allow_null=True)


@extend_schema(
    parameters=[*PAGING, OwnReviewFilters],
    responses=page_of(OwnReviewSerializer),
    operation_id="reviews_list",
    tags=["review"],
)
@project_endpoint(GET=MEMBER)
def reviews(request: Request, project: Project) -> Response:
    """Return the caller's finished reviews in a project, newest first. Practice is listed on its own."""
    asked = filters(request, OwnReviewFilters)
    found = Review.objects.filter(reviewer=signed_in(request), project=project)
    if asked.pop("late", False):
        found = found.filter(late_at__isnull=False)
    else:
        found = found.filter(judged_at__isnull=False)
    return page(request, found.filter(**asked).select_related("request"), _rows)


def _rows(found: Sequence[Review]) -> Iterable[Json]:
    names = (
        "id", "stage", "rating", "disposition", "flaws", "comment", "is_correct", "misclick", "seconds",
        "active_seconds", "late_at",
    )  # fmt: skip
    for one in found:
        more = {"request": one.request.public_id, "task": one.request.task, "reviewed_at": one.judged_at}
        yield {name: getattr(one, name) for name in names} | more


@extend_schema(responses=ItemVerdictSerializer(many=True), operation_id="item_verdicts_list", tags=["review"])
@endpoint(bound=True, GET=Scope.READ)
def item_verdicts(request: Request, slug: str, item: int) -> Response:
    """Return the last twenty verdicts on an item, for those who may see it with its key."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    found = get_item(user=user, project=project, pk=item)
    require(may_see_item(user, found))
    record_key_exposures(actor=user, items=[found.pk])
    names = ("id", "stage", "rating", "disposition", "flaws", "comment", "about")
    return Response(
        [
            {name: getattr(one, name) for name in names}
            | {"revision": revision.number, "reviewed_at": one.judged_at}
            for revision, verdicts in judgements_on(found)
            for one in verdicts
        ]
    )
