"""Commonsense types of a project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from projects import services
from projects.endpoint import project_endpoint
from projects.models import CommonsenseType, Project
from projects.permissions import MEMBER, Permission
from projects.queries import get_type
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


class TypeNamesSerializer(serializers.Serializer[Any]):
    """The names of a commonsense type; a change names those that it changes."""

    name_zh = serializers.CharField(max_length=40, required=False)
    name_en = serializers.CharField(max_length=40, required=False)


class NewTypeSerializer(serializers.Serializer[Any]):
    """A new commonsense type. A single name is used in both languages; code and descriptions are final."""

    name_zh = serializers.CharField(max_length=40, default="", allow_blank=True)
    name_en = serializers.CharField(max_length=40, default="", allow_blank=True)
    meaning_zh = serializers.CharField(max_length=1000, default="", allow_blank=True)
    meaning_en = serializers.CharField(max_length=1000, default="", allow_blank=True)
    code = serializers.CharField(
        max_length=30, default="", allow_blank=True, help_text="Empty: from the English name."
    )


class TypeSerializer(serializers.Serializer[Any]):
    """A commonsense type. Items name it by its code; new items cannot have one that is retired."""

    id = serializers.IntegerField()
    code = serializers.CharField()
    name_zh = serializers.CharField()
    name_en = serializers.CharField()
    meaning_zh = serializers.CharField()
    meaning_en = serializers.CharField()
    retired_at = serializers.DateTimeField(allow_null=True)


class TypeFilters(serializers.Serializer[Any]):
    """Filters of the list of commonsense types."""

    retired = serializers.BooleanField(required=False)


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, TypeFilters],
    responses=page_of(TypeSerializer),
    operation_id="types_list",
    tags=["types"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewTypeSerializer,
    responses={201: TypeSerializer},
    operation_id="types_create",
    tags=["types"],
)
@project_endpoint(GET=MEMBER, POST=Permission.CHANGE_PROJECT)
def types(request: Request, project: Project) -> Response:
    """Return the commonsense types of a project, newest first; POST adds one."""
    if request.method == "POST":
        sent = body(request, NewTypeSerializer)
        made = services.add_type(actor=signed_in(request), project=project, **sent)
        return created(_row(made), reverse("api_type", args=[project.slug, made.pk]), _tag(made))
    found = CommonsenseType.objects.filter(project=project)
    if "retired" in (asked := filters(request, TypeFilters)):
        found = found.filter(retired_at__isnull=not asked["retired"])
    return page(request, found, lambda rows: map(_row, rows))


@extend_schema(methods=["GET"], responses=TypeSerializer, operation_id="types_read", tags=["types"])
@extend_schema(
    methods=["PATCH"],
    parameters=[IF_MATCH],
    request=TypeNamesSerializer,
    responses=TypeSerializer,
    operation_id="types_change",
    tags=["types"],
)
@project_endpoint(GET=MEMBER, PATCH=Permission.CHANGE_PROJECT)
def type_(request: Request, project: Project, pk: int) -> Response:
    """Return a commonsense type; PATCH renames it. Its code and descriptions do not change."""
    kind = get_type(project=project, pk=pk)
    if request.method == "PATCH":
        with transaction.atomic():
            kind = CommonsenseType.objects.select_for_update(no_key=True).get(pk=kind.pk)
            match(request, _tag(kind))
            names = {"name_zh": kind.name_zh, "name_en": kind.name_en}
            sent = names | body(request, TypeNamesSerializer)
            kind = services.rename_type(actor=signed_in(request), kind=kind, **sent)
    return one(request, _row(kind), _tag(kind))


@extend_schema(request=None, responses=TypeSerializer, operation_id="types_retire", tags=["types"])
@project_endpoint(POST=Permission.CHANGE_PROJECT)
def retire(request: Request, project: Project, pk: int) -> Response:
    """Retire a commonsense type: existing items keep it, new items cannot use it. 409 for the last one."""
    return _moved(request, project, pk, services.retire_type)


@extend_schema(request=None, responses=TypeSerializer, operation_id="types_restore", tags=["types"])
@project_endpoint(POST=Permission.CHANGE_PROJECT)
def restore(request: Request, project: Project, pk: int) -> Response:
    """Restore a retired commonsense type, so that new items can use it again."""
    return _moved(request, project, pk, services.restore_type)


def _moved(request: Request, project: Project, pk: int, move: Callable[..., None]) -> Response:
    kind = get_type(project=project, pk=pk)
    move(actor=signed_in(request), kind=kind)
    return one(request, _row(kind), _tag(kind))


def _row(kind: CommonsenseType) -> dict[str, object]:
    names = ("code", "name_zh", "name_en", "meaning_zh", "meaning_en", "retired_at")
    return {"id": kind.pk, **{name: getattr(kind, name) for name in names}}


def _tag(kind: CommonsenseType) -> str:
    return tag(kind.pk, kind.name_zh, kind.name_en, kind.retired_at)
