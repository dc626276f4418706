"""Batches of calls for candidates: their list, an estimate, and a new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Unusable
from generation import services
from generation.models import Batch, PromptTemplate
from generation.queries.batch import (
    GENERATE,
    batches_of,
    estimate,
    get_batch,
    stories_in,
    story_templates,
)
from jobs.hooks import dispatch
from jobs.models import Endpoint, JobState
from jobs.queries import askable_endpoints
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import (
    PAGING,
    REPEATABLE,
    AcceptedSerializer,
    accepted,
    body,
    filters,
    page,
    page_of,
)
from web.requests import signed_in
from web.serializers import ListField

Done = TypeVar("Done")
Chosen = tuple[list[int], list[PromptTemplate], list[Endpoint]]

MOST_CHOSEN = 100
"""The most prompts, and the most endpoints, of one batch that is ordered here."""
LARGEST_ID = 2**63 - 1


def _ids(most: int, **more: Any) -> ListField:
    return ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), max_length=most, **more
    )


class ChosenSerializer(serializers.Serializer[Any]):
    """What a batch is about: stories by their ids or by a scope, newest versions of prompts, and endpoints.

    Each combination of story, prompt and endpoint is one call.
    """

    stories = _ids(services.MOST_CALLS, required=False)
    scope = serializers.ChoiceField(
        [("lacking", "lacking"), ("without", "without"), ("all", "all")],
        default="lacking",
        help_text="Without `stories`: stories with too few machine-style items, without candidates, or all.",
    )
    prompts = _ids(MOST_CHOSEN)
    endpoints = _ids(MOST_CHOSEN)


class NewBatchSerializer(ChosenSerializer):
    """A new batch, with its budget (none: no limit); `again` repeats calls that were made before."""

    budget = serializers.DecimalField(
        max_digits=14, decimal_places=6, min_value=0, required=False, allow_null=True, default=None
    )
    again = serializers.BooleanField(default=False)


class EstimateSerializer(serializers.Serializer[Any]):
    """Calls to make, calls made before, tokens of the prompts and the highest cost.

    The numbers are extrapolated from `sampled` of the `stories`.
    """

    stories = serializers.IntegerField()
    sampled = serializers.IntegerField()
    calls = serializers.IntegerField()
    already_asked = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    cost = serializers.CharField()
    currency = serializers.CharField()


class BatchSerializer(serializers.Serializer[Any]):
    """A batch. The address of its job has its progress."""

    id = serializers.IntegerField()
    job = serializers.IntegerField()
    job_url = serializers.CharField()
    state = serializers.ChoiceField(JobState.choices)
    stories = serializers.IntegerField()
    prompts = serializers.ListField(child=serializers.IntegerField())
    endpoints = serializers.ListField(child=serializers.IntegerField())
    again = serializers.BooleanField()
    already_asked = serializers.IntegerField()
    estimate = serializers.DecimalField(max_digits=14, decimal_places=6)
    cost = serializers.DecimalField(max_digits=14, decimal_places=6)
    limit = serializers.DecimalField(max_digits=14, decimal_places=6, allow_null=True)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()


class BatchFilters(serializers.Serializer[Any]):
    """Filters of the list of batches."""

    job = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)
    state = serializers.ChoiceField(JobState.choices, required=False)


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, BatchFilters],
    responses=page_of(BatchSerializer),
    operation_id="batches_list",
    tags=["batches"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewBatchSerializer,
    responses={202: AcceptedSerializer},
    operation_id="batches_create",
    tags=["batches"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_CANDIDATES, POST=Permission.WRITE)
def batches(request: Request, project: Project) -> Response:
    """Return the batches of a project, newest first; POST orders one, which calls models and costs money."""
    if request.method == "POST":
        return _order(request, project)
    asked = filters(request, BatchFilters)
    if "state" in asked:
        asked["job__state"] = asked.pop("state")
    return page(request, batches_of(project).filter(**asked), _rows)


def _order(request: Request, project: Project) -> Response:
    sent = body(request, NewBatchSerializer)
    stories, prompts, endpoints = _chosen(project, sent)

    def order() -> Batch:
        return services.order_batch(
            actor=signed_in(request),
            project=project,
            stories=stories,
            templates=prompts,
            endpoints=endpoints,
            budget=sent["budget"],
            again=sent["again"],
        )

    with transaction.atomic():
        ordered = _with_our_names(order)
        dispatch(GENERATE, ordered.job_id)
    return accepted(ordered.job_id, reverse("api_job", args=[ordered.job_id]))


@extend_schema(
    request=ChosenSerializer, responses=EstimateSerializer, operation_id="batches_estimate", tags=["batches"]
)
@project_endpoint(POST=Permission.WRITE)
def estimated(request: Request, project: Project) -> Response:
    """Return what a batch would call and cost at most. Nothing is written."""
    stories, prompts, endpoints = _chosen(project, body(request, ChosenSerializer))
    _with_our_names(
        lambda: services.check_batch(
            actor=signed_in(request), project=project, stories=stories, templates=prompts, endpoints=endpoints
        )
    )
    found = estimate(stories, prompts, endpoints)
    names = ("stories", "sampled", "calls", "already_asked", "tokens_in")
    return Response(
        {
            **{name: getattr(found, name) for name in names},
            "cost": f"{found.cost:f}",
            "currency": project.currency,
        }
    )


@extend_schema(responses=BatchSerializer, operation_id="batches_read", tags=["batches"])
@project_endpoint(GET=Permission.SEE_CANDIDATES)
def batch(_request: Request, project: Project, pk: int) -> Response:
    """Return a batch."""
    return Response(_rows([get_batch(project=project, pk=pk)])[0])


def _chosen(project: Project, sent: Mapping[str, Any]) -> Chosen:
    """Return the ids of the stories, and the prompts and endpoints, of a batch; unknown ones are refused."""
    stories = sent.get("stories")
    if stories is None:
        found = stories_in(project, sent["scope"]).values_list("pk", flat=True)
        stories = list(found[: services.MOST_CALLS + 1])
    prompts = list(story_templates(project).filter(pk__in=sent["prompts"]))
    endpoints = list(askable_endpoints(project).filter(pk__in=sent["endpoints"]))
    problems = {}
    if len(prompts) < len(set(sent["prompts"])):
        problems["prompts"] = _("Prompt template not found.")
    if len(endpoints) < len(set(sent["endpoints"])):
        problems["endpoints"] = _("Endpoint not found.")
    if problems:
        raise Unusable(problems)
    return list(dict.fromkeys(stories)), prompts, endpoints


def _with_our_names(ask: Callable[[], Done]) -> Done:
    """Return what `ask` does. An error in `templates` names the field `prompts`."""
    try:
        return ask()
    except Unusable as error:
        named = {"prompts" if name == "templates" else name: text for name, text in error.fields.items()}
        raise Unusable(str(error), named) from error


def _rows(batches: Sequence[Batch]) -> list[dict[str, object]]:
    rows = []
    for batch in batches:
        budget = batch.job.budget
        row = {
            "id": batch.pk,
            "job": batch.job_id,
            "job_url": reverse("api_job", args=[batch.job_id]),
            "state": batch.job.state,
            "stories": vars(batch)["story_count"],
            "prompts": [one.pk for one in batch.templates.all()],
            "endpoints": [one.pk for one in batch.endpoints.all()],
            "again": batch.again,
            "already_asked": batch.already_asked,
            "estimate": f"{budget.estimate:f}",
            "cost": f"{budget.spent:f}",
            "limit": None if budget.limit is None else f"{budget.limit:f}",
            "created_by": batch.job.created_by.username,
            "created_at": batch.created_at,
        }
        rows.append(row)
    return rows
