"""Pilots, in which several writers write about the same stories."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import services
from annotation.models import Pilot
from annotation.queries import pilot as queries
from annotation.services.pilot import MOST_STORIES, MOST_WRITERS
from core.errors import Hidden
from core.numbers import LARGEST
from corpus.queries import stories
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from projects.queries import members
from web.endpoint import PAGING, REPEATABLE, body, created, one, page, page_of, tag
from web.requests import signed_in
from web.serializers import ListField


class PilotSerializer(serializers.Serializer[Pilot]):
    """A pilot with its numbers of stories and writers. `guideline`: the version it began under."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    guideline = serializers.IntegerField(allow_null=True)
    story_count = serializers.IntegerField()
    writer_count = serializers.IntegerField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class PilotNoteSerializer(serializers.Serializer[Pilot]):
    """A story of a pilot, and the managers' notes on the items about it."""

    story = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)


class WholePilotSerializer(PilotSerializer):
    """A pilot with its stories and the ids of its writers."""

    stories = PilotNoteSerializer(many=True)
    writers = serializers.ListField(child=serializers.IntegerField())


class NewPilotSerializer(serializers.Serializer[Pilot]):
    """A pilot to start: each of these writers gets each of these stories."""

    name = serializers.CharField(max_length=100)
    stories = ListField(
        child=serializers.IntegerField(min_value=0, max_value=LARGEST), max_length=MOST_STORIES
    )
    writers = ListField(
        child=serializers.IntegerField(min_value=0, max_value=LARGEST), max_length=MOST_WRITERS
    )
    due_on = serializers.DateField(required=False, allow_null=True, default=None)


class NoteSerializer(serializers.Serializer[Pilot]):
    """Notes on the items about one story of a pilot."""

    note = serializers.CharField(max_length=20_000, allow_blank=True)


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(PilotSerializer),
    operation_id="pilots_list",
    tags=["pilots"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewPilotSerializer,
    responses={201: WholePilotSerializer},
    operation_id="pilots_start",
    tags=["pilots"],
)
@project_endpoint(GET=Permission.SEE_WRITING, POST=Permission.CHANGE_WRITING)
def pilots(request: Request, project: Project) -> Response:
    """Return the pilots of the project, newest first; POST starts one."""
    if request.method == "GET":
        return page(request, queries.pilots(project), lambda rows: map(_row, rows))
    sent = body(request, NewPilotSerializer)
    pilot = services.start_pilot(
        actor=signed_in(request),
        project=project,
        name=sent["name"],
        stories=list(stories(project).filter(pk__in=sent["stories"])),
        writers=list(members(project, Permission.TAKE_STORIES).filter(pk__in=sent["writers"])),
        due_on=sent["due_on"],
    )
    return created(_whole(project, pilot.pk), reverse("api_pilot", args=[project.slug, pilot.pk]))


@extend_schema(responses=WholePilotSerializer, operation_id="pilots_read", tags=["pilots"])
@project_endpoint(GET=Permission.SEE_WRITING)
def pilot(request: Request, project: Project, pk: int) -> Response:
    """Return a pilot with its stories and writers."""
    found = _whole(project, pk)
    return one(request, found, tag(found))


@extend_schema(
    request=NoteSerializer, responses=WholePilotSerializer, operation_id="pilots_note", tags=["pilots"]
)
@project_endpoint(PUT=Permission.CHANGE_WRITING)
def note(request: Request, project: Project, pk: int, story: int) -> Response:
    """Replace the notes on the items about one story of a pilot."""
    links = queries.get_pilot(project=project, pk=pk).links.all()
    link = next((link for link in links if link.story_id == story), None)
    if link is None:
        raise Hidden(_("This story is not part of the pilot."))
    services.note_on_pilot(actor=signed_in(request), link=link, text=body(request, NoteSerializer)["note"])
    return Response(_whole(project, pk))


@extend_schema(request=None, responses=WholePilotSerializer, operation_id="pilots_end", tags=["pilots"])
@project_endpoint(POST=Permission.CHANGE_WRITING)
def end(request: Request, project: Project, pk: int) -> Response:
    """End a pilot; its items go through review as usual."""
    services.end_pilot(actor=signed_in(request), pilot=queries.get_pilot(project=project, pk=pk))
    return Response(_whole(project, pk))


def _row(found: Any) -> dict[str, object]:
    names = ("name", "story_count", "writer_count", "created_at", "ended_at")
    return {
        "id": found.pk,
        "guideline": found.guideline.number if found.guideline else None,
        "created_by": found.created_by.username,
        **{name: getattr(found, name) for name in names},
    }


def _whole(project: Project, pk: int) -> dict[str, object]:
    found = queries.get_pilot(project=project, pk=pk)
    return {
        **_row(found),
        "stories": [{"story": link.story_id, "note": link.note} for link in found.links.all()],
        "writers": sorted(writer.pk for writer in found.writers.all()),
    }
