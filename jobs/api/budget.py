"""The project's total budget for language models."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs import services
from jobs.queries import BudgetState, budget_state
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import IF_MATCH, body, match, one, tag
from web.requests import signed_in


class BudgetLimitSerializer(serializers.Serializer[Any]):
    """The most that a project may spend on models; null: no limit."""

    limit = serializers.DecimalField(max_digits=14, decimal_places=6, min_value=0, allow_null=True)


class BudgetSerializer(BudgetLimitSerializer):
    """The project's budget; `left` is null without a limit, and negative if the limit is exceeded."""

    spent = serializers.DecimalField(max_digits=20, decimal_places=6)
    reserved = serializers.DecimalField(max_digits=20, decimal_places=6)
    left = serializers.DecimalField(max_digits=20, decimal_places=6, allow_null=True)
    currency = serializers.CharField()


@extend_schema(methods=["GET"], responses=BudgetSerializer, operation_id="budget_read", tags=["budget"])
@extend_schema(
    methods=["PUT"],
    parameters=[IF_MATCH],
    request=BudgetLimitSerializer,
    responses=BudgetSerializer,
    operation_id="budget_change",
    tags=["budget"],
)
@project_endpoint(GET=Permission.SEE_MODELS, PUT=Permission.CHANGE_MODELS)
def budget(request: Request, project: Project) -> Response:
    """Return the project's budget for models; PUT sets its limit. Running jobs keep their own budgets."""
    state = budget_state(project)
    if request.method == "PUT":
        with transaction.atomic():
            services.lock_project_budget(project.pk)
            match(request, _tag(budget_state(project)))
            limit = body(request, BudgetLimitSerializer)["limit"]
            services.set_project_budget(actor=signed_in(request), project=project, limit=limit)
        state = budget_state(project)
    row = {
        "limit": None if state.limit is None else f"{state.limit:f}",
        "spent": f"{state.spent:f}",
        "reserved": f"{state.promised:f}",
        "left": None if state.left is None else f"{state.left:f}",
        "currency": project.currency,
    }
    return one(request, row, _tag(state))


def _tag(state: BudgetState) -> str:
    amounts = (state.limit, state.spent, state.promised)
    return tag(*("" if amount is None else f"{amount:f}" for amount in amounts))
