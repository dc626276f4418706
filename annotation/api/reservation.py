"""Stories that are reserved for a type or a writer."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import services
from annotation.models import Reservation
from annotation.queries.reservation import reservations as reserved
from core.errors import Hidden, Unusable
from core.numbers import LARGEST
from corpus.queries import get_story
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from projects.queries import current_types, members
from web.endpoint import PAGING, REPEATABLE, body, created, page, page_of
from web.requests import signed_in


class ReservationSerializer(serializers.Serializer[Reservation]):
    """A story that is reserved for a type (by its code), a writer, or both."""

    id = serializers.IntegerField()
    story = serializers.IntegerField()
    type = serializers.CharField(allow_null=True)
    writer = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


class NewReservationSerializer(serializers.Serializer[Reservation]):
    """A story to reserve for a type, a writer, or both."""

    story = serializers.IntegerField(min_value=0, max_value=LARGEST)
    type = serializers.CharField(max_length=40, required=False, allow_null=True, default=None)
    writer = serializers.IntegerField(
        min_value=0, max_value=LARGEST, required=False, allow_null=True, default=None
    )


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(ReservationSerializer),
    operation_id="reservations_list",
    tags=["assignments"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewReservationSerializer,
    responses={201: ReservationSerializer},
    operation_id="reservations_create",
    tags=["assignments"],
)
@project_endpoint(GET=Permission.SEE_WRITING, POST=Permission.CHANGE_WRITING)
def reservations(request: Request, project: Project) -> Response:
    """Return the reservations of the project, newest first; POST reserves a story."""
    if request.method == "GET":
        return page(request, reserved(project), lambda rows: map(_row, rows))
    sent, user = body(request, NewReservationSerializer), signed_in(request)
    kind = next((one for one in current_types(project) if one.code == sent["type"]), None)
    if sent["type"] is not None and kind is None:
        raise Unusable(_("Not a current type of this project."), "type")
    writer = members(project, Permission.WRITE).filter(pk=sent["writer"]).first()
    if sent["writer"] is not None and writer is None:
        raise Unusable(_("Not a writer of this project."), "writer")
    story = get_story(user=user, project=project, pk=sent["story"])
    made = services.reserve_story(actor=user, story=story, kind=kind, writer=writer)
    return created(_row(made), reverse("api_reservation", args=[project.slug, made.pk]))


@extend_schema(
    methods=["GET"], responses=ReservationSerializer, operation_id="reservations_read", tags=["assignments"]
)
@extend_schema(
    methods=["DELETE"], responses={204: None}, operation_id="reservations_end", tags=["assignments"]
)
@project_endpoint(GET=Permission.SEE_WRITING, DELETE=Permission.CHANGE_WRITING)
def reservation(request: Request, project: Project, pk: int) -> Response:
    """Return a reservation; DELETE ends it."""
    found = reserved(project).filter(pk=pk).first()
    if found is None:
        raise Hidden(_("Reservation not found."))
    if request.method == "GET":
        return Response(_row(found))
    services.end_reservation(actor=signed_in(request), reservation=found)
    return Response(status=204)


def _row(found: Reservation) -> dict[str, Any]:
    return {
        "id": found.pk,
        "story": found.story_id,
        "type": found.type.code if found.type else None,
        "writer": found.writer_id,
        "created_at": found.created_at,
    }
