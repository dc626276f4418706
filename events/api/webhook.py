"""Webhooks of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from events import services
from events.models import EventKind, Webhook
from events.queries import counts_of, get_webhook, webhooks_of
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import (
    IF_MATCH,
    PAGING,
    REPEATABLE,
    body,
    created,
    filters,
    match,
    one,
    page,
    page_of,
    tag,
)
from web.requests import signed_in
from web.serializers import ListField


class NewWebhookSerializer(serializers.Serializer[Any]):
    """A new webhook: the URL that gets events, and the types of these events."""

    url = serializers.CharField(max_length=services.LONGEST_URL)
    types = ListField(child=serializers.ChoiceField(EventKind.choices), max_length=len(EventKind))


class WebhookChangeSerializer(NewWebhookSerializer):
    """Changes of a webhook; `active` false pauses it."""

    active = serializers.BooleanField()


class WebhookSerializer(serializers.Serializer[Any]):
    """A webhook, without its secret. `waiting` and `given_up` are numbers of deliveries."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    types = serializers.ListField(child=serializers.ChoiceField(EventKind.choices))
    active = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()
    waiting = serializers.IntegerField()
    given_up = serializers.IntegerField()


class CreatedWebhookSerializer(WebhookSerializer):
    """A webhook with its secret, which is shown only now."""

    secret = serializers.CharField()


class WebhookFilters(serializers.Serializer[Any]):
    """Filters of the list of webhooks."""

    active = serializers.BooleanField(required=False)


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, WebhookFilters],
    responses=page_of(WebhookSerializer),
    operation_id="webhooks_list",
    tags=["webhooks"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewWebhookSerializer,
    responses={201: CreatedWebhookSerializer},
    operation_id="webhooks_create",
    tags=["webhooks"],
)
@project_endpoint(secret=True, GET=Permission.SEE_PROJECT, POST=Permission.CHANGE_PROJECT)
def webhooks(request: Request, project: Project) -> Response:
    """Return the webhooks of a project; POST adds one, and returns its secret once."""
    if request.method == "POST":
        sent = body(request, NewWebhookSerializer)
        made = services.create_webhook(
            actor=signed_in(request), project=project, url=sent["url"], types=sent["types"]
        )
        address = reverse("api_webhook", args=[project.slug, made.row.pk])
        return created(_rows([made.row])[0] | {"secret": made.secret}, address, _tag(made.row))
    asked = filters(request, WebhookFilters)
    found = webhooks_of(project)
    if "active" in asked:
        found = found.filter(is_active=asked["active"])
    return page(request, found, _rows)


@extend_schema(methods=["GET"], responses=WebhookSerializer, operation_id="webhooks_read", tags=["webhooks"])
@extend_schema(
    methods=["PATCH"],
    parameters=[IF_MATCH],
    request=WebhookChangeSerializer(partial=True),
    responses=WebhookSerializer,
    operation_id="webhooks_change",
    tags=["webhooks"],
)
@extend_schema(methods=["DELETE"], responses={204: None}, operation_id="webhooks_delete", tags=["webhooks"])
@project_endpoint(
    GET=Permission.SEE_PROJECT, PATCH=Permission.CHANGE_PROJECT, DELETE=Permission.CHANGE_PROJECT
)
def webhook(request: Request, project: Project, pk: int) -> Response:
    """Return a webhook; PATCH changes it, DELETE deletes it with its deliveries."""
    actor = signed_in(request)
    found = get_webhook(project=project, pk=pk)
    if request.method == "DELETE":
        services.delete_webhook(actor=actor, webhook=found)
        return Response(status=204)
    if request.method == "PATCH":
        with transaction.atomic():
            found = services.lock_webhook(found)
            match(request, _tag(found))
            sent = body(request, _PartialSerializer)
            found = services.change_webhook(
                actor=actor,
                webhook=found,
                url=sent.get("url"),
                types=sent.get("types"),
                is_active=sent.get("active"),
            )
    return one(request, _rows([found])[0], _tag(found))


@extend_schema(
    request=None,
    responses=CreatedWebhookSerializer,
    operation_id="webhooks_replace_secret",
    tags=["webhooks"],
)
@project_endpoint(secret=True, POST=Permission.CHANGE_PROJECT)
def secret(request: Request, project: Project, pk: int) -> Response:
    """Replace the secret of a webhook and return the new one once."""
    found = get_webhook(project=project, pk=pk)
    made = services.replace_secret(actor=signed_in(request), webhook=found)
    return Response(_rows([made.row])[0] | {"secret": made.secret})


class _PartialSerializer(WebhookChangeSerializer):
    """The changes that were sent, each of which may be left out."""

    def __init__(self, **named: Any) -> None:
        super().__init__(partial=True, **named)


def _rows(webhooks: Sequence[Webhook]) -> list[dict[str, object]]:
    counts = counts_of(webhooks)
    nothing = {"waiting": 0, "given_up": 0}
    return [
        {
            "id": row.pk,
            "url": row.url,
            "types": row.types,
            "active": row.is_active,
            "created_at": row.created_at,
            "created_by": row.created_by.username,
            **counts.get(row.pk, nothing),
        }
        for row in webhooks
    ]


def _tag(webhook: Webhook) -> str:
    return tag(webhook.pk, webhook.url, webhook.types, webhook.is_active)
