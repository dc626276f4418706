"""Runs of models on a release, and their responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import Unusable
from evaluation import services
from evaluation.api import FILES, named_release
from evaluation.models import (
    ExamineeKind,
    OptionOrder,
    PartialInput,
    Portion,
    ReadingKind,
    Run,
)
from evaluation.models import Response as Answer
from evaluation.page import responses_file
from evaluation.queries.response import responses_in
from evaluation.queries.run import (
    COMPARE_PARTIAL,
    LARGE_OF_A_RELEASE,
    MEASURE,
    Asking,
    default_prompt,
    estimates,
    get_run,
    runs,
    tally,
)
from jobs.endpoint import start
from jobs.models import Endpoint
from jobs.queries import askable_endpoints
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from release.services import record_released_key_exposures
from web.endpoint import (
    PAGING,
    REPEATABLE,
    AcceptedSerializer,
    body,
    filters,
    one,
    page,
    page_of,
    tag,
)
from web.requests import signed_in
from web.serializers import DictField

LONGEST_PROMPT: Final = 20_000
MOST_PROMPTS: Final = 50


class AskingSerializer(serializers.Serializer[Run]):
    """What a run asks: a release, by version, and the endpoint of a model.

    `prompt`: with {question} and {options} or {options_in_line}, by default the usual one; `prompts` by task,
    for tasks that are not answered by one option. `probe`: the part that is left out of each item.
    `sample_size`: null for all items.
    """

    release = serializers.CharField(max_length=40)
    endpoint = serializers.IntegerField()
    prompt = serializers.CharField(max_length=LONGEST_PROMPT, required=False, trim_whitespace=False)
    prompts = DictField(
        child=serializers.CharField(max_length=LONGEST_PROMPT, trim_whitespace=False),
        max_length=MOST_PROMPTS,
        required=False,
    )
    split = serializers.CharField(max_length=5, required=False)
    repeats = serializers.IntegerField(required=False)
    order = serializers.CharField(max_length=10, required=False)
    seed = serializers.CharField(max_length=64, required=False)
    sample_size = serializers.IntegerField(required=False, allow_null=True)
    probe = serializers.CharField(max_length=12, required=False, allow_blank=True)


class NewRunSerializer(AskingSerializer):
    """A new run; `budget`: the most that it may cost, or null for no limit."""

    budget = serializers.DecimalField(
        max_digits=10, decimal_places=2, min_value=0, required=False, allow_null=True
    )


class RunEstimateSerializer(serializers.Serializer[Any]):
    """The number of calls of a run, their prompt tokens, and the most that they may cost."""

    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    cost = serializers.DecimalField(max_digits=20, decimal_places=6)
    currency = serializers.CharField()


class RunSerializer(serializers.Serializer[Run]):
    """The evaluation of an examinee on a release.

    `state` is that of its job, or "" for imported responses and panels. `asked`: the number of expected
    responses. `file`: the response file that it was imported from, or null.
    """

    id = serializers.IntegerField()
    examinee = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.CharField()
    model = serializers.CharField()
    release = serializers.CharField()
    split = serializers.CharField()
    repeats = serializers.IntegerField()
    order = serializers.CharField()
    seed = serializers.CharField()
    sample_size = serializers.IntegerField(allow_null=True)
    probe = serializers.CharField()
    asked = serializers.IntegerField()
    job = serializers.IntegerField(allow_null=True)
    state = serializers.CharField()
    file = serializers.IntegerField(allow_null=True)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()


class OneRunSerializer(RunSerializer):
    """A run with its prompts and its progress: responses by outcome, and those that may still arrive.

    `accuracy`: null while responses are expected. `probe_figures`: the comparison with whole items, or {}.
    """

    prompt = serializers.CharField()
    prompts = serializers.DictField(child=serializers.CharField())
    parameters = serializers.DictField()
    expected = serializers.IntegerField()
    waiting = serializers.IntegerField()
    outcomes = serializers.DictField(child=serializers.IntegerField())
    correct = serializers.IntegerField()
    accuracy = serializers.FloatField(allow_null=True)
    cut_off = serializers.IntegerField()
    probe_figures = serializers.DictField()


class RunFilters(serializers.Serializer[Any]):
    """Filters of the list of runs."""

    release = serializers.CharField(max_length=40, required=False)
    examinee = serializers.IntegerField(required=False)
    kind = serializers.ChoiceField(ExamineeKind.choices, required=False)
    split = serializers.ChoiceField(Portion.choices, required=False)
    order = serializers.ChoiceField(OptionOrder.choices, required=False)
    probe = serializers.ChoiceField(PartialInput.choices, required=False, allow_blank=True)
    state = serializers.CharField(max_length=10, required=False)


class RunAcceptedSerializer(AcceptedSerializer):
    """The accepted job of a run; `id` is that of the run."""

    id = serializers.IntegerField()


class ResponseSerializer(serializers.Serializer[Answer]):
    """A response to an item. `item_id` is the item's id in the release.

    `order`: positions of the released options as they were displayed; `choice` and `strict_choice` are
    positions of released options. `given`, `strict_given` and `score` are for tasks that are not answered by
    one option. `served`: what the server said of the response.
    """

    id = serializers.IntegerField()
    item_id = serializers.CharField()
    repeat = serializers.IntegerField()
    rotation = serializers.IntegerField()
    order = serializers.ListField(child=serializers.IntegerField())
    text = serializers.CharField()
    served = serializers.DictField()
    reading = serializers.CharField()
    choice = serializers.IntegerField(allow_null=True)
    strict_choice = serializers.IntegerField(allow_null=True)
    given = serializers.JSONField(allow_null=True)
    strict_given = serializers.JSONField(allow_null=True)
    correct = serializers.BooleanField()
    score = serializers.FloatField(allow_null=True)
    at = serializers.DateTimeField()


class ResponseFilters(serializers.Serializer[Any]):
    """Filters of the list of responses."""

    reading = serializers.ChoiceField(ReadingKind.choices, required=False)
    correct = serializers.BooleanField(required=False)
    item_id = serializers.CharField(max_length=120, required=False)
    repeat = serializers.IntegerField(required=False)


OF_A_RUN = ("split", "repeats", "order", "seed", "sample_size", "probe", "asked", "created_at")


def run_row(run: Run) -> dict[str, object]:
    """Return a run as JSON. `runs` must have selected its release, examinee, job and creator."""
    return {
        "id": run.pk,
        "examinee": run.examinee_id,
        "name": run.examinee.name,
        "kind": run.examinee.kind,
        "model": run.examinee.model,
        "release": run.release.version,
        "job": run.job_id,
        "state": run.job.state if run.job else "",
        "file": run.file_id,
        "created_by": run.created_by.username,
        **{name: getattr(run, name) for name in OF_A_RUN},
    }


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, RunFilters],
    responses=page_of(RunSerializer),
    operation_id="runs_list",
    tags=["evaluation"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewRunSerializer,
    responses={202: RunAcceptedSerializer},
    operation_id="runs_create",
    tags=["evaluation"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_RESULTS, POST=Permission.CHANGE_RESULTS)
def run_list(request: Request, project: Project) -> Response:
    """Return the runs of the project, newest first; POST starts a run of one model."""
    if request.method == "GET":
        asked = filters(request, RunFilters)
        columns = {"release": "release__version", "kind": "examinee__kind", "state": "job__state"}
        found = runs(project).filter(**{columns.get(name, name): value for name, value in asked.items()})
        found = found.defer("prompt", "prompts", "settings", "probe_figures", *LARGE_OF_A_RELEASE)
        return page(request, found, lambda rows: map(run_row, rows))
    sent = body(request, NewRunSerializer)
    budget = sent.pop("budget", None)
    asking, endpoint = _asking(project, sent)
    with transaction.atomic():
        (run,) = services.start_runs(
            actor=signed_in(request), asking=asking, endpoints=[endpoint], budget=budget
        )
        return start(MEASURE, run.pk, id=run.pk)


def _asking(project: Project, sent: Mapping[str, Any]) -> tuple[Asking, Endpoint]:
    """Return what a run asks, and whom. Raise `Unusable` if the release or the endpoint is unknown."""
    usual: Mapping[str, Any] = {"prompt": default_prompt(project), "repeats": 3, "seed": "7"}
    named = {name: value for name, value in sent.items() if name not in ("release", "endpoint")}
    release = named_release(project, sent["release"])
    endpoint = askable_endpoints(project).filter(pk=sent["endpoint"]).first()
    if endpoint is None:
        raise Unusable(_("Endpoint not found."), "endpoint")
    return Asking(release=release, **{**usual, **named}), endpoint


@extend_schema(
    request=AskingSerializer,
    responses=RunEstimateSerializer,
    operation_id="runs_estimate",
    tags=["evaluation"],
)
@project_endpoint(POST=Permission.CHANGE_RESULTS)
def estimate(request: Request, project: Project) -> Response:
    """Return what a run would cost at most. Nothing is started."""
    asking, endpoint = _asking(project, body(request, AskingSerializer))
    if problems := services.problems_of(asking):
        raise Unusable(problems)
    (found,) = estimates(asking, [endpoint])
    row = {"calls": found.calls, "tokens_in": found.tokens_in, "cost": f"{found.cost:.6f}"}
    return Response(row | {"currency": project.currency})


@extend_schema(responses=OneRunSerializer, operation_id="runs_read", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def run(request: Request, project: Project, pk: int) -> Response:
    """Return a run with its prompts and its progress."""
    found = get_run(user=signed_in(request), project=project, pk=pk)
    seen = tally(found)
    row = run_row(found) | {
        "prompt": found.prompt,
        "prompts": found.prompts,
        "parameters": found.settings.get("parameters", {}),
        "expected": seen.asked,
        "waiting": seen.waiting,
        "outcomes": dict(seen.readings),
        "correct": seen.correct,
        "accuracy": seen.accuracy,
        "cut_off": seen.cut_off,
        "probe_figures": found.probe_figures,
    }
    return one(request, row, tag(row))


@extend_schema(
    request=None, responses={202: RunAcceptedSerializer}, operation_id="runs_compare", tags=["evaluation"]
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_RESULTS)
def compare(request: Request, project: Project, pk: int) -> Response:
    """Compare a run on partial items with the run of the same model on whole items."""
    found = get_run(user=signed_in(request), project=project, pk=pk)
    with transaction.atomic():
        services.order_partial_comparison(actor=signed_in(request), run=found)
        return start(COMPARE_PARTIAL, found.pk, id=found.pk)


@extend_schema(
    parameters=[*PAGING, ResponseFilters],
    responses=page_of(ResponseSerializer),
    operation_id="runs_responses",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
def response_list(request: Request, project: Project, pk: int) -> Response:
    """Return the responses of a run, newest first. Reading them counts as seeing the keys of their items."""
    user = signed_in(request)
    found = get_run(user=user, project=project, pk=pk)
    rows = responses_in(found, **filters(request, ResponseFilters))

    def rows_of(some: Sequence[Any]) -> Iterator[dict[str, object]]:
        record_released_key_exposures(actor=user, released={row["item"] for row in some})
        for row in some:
            public_id = row.pop("item__public_id")
            del row["item"]
            yield {**row, "item_id": public_id}

    return page(request, rows, rows_of)


@extend_schema(
    responses={(200, "application/x-ndjson"): OpenApiTypes.BINARY},
    operation_id="runs_download",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
@FILES
def download(request: Request, project: Project, pk: int) -> Any:
    """Return the responses of a run as JSON lines, which `parable score` reads, streamed."""
    return responses_file(get_run(user=signed_in(request), project=project, pk=pk))
