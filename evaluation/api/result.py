"""Results of runs: tables as JSON and as files."""

from __future__ import annotations

from typing import Any, Final

from django.db import transaction
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation import services
from evaluation.api import FILES, named_release, named_runs
from evaluation.models import AnswerRule, Portion, ResultTables
from evaluation.page import reader_language, records_file, stored_table, table_file
from evaluation.queries.run import (
    TABLES,
    answered_runs,
    answers_since,
    get_results,
    results_of,
)
from jobs.endpoint import start
from jobs.queries import job_of
from parable.commands.results.words import word
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import PAGING, REPEATABLE, AcceptedSerializer, body, filters, one, page, page_of, tag
from web.requests import signed_in
from web.serializers import ListField

MOST_RUNS: Final = 60


class NewResultsSerializer(serializers.Serializer[Any]):
    """Runs on a release whose results are to be computed; `rule`: how raw answers are read."""

    release = serializers.CharField(max_length=40)
    runs = ListField(child=serializers.IntegerField(), max_length=MOST_RUNS)
    split = serializers.CharField(max_length=5, required=False)
    rule = serializers.CharField(max_length=10, required=False)


class ResultsSerializer(serializers.Serializer[ResultTables]):
    """A set of result tables. `counted_at`: when it was last computed; `is_waiting`: whether it will be."""

    id = serializers.IntegerField()
    release = serializers.CharField()
    split = serializers.CharField()
    rule = serializers.CharField()
    n_runs = serializers.IntegerField()
    is_waiting = serializers.BooleanField()
    counted_at = serializers.DateTimeField(allow_null=True)
    made_at = serializers.DateTimeField()


class OneResultsSerializer(ResultsSerializer):
    """A set of result tables with its runs and the names of its tables.

    `job`: its last job. `responses_since`: panel responses that came after it was computed.
    """

    runs = ListField(child=serializers.IntegerField(), max_length=MOST_RUNS)
    table_codes = serializers.ListField(child=serializers.CharField())
    job = serializers.IntegerField(allow_null=True)
    responses_since = serializers.IntegerField()


class TableColumnSerializer(serializers.Serializer[Any]):
    """A column. `kind`: the type of its values; `of`: the task, type, style or letter that it is about."""

    code = serializers.CharField()
    kind = serializers.CharField()
    of = serializers.CharField()
    n = serializers.IntegerField(allow_null=True)


class TableRowSerializer(serializers.Serializer[Any]):
    """A row. A cell is a name or code, a number, or a value with both ends of its interval, or null."""

    cells = serializers.ListField(child=serializers.JSONField())
    kind = serializers.CharField()
    has_drafted = serializers.BooleanField()


class TableSerializer(serializers.Serializer[Any]):
    """A result table. Shares are numbers from 0 to 1."""

    code = serializers.CharField()
    title = serializers.CharField()
    columns = TableColumnSerializer(many=True)
    rows = TableRowSerializer(many=True)


class ResultsAcceptedSerializer(AcceptedSerializer):
    """The accepted computation of results; `id` is that of the results."""

    id = serializers.IntegerField()


class ResultsFilters(serializers.Serializer[Any]):
    """Filters of the list of results."""

    release = serializers.CharField(max_length=40, required=False)
    split = serializers.ChoiceField(Portion.choices, required=False)


class TableFilters(serializers.Serializer[Any]):
    """The language of a table in a file: `en` or `zh`, by default the caller's."""

    language = serializers.CharField(max_length=2, required=False)


def _row(results: ResultTables, n_runs: int, *, is_waiting: bool) -> dict[str, object]:
    names = ("split", "rule", "counted_at", "made_at")
    shown = {name: getattr(results, name) for name in names}
    return {
        "id": results.pk,
        "release": results.release.version,
        "n_runs": n_runs,
        "is_waiting": is_waiting,
        **shown,
    }


