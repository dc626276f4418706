"""Assignments of stories to writers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import services
from annotation.models import AssignmentSource, WritingAssignment
from annotation.queries.assignment import assignments_seen_by, get_assignment
from core.errors import Conflict, Hidden, Unusable
from core.numbers import LARGEST
from corpus.queries import get_story, stories
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER, Permission
from projects.queries import members
from web.endpoint import PAGING, REPEATABLE, body, created, filters, page, page_of
from web.requests import signed_in
from web.serializers import ListField

MOST_NAMED: Final = 500


class AssignmentSerializer(serializers.Serializer[WritingAssignment]):
    """A story that a writer has, or has given back; `submitted` counts the owed items that are submitted."""

    id = serializers.IntegerField()
    story = serializers.IntegerField()
    writer = serializers.IntegerField()
    source: Any = serializers.ChoiceField(choices=AssignmentSource.choices)
    due_on = serializers.DateField(allow_null=True)
    created_at = serializers.DateTimeField()
    given_back_at = serializers.DateTimeField(allow_null=True)
    submitted = serializers.IntegerField()


class AssignmentFilters(serializers.Serializer[WritingAssignment]):
    """Filters of the list of assignments."""

    writer = serializers.IntegerField(min_value=0, max_value=LARGEST, required=False)
    story = serializers.IntegerField(min_value=0, max_value=LARGEST, required=False)
    given_back = serializers.BooleanField(required=False)


class TakenStorySerializer(serializers.Serializer[WritingAssignment]):
    """The story to take."""

    story = serializers.IntegerField(min_value=0, max_value=LARGEST)


class WritersOfStoriesSerializer(serializers.Serializer[WritingAssignment]):
    """Stories to assign, to each of these writers."""

    stories = ListField(child=serializers.IntegerField(min_value=0, max_value=LARGEST), max_length=MOST_NAMED)
    writers = ListField(child=serializers.IntegerField(min_value=0, max_value=LARGEST), max_length=MOST_NAMED)
    due_on = serializers.DateField(required=False, allow_null=True, default=None)


class NamedWritersSerializer(serializers.Serializer[WritingAssignment]):
    """The assignments that were created; those that existed stay as they are."""

    results = AssignmentSerializer(many=True)


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, AssignmentFilters],
    responses=page_of(AssignmentSerializer),
    operation_id="assignments_list",
    tags=["assignments"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=TakenStorySerializer,
    responses={201: AssignmentSerializer},
    operation_id="assignments_create",
    tags=["assignments"],
)
@project_endpoint(GET=MEMBER, POST=Permission.WRITE)
def assignments(request: Request, project: Project) -> Response:
    """Return the caller's assignments, or all to who may see them; POST takes a story."""
    user = signed_in(request)
    if request.method == "POST":
        story = get_story(user=user, project=project, pk=body(request, TakenStorySerializer)["story"])
        return _created(request, project, services.take_story(actor=user, story=story).pk)
    asked = filters(request, AssignmentFilters)
    found = assignments_seen_by(user, project)
    if "given_back" in asked:
        found = found.filter(given_back_at__isnull=not asked.pop("given_back"))
    return page(request, found.filter(**asked).values(*_SHOWN), list)


@extend_schema(
    parameters=[REPEATABLE],
    request=None,
    responses={201: AssignmentSerializer},
    operation_id="assignments_take_next",
    tags=["assignments"],
)
@project_endpoint(POST=Permission.WRITE)
def take_next(request: Request, project: Project) -> Response:
    """Take the next story. 409 says why there is none."""
    user = signed_in(request)
    made = services.take_next_story(actor=user, project=project)
    if made is None:
        raise Conflict(services.describe_no_story(user, project))
    return _created(request, project, made.pk)


@extend_schema(
    parameters=[REPEATABLE],
    request=WritersOfStoriesSerializer,
    responses={201: NamedWritersSerializer},
    operation_id="assignments_name",
    tags=["assignments"],
)
@project_endpoint(POST=Permission.CHANGE_WRITING)
def name_writers(request: Request, project: Project) -> Response:
    """Assign stories to writers. Limits do not apply."""
    sent = body(request, WritersOfStoriesSerializer)
    named = list(stories(project).filter(pk__in=sent["stories"]))
    writers = list(members(project, Permission.WRITE).filter(pk__in=sent["writers"]))
    if len(named) < len({*sent["stories"]}):
        raise Unusable(_("Story not found."), "stories")
    if len(writers) < len({*sent["writers"]}):
        raise Unusable(_("Not a writer of this project."), "writers")
    made = services.name_writers_for(
        actor=signed_in(request), project=project, stories=named, writers=writers, due_on=sent["due_on"]
    )
    found = assignments_seen_by(signed_in(request), project).filter(pk__in=[one.pk for one in made])
    results = list(found.order_by("-pk").values(*_SHOWN))
    return created({"results": results}, reverse("api_assignments", args=[project.slug]))


@extend_schema(responses=AssignmentSerializer, operation_id="assignments_read", tags=["assignments"])
@project_endpoint(GET=MEMBER)
def assignment(request: Request, project: Project, pk: int) -> Response:
    """Return an assignment."""
    return Response(_one(request, project, pk))


@extend_schema(
    request=None, responses=AssignmentSerializer, operation_id="assignments_give_back", tags=["assignments"]
)
@project_endpoint(POST=MEMBER)
def give_back(request: Request, project: Project, pk: int) -> Response:
    """Give a story back; its items and drafts remain. The writer and managers may."""
    found = get_assignment(user=signed_in(request), project=project, pk=pk)
    services.give_back_story(actor=signed_in(request), assignment=found)
    return Response(_one(request, project, pk))


@extend_schema(
    request=None, responses=AssignmentSerializer, operation_id="assignments_restore", tags=["assignments"]
)
@project_endpoint(POST=MEMBER)
def restore(request: Request, project: Project, pk: int) -> Response:
    """Take a story again that the caller gave back."""
    found = get_assignment(user=signed_in(request), project=project, pk=pk)
    services.restore_assignment(actor=signed_in(request), assignment=found)
    return Response(_one(request, project, pk))


_SHOWN: Final = ("id", "story", "writer", "source", "due_on", "created_at", "given_back_at", "submitted")


def _one(request: Request, project: Project, pk: int) -> Mapping[str, Any]:
    rows: QuerySet[Any, Mapping[str, Any]] = assignments_seen_by(signed_in(request), project).values(*_SHOWN)
    found = rows.filter(pk=pk).first()
    if found is None:
        raise Hidden(_("You have not taken this story."))
    return found


def _created(request: Request, project: Project, pk: int) -> Response:
    address = reverse("api_assignment", args=[project.slug, pk])
    return created(_one(request, project, pk), address)
