"""Events of a project, for programs that ask for what is new."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Unusable
from events.models import EventKind
from events.queries import events_after, payload
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import filters

USUAL: Final = 100
MOST: Final = 1000
LAST_ID: Final = 2**63 - 1


class ObjectSerializer(serializers.Serializer[Any]):
    """What an event is about: the kind of object, and its id."""

    type = serializers.CharField()
    id = serializers.IntegerField()


class EventSerializer(serializers.Serializer[Any]):
    """An event, as webhooks get it, too. `data` depends on its type."""

    id = serializers.IntegerField()
    type = serializers.ChoiceField(EventKind.choices)
    timestamp = serializers.DateTimeField()
    project = serializers.CharField()
    object = ObjectSerializer()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields, with one whose name is taken by an attribute of serializers."""
        return {**super().get_fields(), "data": serializers.DictField()}


class EventPageSerializer(serializers.Serializer[Any]):
    """Events, oldest first, and the address of those that follow; null if there are no more at present."""

    next = serializers.CharField(allow_null=True)
    results = EventSerializer(many=True)


class EventFilters(serializers.Serializer[Any]):
    """Filters of the list of events."""

    after = serializers.IntegerField(min_value=0, max_value=LAST_ID, required=False)
    type = serializers.ChoiceField(EventKind.choices, required=False)


@extend_schema(
    parameters=[
        EventFilters,
        OpenApiParameter("limit", int, description="The most events to return: 100, at most 1000."),
    ],
    responses=EventPageSerializer,
    operation_id="events_list",
    tags=["events"],
)
@project_endpoint(GET=Permission.SEE_PROJECT)
def events(request: Request, project: Project) -> Response:
    """Return the events of a project after the event `after`, oldest first.

    Ask again with the last id that you have seen: no event appears before one that you have seen.
    """
    asked = filters(request, EventFilters)
    limit = _limit(request)
    found = events_after(project, asked.get("after", 0))
    if "type" in asked:
        found = found.filter(kind=asked["type"])
    rows = list(found[: limit + 1])
    following = None
    if len(rows) > limit:
        query = {**request.query_params.dict(), "after": rows[limit - 1].position}
        following = request.build_absolute_uri(f"{request.path}?{urlencode(query)}")
    results = [payload(one, project.slug) for one in rows[:limit]]
    return Response({"next": following, "results": results})


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(USUAL))
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MOST):
        raise Unusable(_("A page has 1 to %(most)d events.") % {"most": MOST}, "limit")
    return int(text)
