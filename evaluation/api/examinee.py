"""Examinees: the models and panels that were evaluated."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.models import Examinee, ExamineeKind
from evaluation.queries.examinee import examinees, get_examinee
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, filters, one, page, page_of, tag


class ExamineeSerializer(serializers.Serializer[Examinee]):
    """A model or a panel of people. `endpoint`: the endpoint at which the model is asked, or null.

    Examinees are created by runs, imports and panels.
    """

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.CharField()
    model = serializers.CharField()
    endpoint = serializers.IntegerField(allow_null=True)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()


class ExamineeFilters(serializers.Serializer[Any]):
    """Filters of the list of examinees."""

    kind = serializers.ChoiceField(ExamineeKind.choices, required=False)
    name = serializers.CharField(max_length=120, required=False)


def _row(found: Examinee) -> dict[str, object]:
    names = ("name", "kind", "model", "created_at")
    shown = {name: getattr(found, name) for name in names}
    return {"id": found.pk, "endpoint": found.endpoint_id, "created_by": found.created_by.username, **shown}


@extend_schema(
    parameters=[*PAGING, ExamineeFilters],
    responses=page_of(ExamineeSerializer),
    operation_id="examinees_list",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
def examinee_list(request: Request, project: Project) -> Response:
    """Return the examinees of the project, newest first."""
    asked = filters(request, ExamineeFilters)
    return page(request, examinees(project).filter(**asked), lambda rows: map(_row, rows))


@extend_schema(responses=ExamineeSerializer, operation_id="examinees_read", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def examinee(request: Request, project: Project, pk: int) -> Response:
    """Return an examinee."""
    found = _row(get_examinee(project=project, pk=pk))
    return one(request, found, tag(found))
