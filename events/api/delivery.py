"""Deliveries of a webhook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from events import services
from events.api.event import EventSerializer
from events.models import Delivery, DeliveryState
from events.queries import deliveries_of, get_delivery, get_webhook, payload, sentence
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, REPEATABLE, filters, page, page_of
from web.requests import signed_in


class DeliverySerializer(serializers.Serializer[Any]):
    """A delivery of an event. `status`, `seconds`, `reason` and `response` are of the last attempt."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(DeliveryState.choices)
    attempts = serializers.IntegerField()
    next_at = serializers.DateTimeField(allow_null=True)
    status = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()
    response = serializers.CharField()
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    event = EventSerializer()


class DeliveryFilters(serializers.Serializer[Any]):
    """Filters of the list of deliveries."""

    state = serializers.ChoiceField(DeliveryState.choices, required=False)


@extend_schema(
    parameters=[*PAGING, DeliveryFilters],
    responses=page_of(DeliverySerializer),
    operation_id="deliveries_list",
    tags=["webhooks"],
)
@project_endpoint(GET=Permission.SEE_PROJECT)
def deliveries(request: Request, project: Project, pk: int) -> Response:
    """Return the deliveries of a webhook, newest first."""
    found = deliveries_of(get_webhook(project=project, pk=pk)).filter(**filters(request, DeliveryFilters))

    def rows(found: Sequence[Delivery]) -> list[dict[str, object]]:
        return [_row(row, project) for row in found]

    return page(request, found, rows)


@extend_schema(
    parameters=[REPEATABLE],
    request=None,
    responses={201: DeliverySerializer},
    operation_id="deliveries_repeat",
    tags=["webhooks"],
)
@project_endpoint(POST=Permission.CHANGE_PROJECT)
def repeat(request: Request, project: Project, pk: int, delivery: int) -> Response:
    """Send the event of a delivery again, as a new delivery."""
    webhook = get_webhook(project=project, pk=pk)
    found = get_delivery(webhook=webhook, pk=delivery)
    made = services.send_again(actor=signed_in(request), webhook=webhook, delivery=found)
    return Response(_row(made, project), status=201)


def _row(delivery: Delivery, project: Project) -> dict[str, object]:
    names = ("state", "attempts", "next_at", "status", "seconds", "response", "created_at", "ended_at")
    return {
        "id": delivery.pk,
        **{name: getattr(delivery, name) for name in names},
        "reason": sentence(delivery.reason_code),
        "event": payload(delivery.event, project.slug),
    }
