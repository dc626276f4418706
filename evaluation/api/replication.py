"""Published figures of a paper beside our results."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation import services
from evaluation.api import FILES
from evaluation.api.result import TableColumnSerializer, TableRowSerializer
from evaluation.models import PublishedFigures, ResultTables
from evaluation.page import figures_template, published_file
from evaluation.queries.replication import comparison, published_beside
from evaluation.queries.run import get_results
from parable.psychometrics.results.papers import PAPERS
from parable.psychometrics.results.replication import replication_table
from projects.endpoint import project_endpoint
from projects.models import Project
from projects.permissions import Permission
from web.endpoint import body
from web.files import takes_files
from web.requests import signed_in


class NewPublishedFiguresSerializer(serializers.Serializer[PublishedFigures]):
    """A CSV file of published figures, as the template has it, and where the figures were published."""

    file = serializers.FileField()
    published_in = serializers.CharField(max_length=300, required=False, allow_blank=True)


class PaperSerializer(serializers.Serializer[PublishedFigures]):
    """A paper whose figures this site knows."""

    paper = serializers.CharField(max_length=100)


class PublishedFiguresSerializer(serializers.Serializer[PublishedFigures]):
    """Published figures beside ours, one row for each; no rows until figures were stored.

    `papers`: those whose figures this site knows.
    """

    published_in = serializers.CharField()
    name = serializers.CharField()
    papers = serializers.ListField(child=serializers.CharField())
    columns = TableColumnSerializer(many=True)
    rows = TableRowSerializer(many=True)


def _results(request: Request, project: Project, pk: int) -> ResultTables:
    return get_results(user=signed_in(request), project=project, pk=pk)


def _row(results: ResultTables) -> dict[str, object]:
    found = published_beside(results)
    about = {
        "published_in": found.source if found else "",
        "name": found.name if found else "",
        "papers": list(PAPERS),
    }
    if found is None:
        return {**about, "columns": [], "rows": []}
    table = replication_table(comparison(results, found)).as_json()
    return {**about, "columns": table["columns"], "rows": table["rows"]}


@takes_files(services.LARGEST_FIGURES)
@extend_schema(
    methods=["GET"],
    responses=PublishedFiguresSerializer,
    operation_id="results_published",
    tags=["evaluation"],
)
@extend_schema(
    methods=["POST"],
    request=NewPublishedFiguresSerializer,
    responses=PublishedFiguresSerializer,
    operation_id="results_published_store",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS, POST=Permission.CHANGE_RESULTS)
@parser_classes([MultiPartParser])
def published(request: Request, project: Project, pk: int) -> Response:
    """Return published figures beside ours; POST stores the figures of a file, in place of earlier ones."""
    results = _results(request, project, pk)
    if request.method == "POST":
        sent = body(request, NewPublishedFiguresSerializer)
        services.keep_figures(
            actor=signed_in(request),
            results=results,
            name=sent["file"].name,
            data=sent["file"].read(),
            source=sent.get("published_in", ""),
        )
    return Response(_row(results))


@extend_schema(
    request=PaperSerializer,
    responses=PublishedFiguresSerializer,
    operation_id="results_published_paper",
    tags=["evaluation"],
)
@project_endpoint(POST=Permission.CHANGE_RESULTS)
def paper(request: Request, project: Project, pk: int) -> Response:
    """Store the figures of a paper that this site knows, in place of earlier ones."""
    results = _results(request, project, pk)
    services.keep_paper(actor=signed_in(request), results=results, **body(request, PaperSerializer))
    return Response(_row(results))


@extend_schema(
    responses={(200, "text/csv"): OpenApiTypes.BINARY},
    operation_id="results_published_template",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
@FILES
def template(request: Request, project: Project, pk: int) -> Any:
    """Return a CSV file with a row for each of our figures, to be filled with published ones."""
    return figures_template(_results(request, project, pk))


@extend_schema(
    responses={
        (200, kind): OpenApiTypes.BINARY for kind in ("text/csv", "text/markdown", "application/x-tex")
    },
    operation_id="results_published_download",
    tags=["evaluation"],
)
@project_endpoint(GET=Permission.SEE_RESULTS)
@FILES
def download(request: Request, project: Project, pk: int, ending: str) -> Any:
    """Return the comparison as a file: `csv`, `md` or `tex`."""
    return published_file(_results(request, project, pk), ending)
