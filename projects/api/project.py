"""Projects and their settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from projects import services
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import MEMBER, Permission, roles_in, roles_of
from projects.queries import get_project, projects_of
from web.endpoint import (
    IF_MATCH,
    PAGING,
    REPEATABLE,
    body,
    created,
    endpoint,
    filters,
    match,
    one,
    page,
    page_of,
    tag,
)
from web.requests import signed_in
from web.serializers import ListField

SHOWN: Final = ("slug", "name", "language", "created_at", "archived_at")


class ProjectSerializer(serializers.Serializer[Project]):
    """A project, with the roles of the caller in it."""

    slug = serializers.CharField()
    name = serializers.CharField()
    language = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)


RENAMED: Final = {"gold_rate": "practice_rate", "most_stories_in_hand": "most_unfinished_stories"}
"""Settings whose columns have an older name than the one that pages and files have."""


class SettingsSerializer(serializers.ModelSerializer[Project]):
    """The settings of a project; a change names those that it changes."""

    practice_rate = serializers.IntegerField(source="gold_rate")
    most_unfinished_stories = serializers.IntegerField(source="most_stories_in_hand")
    tasks = ListField(child=serializers.CharField(max_length=20), max_length=100)

    class Meta:
        model = Project
        fields = tuple(RENAMED.get(name, name) for name in services.EDITABLE)


class SomeSettingsSerializer(SettingsSerializer):
    """Settings of a new project; what is not named is as in other new projects."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the settings, none of which must be named: nested, they are not partial by themselves."""
        found = super().get_fields()
        for field in found.values():
            field.required = False
        return found


class OneProjectSerializer(ProjectSerializer):
    """A project with its settings."""

    settings = SettingsSerializer()


class NewProjectSerializer(serializers.Serializer[Project]):
    """A new project; `like` is the short name of a project whose settings, types and guideline are copied."""

    slug = serializers.CharField(max_length=40)
    name = serializers.CharField(max_length=120)
    language = serializers.CharField(max_length=10)
    like = serializers.CharField(max_length=40, required=False)
    settings = SomeSettingsSerializer(required=False)


class ProjectFilters(serializers.Serializer[Any]):
    """Filters of the list of projects."""

    archived = serializers.BooleanField(required=False)


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, ProjectFilters],
    responses=page_of(ProjectSerializer),
    operation_id="projects_list",
    tags=["projects"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewProjectSerializer,
    responses={201: OneProjectSerializer},
    operation_id="projects_create",
    tags=["projects"],
)
@endpoint(bound=True, GET=Scope.READ, POST=Scope.MANAGE)
def projects(request: Request) -> Response:
    """Return the projects of the caller; POST creates one, with the caller as its manager."""
    user = signed_in(request)
    if request.method == "POST":
        sent = body(request, NewProjectSerializer)
        like = get_project(user=user, slug=sent.pop("like")) if "like" in sent else None
        made = services.create_project(actor=user, like=like, **sent)
        return created(_whole(request, made), reverse("api_project", args=[made.slug]), _tag(made))
    found = projects_of(user)
    if "archived" in (asked := filters(request, ProjectFilters)):
        found = found.filter(archived_at__isnull=not asked["archived"])

    def rows(found: Sequence[Project]) -> list[dict[str, Any]]:
        roles = roles_in(user, found)
        return [_row(row, roles[row.pk]) for row in found]

    return page(request, found, rows)


@extend_schema(
    methods=["GET"], responses=OneProjectSerializer, operation_id="projects_read", tags=["projects"]
)
@extend_schema(
    methods=["PATCH"],
    parameters=[IF_MATCH],
    request=SettingsSerializer(partial=True),
    responses=OneProjectSerializer,
    operation_id="projects_change",
    tags=["projects"],
)
@project_endpoint(GET=MEMBER, PATCH=Permission.CHANGE_PROJECT)
def project(request: Request, project: Project) -> Response:
    """Return a project with its settings; PATCH changes settings."""
    if request.method == "PATCH":
        with transaction.atomic():
            project = Project.objects.select_for_update().get(pk=project.pk)
            match(request, _tag(project))
            sent = SettingsSerializer(data=request.data, partial=True)
            sent.is_valid(raise_exception=True)
            services.update_project(actor=signed_in(request), project=project, changes=sent.validated_data)
    return one(request, _whole(request, project), _tag(project))


@extend_schema(
    request=None, responses=OneProjectSerializer, operation_id="projects_archive", tags=["projects"]
)
@endpoint(bound=True, POST=Scope.MANAGE)
def archive(request: Request, slug: str) -> Response:
    """Archive a project, which can then be read but not changed."""
    return _archived(request, slug, archived=True)


@extend_schema(
    request=None, responses=OneProjectSerializer, operation_id="projects_restore", tags=["projects"]
)
@endpoint(bound=True, POST=Scope.MANAGE)
def restore(request: Request, slug: str) -> Response:
    """Restore an archived project."""
    return _archived(request, slug, archived=False)


def _archived(request: Request, slug: str, *, archived: bool) -> Response:
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    services.set_archived(actor=user, project=project, archived=archived)
    return Response(_whole(request, project))


def _row(project: Project, roles: frozenset[str]) -> dict[str, Any]:
    return {**{name: getattr(project, name) for name in SHOWN}, "roles": sorted(roles)}


def _whole(request: Request, project: Project) -> dict[str, Any]:
    roles = roles_of(signed_in(request), project)
    return {**_row(project, roles), "settings": SettingsSerializer(project).data}


def _tag(project: Project) -> str:
    return tag(project.pk, project.archived_at, *(getattr(project, name) for name in services.EDITABLE))
