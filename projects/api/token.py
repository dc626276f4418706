"""The caller's account and access tokens."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from core.errors import Forbidden
from projects import services
from projects.models import AccessToken
from projects.queries import get_project, get_token, tokens_of
from web.endpoint import PAGING, REPEATABLE, body, created, endpoint, filters, page, page_of
from web.requests import signed_in
from web.serializers import ListField


class NewTokenSerializer(serializers.Serializer[Any]):
    """A new token; without `project` it is for all projects of the caller."""

    name = serializers.CharField(max_length=100)
    scopes = ListField(child=serializers.ChoiceField(Scope.choices), max_length=len(Scope))
    days = serializers.IntegerField(min_value=1, max_value=services.LONGEST_TOKEN_DAYS)
    project = serializers.CharField(max_length=40, required=False)


class TokenSerializer(serializers.Serializer[Any]):
    """A token of the caller, without its text; `hint` is its last four characters."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    hint = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))
    project = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    used_at = serializers.DateTimeField(allow_null=True)
    used_from = serializers.CharField()


class CreatedTokenSerializer(TokenSerializer):
    """A new token, with its text, which is shown only now."""

    token = serializers.CharField()


class MeSerializer(serializers.Serializer[Any]):
    """The caller, and the token of the request."""

    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()
    token = TokenSerializer(allow_null=True)


class TokenFilters(serializers.Serializer[Any]):
    """The list of tokens has no filters."""


@extend_schema(responses=MeSerializer, operation_id="me", tags=["tokens"])
@endpoint(bound=True, GET=Scope.READ)
def me(request: Request) -> Response:
    """Return the caller, and the access token that the request was sent with."""
    user = signed_in(request)
    token = _row(request.auth) if isinstance(request.auth, AccessToken) else None
    return Response({"id": user.pk, "username": user.username, "name": user.name, "token": token})


@extend_schema(
    methods=["GET"],
    parameters=PAGING,
    responses=page_of(TokenSerializer),
    operation_id="tokens_list",
    tags=["tokens"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewTokenSerializer,
    responses={201: CreatedTokenSerializer},
    operation_id="tokens_create",
    tags=["tokens"],
)
@endpoint(secret=True, GET=Scope.READ, POST=Scope.MANAGE)
def tokens(request: Request) -> Response:
    """Return the caller's access tokens; POST creates one, in a browser only."""
    user = signed_in(request)
    if request.method == "GET":
        filters(request, TokenFilters)
        return page(request, tokens_of(user), lambda rows: map(_row, rows))
    if request.auth is not None:
        raise Forbidden(_("A token cannot create tokens. Create one on the page of access tokens."))
    sent = body(request, NewTokenSerializer)
    slug = sent.pop("project", None)
    project = get_project(user=user, slug=slug) if slug else None
    made = services.create_token(actor=user, project=project, **sent)
    return created(_row(made.row) | {"token": made.text}, reverse("api_token", args=[made.row.pk]))


@extend_schema(methods=["GET"], responses=TokenSerializer, operation_id="tokens_read", tags=["tokens"])
@extend_schema(methods=["DELETE"], responses={204: None}, operation_id="tokens_revoke", tags=["tokens"])
@endpoint(GET=Scope.READ, DELETE=Scope.MANAGE)
def token(request: Request, pk: int) -> Response:
    """Return one of the caller's access tokens; DELETE revokes it."""
    user = signed_in(request)
    found = get_token(user=user, pk=pk)
    if request.method == "GET":
        return Response(_row(found))
    services.revoke_token(actor=user, token=found)
    return Response(status=204)


def _row(token: AccessToken) -> dict[str, Any]:
    names = ("name", "hint", "scopes", "created_at", "expires_at", "revoked_at", "used_at", "used_from")
    project = token.project.slug if token.project else None
    return {"id": token.pk, "project": project, **{name: getattr(token, name) for name in names}}
