"""The guideline of a project: its versions, and who has confirmed them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from core.errors import Hidden
from projects import services
from projects.endpoint import project_endpoint
from projects.models import Guideline, Project
from projects.permissions import MEMBER, Permission
from projects.queries import acknowledged_among, current_guideline, get_guideline, versions
from web.endpoint import PAGING, REPEATABLE, body, created, filters, one, page, page_of, tag
from web.requests import signed_in


class GuidelineVersionSerializer(serializers.Serializer[Any]):
    """A version of the guideline without its text; `acknowledged`: whether the caller has confirmed it."""

    number = serializers.IntegerField()
    author = serializers.CharField()
    published_at = serializers.DateTimeField()
    acknowledged = serializers.BooleanField()


class GuidelineSerializer(GuidelineVersionSerializer):
    """A version of the guideline, in Markdown."""

    text = serializers.CharField()


class NewGuidelineSerializer(serializers.Serializer[Any]):
    """The text of the next version, and the number of the version that it was written from (0: none)."""

    text = serializers.CharField(max_length=services.LONGEST_GUIDELINE, trim_whitespace=False)
    based_on = serializers.IntegerField(min_value=0, max_value=2_000_000_000, required=False)


class GuidelineFilters(serializers.Serializer[Any]):
    """The list of versions has no filters."""


@extend_schema(responses=GuidelineSerializer, operation_id="guideline_read", tags=["guideline"])
@project_endpoint(GET=MEMBER)
def guideline(request: Request, project: Project) -> Response:
    """Return the current version of the guideline; 404 without a guideline."""
    found = current_guideline(project)
    if found is None:
        raise Hidden(_("Guideline version not found."))
    return _one(request, found)


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(GuidelineVersionSerializer),
    operation_id="guideline_versions_list",
    tags=["guideline"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewGuidelineSerializer,
    responses={201: GuidelineSerializer},
    operation_id="guideline_versions_create",
    tags=["guideline"],
)
@project_endpoint(GET=MEMBER, POST=Permission.CHANGE_PROJECT)
def guideline_versions(request: Request, project: Project) -> Response:
    """Return the versions of the guideline, newest first; POST publishes the next one.

    409 if another version was published after the one that it is based on.
    """
    user = signed_in(request)
    if request.method == "POST":
        sent = body(request, NewGuidelineSerializer)
        made = services.publish_guideline(actor=user, project=project, **sent)
        address = reverse("api_guideline_version", args=[project.slug, made.number])
        return created(_rows(user, [made])[0] | {"text": made.text}, address)
    filters(request, GuidelineFilters)
    return page(request, versions(project), lambda rows: _rows(user, rows))


@extend_schema(responses=GuidelineSerializer, operation_id="guideline_versions_read", tags=["guideline"])
@project_endpoint(GET=MEMBER)
def guideline_version(request: Request, project: Project, number: int) -> Response:
    """Return a version of the guideline."""
    return _one(request, get_guideline(project=project, number=number))


@extend_schema(
    request=None,
    responses=GuidelineSerializer,
    operation_id="guideline_versions_acknowledge",
    tags=["guideline"],
)
@project_endpoint(POST=MEMBER)
def acknowledge(request: Request, project: Project, number: int) -> Response:
    """Record that the caller has read a version of the guideline. Repeating it has no effect."""
    found = get_guideline(project=project, number=number)
    services.acknowledge_guideline(actor=signed_in(request), guideline=found)
    return _one(request, found)


def _one(request: Request, guideline: Guideline) -> Response:
    row = _rows(signed_in(request), [guideline])[0] | {"text": guideline.text}
    return one(request, row, tag(guideline.pk, row["acknowledged"]))


def _rows(user: User, versions: Sequence[Guideline]) -> list[dict[str, object]]:
    read = acknowledged_among(user, versions)
    return [
        {
            "number": version.number,
            "author": version.author.username,
            "published_at": version.published_at,
            "acknowledged": version.pk in read,
        }
        for version in versions
    ]
