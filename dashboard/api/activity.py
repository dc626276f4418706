"""The audit trail: of the site for administrators, of a project for its managers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import AuditEvent, Scope
from accounts.permissions import may_administer
from core.errors import require
from dashboard.queries.activity import ACTIONS, SUBJECTS, activities, events_of, events_of_site, filtered
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, endpoint, filters, page, page_of
from web.requests import signed_in


class ActivitySerializer(serializers.Serializer[AuditEvent]):
    """An action, by its code and in the caller's words."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    code = serializers.CharField()
    action = serializers.CharField()
    object = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)


class ActivityFilters(serializers.Serializer[AuditEvent]):
    """Filters of the activity: part of a person's name, an action's code, the kind of object, days."""

    person = serializers.CharField(max_length=150, required=False)
    action = serializers.ChoiceField(sorted(ACTIONS), required=False)
    about = serializers.ChoiceField(sorted(SUBJECTS), required=False)
    since = serializers.DateField(required=False)
    until = serializers.DateField(required=False)


_SHAPE: Final = page_of(ActivitySerializer)


@extend_schema(
    parameters=[*PAGING, ActivityFilters], responses=_SHAPE, operation_id="activity_list", tags=["activity"]
)
@endpoint(GET=Scope.MANAGE)
def of_site(request: Request) -> Response:
    """Return what was done on the whole site, newest first. For administrators."""
    require(may_administer(signed_in(request)))
    asked = filters(request, ActivityFilters)
    return page(request, filtered(events_of_site(), **asked), lambda rows: _rows(rows, None))


@extend_schema(
    parameters=[*PAGING, ActivityFilters],
    responses=_SHAPE,
    operation_id="projects_activity",
    tags=["activity"],
)
@project_endpoint(GET=Permission.MANAGE)
def of_project(request: Request, project: Project) -> Response:
    """Return what was done in the project, newest first."""
    asked = filters(request, ActivityFilters)
    return page(request, filtered(events_of(project), **asked), lambda rows: _rows(rows, project))


def _rows(events: Sequence[AuditEvent], project: Project | None) -> list[dict[str, Any]]:
    return [
        {
            "id": one.pk,
            "at": one.at,
            "actor": one.actor,
            "code": event.verb,
            "action": one.action,
            "object": one.subject,
            "detail": one.detail,
        }
        for event, one in zip(events, activities(events, project), strict=True)
    ]
