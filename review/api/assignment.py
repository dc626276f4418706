"""The requests of a project for managers, substitutes, and what managers decide about the queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from annotation.models import Item
from core.errors import Unusable, require
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER, Permission
from projects.queries import get_member, get_project, members
from review import services
from review.api.content import HeldRequestSerializer, Json
from review.api.request import NUMBER, opened
from review.models import Priority, RequestState, ReviewRequest, Stage, Substitute
from review.permissions import may_name_substitute
from review.queries.blocked import blocked_in_project
from review.queries.request import get_request, requests_as_substitute
from review.services.substitute import name_substitute, take_as_substitute
from web.endpoint import PAGING, REPEATABLE, body, created, endpoint, filters, page, page_of
from web.requests import signed_in
from web.serializers import ListField

MOST_ITEMS: Final = 1000


class PersonSerializer(serializers.Serializer[Any]):
    """A member, by the id of the person."""

    person = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class SubstituteSerializer(serializers.Serializer[Any]):
    """A substitute for a request."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class ReviewRequestSerializer(serializers.Serializer[Any]):
    """A request in the queue, without its item's content; `is_blocked`: no member may claim it."""

    id = serializers.UUIDField()
    item = serializers.IntegerField()
    task = serializers.CharField()
    stage = serializers.CharField()
    state = serializers.CharField()
    priority = serializers.IntegerField()
    claimed_by = SubstituteSerializer(allow_null=True)
    lease_expires_at = serializers.DateTimeField(allow_null=True)
    substitutes = SubstituteSerializer(many=True)
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class RequestFilters(serializers.Serializer[Any]):
    """Filters of the list of requests; `blocked`: those that no member may claim."""

    item = serializers.IntegerField(required=False, min_value=1, max_value=2**62)
    stage = serializers.ChoiceField(Stage.choices, required=False)
    state = serializers.ChoiceField(RequestState.choices, required=False)
    claimed_by = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    blocked = serializers.BooleanField(required=False)


class AssignedSerializer(serializers.Serializer[Any]):
    """A request for which the caller is a substitute."""

    id = serializers.UUIDField()
    stage = serializers.CharField()
    task = serializers.CharField()
    state = serializers.CharField()


class NoFilters(serializers.Serializer[Any]):
    """A list without filters."""


class NewPrioritySerializer(serializers.Serializer[Any]):
    """Items of the queue, by id, and when to review them: 1 first, 0 in their order."""

    items = ListField(child=serializers.IntegerField(min_value=1, max_value=2**62), max_length=MOST_ITEMS)
    priority = serializers.ChoiceField(Priority.choices)


class CountSerializer(serializers.Serializer[Any]):
    """How many were changed."""

    count = serializers.IntegerField()


@extend_schema(
    parameters=[*PAGING, RequestFilters],
    responses=page_of(ReviewRequestSerializer),
    operation_id="requests_list",
    tags=["review"],
)
@project_endpoint(GET=Permission.SEE_REVIEWS)
def requests(request: Request, project: Project) -> Response:
    """Return the requests of a project, newest first: who has claimed them, and for how long."""
    asked = filters(request, RequestFilters)
    blocked = asked.pop("blocked", None)
    found = ReviewRequest.objects.filter(project=project, **asked)
    if blocked is not None:
        among = blocked_in_project(project).values("pk")
        found = found.filter(pk__in=among) if blocked else found.exclude(pk__in=among)
    return page(request, found.select_related("claimed_by"), _rows)


def _rows(found: Sequence[ReviewRequest]) -> Iterable[Json]:
    named: dict[int, list[Json]] = {}
    for row in Substitute.objects.filter(request__in=found).select_related("person").order_by("pk"):
        named.setdefault(row.request_id, []).append(_person(row.person))
    for one in found:
        names = ("task", "stage", "state", "priority", "lease_expires_at", "opened_at", "closed_at")
        yield {name: getattr(one, name) for name in names} | {
            "id": one.public_id,
            "item": one.item_id,
            "claimed_by": _person(one.claimed_by) if one.claimed_by else None,
            "substitutes": named.get(one.pk, []),
        }


def _person(user: Any) -> Json:
    return {"id": user.pk, "name": user.name}


@extend_schema(
    parameters=[NUMBER, REPEATABLE],
    request=PersonSerializer,
    responses={201: SubstituteSerializer},
    operation_id="substitutes_create",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.MANAGE)
def substitutes(request: Request, slug: str, pk: UUID) -> Response:
    """Name a member who may claim a request, whatever their roles. The caller gives it up.

    For managers, and for the adjudicator who has claimed the request.
    """
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    found = get_request(project=project, pk=pk)
    require(may_name_substitute(user, found))
    person = members(project).filter(pk=body(request, PersonSerializer)["person"]).first()
    if person is None:
        raise Unusable(_("Select a member."), "person")
    name_substitute(actor=user, request=found, person=person)
    return created(_person(person), reverse("api_request", args=[slug, pk]))


@extend_schema(
    parameters=PAGING,
    responses=page_of(AssignedSerializer),
    operation_id="assigned_requests_list",
    tags=["review"],
)
@project_endpoint(GET=MEMBER)
def assigned(request: Request, project: Project) -> Response:
    """Return the unreviewed requests for which the caller is a substitute."""
    filters(request, NoFilters)
    found = requests_as_substitute(signed_in(request), project)
    return page(
        request,
        found,
        lambda rows: [
            {"id": one.public_id, "stage": one.stage, "task": one.task, "state": one.state} for one in rows
        ],
    )


@extend_schema(
    parameters=[NUMBER, REPEATABLE],
    request=None,
    responses=HeldRequestSerializer,
    operation_id="requests_take",
    tags=["review"],
)
@endpoint(bound=True, POST=Scope.REVIEW)
def take(request: Request, slug: str, pk: UUID) -> Response:
    """Claim a request for which the caller is a substitute, and return it."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    return Response(opened(user, take_as_substitute(actor=user, request=get_request(project=project, pk=pk))))


@extend_schema(
    request=NewPrioritySerializer,
    responses=CountSerializer,
    operation_id="queue_set_priority",
    tags=["review"],
)
@project_endpoint(POST=Permission.CHANGE_REVIEWS)
def priority(request: Request, project: Project) -> Response:
    """Set when items of the queue are reviewed; return how many were changed."""
    sent = body(request, NewPrioritySerializer)
    items = Item.objects.filter(project=project, pk__in=sent["items"])
    changed = services.set_priority(
        actor=signed_in(request), project=project, items=items, priority=sent["priority"]
    )
    return Response({"count": changed})


@extend_schema(
    request=PersonSerializer, responses=CountSerializer, operation_id="queue_release", tags=["review"]
)
@project_endpoint(POST=Permission.CHANGE_REVIEWS)
def release(request: Request, project: Project) -> Response:
    """Release the requests that a member has claimed, so that others can claim them; return their number."""
    person = get_member(project=project, pk=body(request, PersonSerializer)["person"]).user
    released = services.release_leases(actor=signed_in(request), project=project, person=person)
    return Response({"count": released})
