"""Endpoints: the language models that a project can call, and their API keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs import services
from jobs.models import Endpoint, EndpointKind
from jobs.queries import (
    all_endpoints,
    get_any_endpoint,
    get_endpoint,
    get_retired_endpoint,
    with_stored_keys,
)
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
from web.serializers import DictField

PRICES: Final = ("price_in", "price_out")
SHOWN: Final = (
    "name",
    "kind",
    "base_url",
    "model",
    "key_variable",
    "parameters",
    "requests_per_minute",
    "tokens_per_minute",
    "parallel_calls",
    "timeout_seconds",
    "created_at",
    "retired_at",
)


class EndpointSettingsSerializer(serializers.Serializer[Any]):
    """The settings of an endpoint, for future calls; a change names those that it changes."""

    name = serializers.CharField(max_length=80, required=False)
    model = serializers.CharField(max_length=120, required=False)
    base_url = serializers.CharField(max_length=400, allow_blank=True, required=False)
    key_variable = serializers.CharField(max_length=80, allow_blank=True, required=False)
    parameters = DictField(child=serializers.JSONField(), max_length=100, required=False)
    price_in = serializers.DecimalField(
        max_digits=12, decimal_places=4, min_value=0, required=False, help_text="Per million tokens."
    )
    price_out = serializers.DecimalField(
        max_digits=12, decimal_places=4, min_value=0, required=False, help_text="Per million tokens."
    )
    requests_per_minute = serializers.IntegerField(min_value=1, max_value=1_000_000, required=False)
    tokens_per_minute = serializers.IntegerField(min_value=1, max_value=2_000_000_000, required=False)
    parallel_calls = serializers.IntegerField(min_value=1, max_value=200, required=False)
    timeout_seconds = serializers.IntegerField(min_value=1, max_value=600, required=False)


class NewEndpointSerializer(EndpointSettingsSerializer):
    """A new endpoint."""

    name = serializers.CharField(max_length=80)
    model = serializers.CharField(max_length=120)
    kind = serializers.ChoiceField(EndpointKind.choices, required=False)


class EndpointSerializer(serializers.Serializer[Any]):
    """An endpoint. Its API key is never returned; `has_key`: whether one is stored."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(EndpointKind.choices)
    base_url = serializers.CharField(allow_blank=True)
    model = serializers.CharField()
    key_variable = serializers.CharField(allow_blank=True)
    has_key = serializers.BooleanField()
    parameters = serializers.DictField(child=serializers.JSONField())
    price_in = serializers.DecimalField(max_digits=12, decimal_places=4)
    price_out = serializers.DecimalField(max_digits=12, decimal_places=4)
    requests_per_minute = serializers.IntegerField()
    tokens_per_minute = serializers.IntegerField()
    parallel_calls = serializers.IntegerField()
    timeout_seconds = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True)


class EndpointFilters(serializers.Serializer[Any]):
    """Filters of the list of endpoints."""

    retired = serializers.BooleanField(required=False)


class KeySerializer(serializers.Serializer[Any]):
    """An API key, which is encrypted and never returned."""

    key = serializers.CharField(max_length=500)


class TestedSerializer(serializers.Serializer[Any]):
    """The result of a test call; `server_says` is the message of the server."""

    ok = serializers.BooleanField()
    sentence = serializers.CharField()
    server_says = serializers.CharField(allow_blank=True)
    latency_ms = serializers.IntegerField(allow_null=True)


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, EndpointFilters],
    responses=page_of(EndpointSerializer),
    operation_id="endpoints_list",
    tags=["endpoints"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewEndpointSerializer,
    responses={201: EndpointSerializer},
    operation_id="endpoints_create",
    tags=["endpoints"],
)
@project_endpoint(GET=Permission.SEE_MODELS, POST=Permission.CHANGE_MODELS)
def endpoints(request: Request, project: Project) -> Response:
    """Return the endpoints of a project, newest first; POST adds one."""
    if request.method == "POST":
        sent = body(request, NewEndpointSerializer)
        made = services.create_endpoint(actor=signed_in(request), project=project, **sent)
        made.refresh_from_db()  # prices as the database has them
        return created(_rows([made])[0], reverse("api_endpoint", args=[project.slug, made.pk]), _tag(made))
    found = all_endpoints(project)
    if "retired" in (asked := filters(request, EndpointFilters)):
        found = found.filter(retired_at__isnull=not asked["retired"])
    return page(request, found, _rows)