@extend_schema(
    methods=["GET"],
    parameters=[*PAGING, ResultsFilters],
    responses=page_of(ResultsSerializer),
    operation_id="results_list",
    tags=["evaluation"],
)
@extend_schema(
    methods=["POST"],
    parameters=[REPEATABLE],
    request=NewResultsSerializer,
    responses={202: ResultsAcceptedSerializer},
    operation_id="results_create",
    tags=["evaluation"],
)
@project_endpoint(heavy=True, GET=Permission.SEE_RESULTS, POST=Permission.CHANGE_RESULTS)
def results_list(request: Request, project: Project) -> Response:
    """Return the results of the project, newest first; POST computes the results of runs.

    The same runs, split and rule give the same results, which are computed again.
    """
    if request.method == "GET":
        asked = filters(request, ResultsFilters)
        found = results_of(project).defer("tables", "release__manifest", "release__recipe")
        if "release" in asked:
            found = found.filter(release__version=asked.pop("release"))
        return page(
            request,
            found.filter(**asked),
            lambda rows: (_row(row, vars(row)["n"], is_waiting=vars(row)["is_waiting"]) for row in rows),
        )
    sent = {"split": Portion.BOTH, "rule": AnswerRule.PARABLE} | body(request, NewResultsSerializer)
    release = named_release(project, sent["release"])
    runs = named_runs(answered_runs(release), sent["runs"])
    with transaction.atomic():
        made = services.order_results(
            actor=signed_in(request), release=release, runs=runs, split=sent["split"], rule=sent["rule"]
        )
        return start(TABLES, made.pk, id=made.pk)


@extend_schema(responses=OneResultsSerializer, operation_id="results_read", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def results(request: Request, project: Project, pk: int) -> Response:
    """Return a set of results: its runs, and the names of its tables."""
    work = job_of(TABLES, pk)
    found = get_results(user=signed_in(request), project=project, pk=pk)
    runs = list(found.runs.order_by("pk").values_list("pk", flat=True))
    row = _row(found, len(runs), is_waiting=work is not None and work.is_unfinished) | {
        "runs": runs,
        "table_codes": [table["code"] for table in found.tables],
        "job": work.pk if work else None,
        "responses_since": answers_since(found) if found.counted_at else 0,
    }
    return one(request, row, tag(row))


@extend_schema(
    request=None,
    responses={202: ResultsAcceptedSerializer},
    operation_id="results_recalculate",
    tags=["evaluation"],
)
@project_endpoint(heavy=True, POST=Permission.CHANGE_RESULTS)
def recalculate(request: Request, project: Project, pk: int) -> Response:
    """Compute the results again, for example after more people of a panel have answered."""
    user = signed_in(request)
    found = get_results(user=user, project=project, pk=pk)
    with transaction.atomic():
        services.order_results(
            actor=user,
            release=found.release,
            runs=list(found.runs.all()),
            split=found.split,
            rule=found.rule,
        )
        return start(TABLES, found.pk, id=found.pk)


@extend_schema(responses=TableSerializer, operation_id="results_table", tags=["evaluation"])
@project_endpoint(GET=Permission.SEE_RESULTS)
def table(request: Request, project: Project, pk: int, table: str) -> Response:
    """Return one table of the results."""
    found = stored_table(get_results(user=signed_in(request), project=project, pk=pk), table)
    plain = found.as_json()
    shown = {name: plain[name] for name in ("code", "columns", "rows")}
    return Response(shown | {"title": word(found.code, reader_language())})


@extend_schema(
    parameters=[TableFilters],
    responses={
        (200, kind): OpenApiTypes.BINARY
        for kind in ("text/csv", "text/markdown", "application/x-tex", "image/svg+xml")
    },
    operation_id="results_table_download",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
@FILES
def download(request: Request, project: Project, pk: int, table: str, ending: str) -> Any:
    """Return one table as a file: `csv`, `md`, `tex` or, if it is drawn, `svg`."""
    found = get_results(user=signed_in(request), project=project, pk=pk)
    asked = filters(request, TableFilters)
    return table_file(found, table, ending, language=asked.get("language", ""))


@extend_schema(
    responses={(200, "application/zip"): OpenApiTypes.BINARY},
    operation_id="results_records",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
@FILES
def records(request: Request, project: Project, pk: int) -> Any:
    """Return the models' responses as Every Eval Ever records, which have keys, in a ZIP archive."""
    user = signed_in(request)
    return records_file(user, get_results(user=user, project=project, pk=pk))
