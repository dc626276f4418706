"""The gates on items that are not released."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from jobs.endpoint import start
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release import services
from release.api import gate_row
from release.queries.gate import GATE_CHECK, gate_check, what_stands
from release.serializers import GateSerializer
from web.endpoint import AcceptedSerializer
from web.requests import signed_in


class GateResultSerializer(GateSerializer):
    """The result of a gate for all items, or for those of one style or writer.

    `part` is `all`, `style` or `writer`; `part_name` is the style or the writer's user name, else "".
    `is_conspicuous`: whether the part differs from the others. `items`: the number of items behind it.
    """

    part = serializers.CharField()
    part_name = serializers.CharField(allow_blank=True)
    is_conspicuous = serializers.BooleanField()
    checked_items = serializers.IntegerField()
    items = serializers.IntegerField()


class GateCheckSerializer(serializers.Serializer[Any]):
    """The latest check of the items that are not released; `has_changed`: whether items changed since."""

    checked_at = serializers.DateTimeField(allow_null=True)
    has_changed = serializers.BooleanField()
    items = serializers.IntegerField()
    results = GateResultSerializer(many=True)


@extend_schema(responses=GateCheckSerializer, operation_id="gates_read", tags=["gates"])
@project_endpoint(GET=Permission.SEE_RELEASES)
def gates(_request: Request, project: Project) -> Response:
    """Return the latest results of the gates on items that are not released."""
    found = gate_check(project)
    if found is None or found.checked_at is None:
        return Response({"checked_at": None, "has_changed": True, "items": 0, "results": []})
    parts = found.findings.get("parts", [])
    names = dict(
        User.objects.filter(pk__in=[part["user"] for part in parts if part["user"]]).values_list(
            "pk", "username"
        )
    )
    rows = [
        gate_row(answer)
        | {
            "part": part["kind"],
            "part_name": names.get(part["user"], part["style"]),
            "is_conspicuous": answer["stands_out"],
            "checked_items": answer["looked_at"],
            "items": answer["named"],
        }
        for part in parts
        for answer in part["answers"]
    ]
    return Response(
        {
            "checked_at": found.checked_at,
            "has_changed": found.seen != what_stands(project),
            "items": found.findings.get("items", 0),
            "results": rows,
        }
    )


@extend_schema(request=None, responses={202: AcceptedSerializer}, operation_id="gates_check", tags=["gates"])
@project_endpoint(heavy=True, POST=Permission.CHANGE_RELEASES)
def check(request: Request, project: Project) -> Response:
    """Check the items that are not released by the gates. A check that waits or runs is not repeated."""
    with transaction.atomic():
        services.order_gate_check(actor=signed_in(request), project=project)
        return start(GATE_CHECK, project.pk)