@extend_schema(
    methods=["GET"], responses=EndpointSerializer, operation_id="endpoints_read", tags=["endpoints"]
)
@extend_schema(
    methods=["PATCH"],
    parameters=[IF_MATCH],
    request=EndpointSettingsSerializer,
    responses=EndpointSerializer,
    operation_id="endpoints_change",
    tags=["endpoints"],
)
@project_endpoint(GET=Permission.SEE_MODELS, PATCH=Permission.CHANGE_MODELS)
def endpoint(request: Request, project: Project, pk: int) -> Response:
    """Return an endpoint; PATCH changes its settings. Earlier calls are unchanged.

    A stored key is deleted if the server changes.
    """
    if request.method == "PATCH":
        found = get_endpoint(project=project, pk=pk)
        with transaction.atomic():
            found = Endpoint.objects.select_for_update(no_key=True).get(pk=found.pk)
            match(request, _tag(found))
            sent = body(request, EndpointSettingsSerializer)
            services.edit_endpoint(actor=signed_in(request), endpoint=found, **sent)
    return _one(request, project, pk)


@extend_schema(
    methods=["PUT"],
    request=KeySerializer,
    responses={204: None},
    operation_id="endpoints_store_key",
    tags=["endpoints"],
)
@extend_schema(
    methods=["DELETE"], responses={204: None}, operation_id="endpoints_delete_key", tags=["endpoints"]
)
@project_endpoint(PUT=Permission.CHANGE_MODELS, DELETE=Permission.CHANGE_MODELS)
@sensitive_variables("sent")
def key(request: Request, project: Project, pk: int) -> Response:
    """Store the API key of an endpoint; DELETE deletes it. No response ever has the key."""
    found = get_endpoint(project=project, pk=pk)
    if request.method == "PUT":
        sent = body(request, KeySerializer)
        services.store_key(actor=signed_in(request), endpoint=found, key=sent["key"])
    else:
        services.discard_key(actor=signed_in(request), endpoint=found)
    return Response(status=204)


@extend_schema(request=None, responses=TestedSerializer, operation_id="endpoints_test", tags=["endpoints"])
@project_endpoint(heavy=True, POST=Permission.CHANGE_MODELS)
def test(request: Request, project: Project, pk: int) -> Response:
    """Send the endpoint a short prompt, which may cost money, and return what came of it."""
    tried = services.try_endpoint(actor=signed_in(request), endpoint=get_endpoint(project=project, pk=pk))
    return Response(
        {
            "ok": tried.is_well,
            "sentence": tried.sentence,
            "server_says": tried.server_says,
            "latency_ms": tried.latency_ms,
        }
    )


@extend_schema(
    request=None, responses=EndpointSerializer, operation_id="endpoints_retire", tags=["endpoints"]
)
@project_endpoint(POST=Permission.CHANGE_MODELS)
def retire(request: Request, project: Project, pk: int) -> Response:
    """Retire an endpoint; its calls and answers remain."""
    found = get_endpoint(project=project, pk=pk)
    services.retire_endpoint(actor=signed_in(request), endpoint=found)
    return _one(request, project, pk)


@extend_schema(
    request=None, responses=EndpointSerializer, operation_id="endpoints_restore", tags=["endpoints"]
)
@project_endpoint(POST=Permission.CHANGE_MODELS)
def restore(request: Request, project: Project, pk: int) -> Response:
    """Put a retired endpoint into use again."""
    found = get_retired_endpoint(project=project, pk=pk)
    services.bring_back_endpoint(actor=signed_in(request), endpoint=found)
    return _one(request, project, pk)


def _one(request: Request, project: Project, pk: int) -> Response:
    found = get_any_endpoint(project=project, pk=pk)
    return one(request, _rows([found])[0], _tag(found))


def _rows(endpoints: Sequence[Endpoint]) -> list[dict[str, object]]:
    stored = with_stored_keys(endpoints)
    return [
        {
            "id": endpoint.pk,
            **{name: getattr(endpoint, name) for name in SHOWN},
            **{name: f"{getattr(endpoint, name):f}" for name in PRICES},
            "has_key": endpoint.pk in stored,
        }
        for endpoint in endpoints
    ]


def _tag(endpoint: Endpoint) -> str:
    return tag(*_rows([endpoint])[0].items())
