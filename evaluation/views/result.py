"""Pages of results: the choice of runs, and tables with plots, also as files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import Hidden, Unusable
from evaluation import services
from evaluation.models import AnswerRule, ExamineeKind, OptionOrder, Portion, ResultTables, Run
from evaluation.page import reader_language, records_file, table_file
from evaluation.queries.calibration import newest_analysis
from evaluation.queries.result_item import (
    ANY_RULE,
    AT,
    DIFFER,
    OUTCOMES,
    PLACED,
    REPEATED,
    WRONG,
    CellItems,
    cells_of,
    items_behind,
    read_by_rule,
    runs_by_name,
    runs_of,
)
from evaluation.queries.run import (
    TABLES,
    answered_runs,
    answers_since,
    get_results,
    has_models,
    measurable_releases,
    newest_of_each,
    newest_results,
    portions,
    release_to_measure,
    results_of,
    split_of,
)
from evaluation.services.result import MOST_RUNS
from jobs.hooks import dispatch
from jobs.queries import job_of
from parable.charts import Chart
from parable.commands.results.files import endings_of
from parable.commands.results.layouts import CellText, about, cells, heading
from parable.commands.results.plots import plots
from parable.commands.results.words import word
from parable.psychometrics.results.tables import Table
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.models import Release
from web.long_list import CappedPaginator
from web.requests import MemberRequest

PAGE: Final = 20
ITEMS: Final = 30
LONG: Final = 30
"""A table with more rows than this is collapsed."""
FIRST: Final = "accuracy"
"""The name of the table that is displayed by default."""


@project_page(Permission.SEE_RESULTS, change=Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def choose(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form to choose runs, and earlier results; POST orders result tables of the chosen runs.

    Without parameters, the address leads to the newest results if there are any.
    """
    error = ""
    if request.method == "GET" and not request.GET and (newest := newest_results(project)) is not None:
        return redirect("evaluation:result", project.slug, newest)
    version = (request.POST or request.GET).get("release", "")
    if version:
        release = measurable_releases(project).filter(version=version).first()
    else:
        release = release_to_measure(project)
    runs = answered_runs(release) if release else []
    if request.method == "POST" and release is not None:
        chosen = [run for run in runs if str(run.pk) in request.POST.getlist("runs")]
        try:
            results = services.order_results(
                actor=request.user,
                release=release,
                runs=chosen,
                split=request.POST.get("split", ""),
                rule=request.POST.get("rule", AnswerRule.PARABLE),
            )
        except Unusable as refused:
            error = str(refused)
        else:
            dispatch(TABLES, results.pk)
            return redirect("evaluation:result", project.slug, results.pk)
    context = _choice(project, release, runs) | {
        "error": error,
        "page_obj": Paginator(results_of(project), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "evaluation/results.html", context, status=400 if error else 200)


def _choice(project: Project, release: Release | None, runs: list[Run]) -> dict[str, object]:
    chosen = newest_of_each(runs)[:MOST_RUNS]
    newest = {run.pk for run in chosen}
    # a label that many runs share is translated once
    splits = {value: str(label) for value, label in Portion.choices}
    orders = {value: str(label) for value, label in OptionOrder.choices}
    days = {run.pk: localdate(run.created_at) for run in runs}
    dates = {day: date_format(day, "DATE_FORMAT") for day in set(days.values())}
    rows = [
        {
            "pk": run.pk,
            "name": run.examinee.name,
            "split": splits[run.split],
            "repeats": run.repeats,
            "order": orders[run.order],
            "started": dates[days[run.pk]],
            "is_chosen": run.pk in newest,
            "is_panel": run.examinee.kind == ExamineeKind.PANEL,
            "has_drafted": bool(run.settings.get("drafted")),
        }
        for run in runs
    ]
    return {
        "project": project,
        "section": "evaluation",
        "release": release,
        "releases": measurable_releases(project),
        "splits": portions(project),
        "rules": AnswerRule.choices,
        "split": split_of(chosen),
        "runs": rows,
    }


@dataclass(frozen=True, slots=True)
class TableView:
    """A result table in the current language; each cell is (text, URL of its items or "")."""

    code: str
    title: str
    about: str
    headings: list[tuple[str, bool]]
    rows: list[list[tuple[CellText, str]]]
    charts: list[Chart]
    has_drafters: bool

    @property
    def is_long(self) -> bool:
        """Whether the page shows the table collapsed."""
        return len(self.rows) > LONG


@project_page(Permission.SEE_RESULTS)
@require_GET
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show one result table with its plots, as last computed."""
    work, results = job_of(TABLES, pk), get_results(user=request.user, project=project, pk=pk)
    language, runs = reader_language(), list(runs_of(results))
    by_code = {table["code"]: table for table in results.tables}
    view = request.GET.get("view", "")
    if view not in by_code:
        view = FIRST if FIRST in by_code else next(iter(by_code), "")
    counted = Table.from_json(by_code[view]) if view else None
    table = _shown(results, counted, runs_by_name(runs), language) if counted else None
    context = {
        "project": project,
        "section": "evaluation",
        "results": results,
        "work": work,
        "runs": runs,
        "has_records": results.counted_at is not None and has_models(runs),
        "since": answers_since(results) if results.counted_at else 0,
        "analysis": newest_analysis(results.release),
        "groups": _grouped(by_code, language),
        "view": view,
        "table": table,
        "drafted_note": word("drafted_note", language),
        "endings": [(ending, NAMES[ending]) for ending in (endings_of(counted) if counted else ())],
        "language": language,
    }
    return render(request, "evaluation/result.html", context)


def _grouped(codes: Collection[str], language: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the tables as groups, each with its name and the (code, title) of its tables."""
    names = {
        "scores": _("Scores"),
        "differences": _("Differences"),
        "answers": _("Answers"),
        "items": pgettext("tables of results", "Items"),
    }
    found = [(names[group], [code for code in tables if code in codes]) for group, tables in GROUPS.items()]
    return [(name, [(code, word(code, language)) for code in tables]) for name, tables in found if tables]


GROUPS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "scores": ("accuracy", "measures", "types", "styles", "figures"),
        "differences": ("pairs", "neighbours", "ranks", "erratum"),
        "answers": ("outcomes", "positions", "repeats", "generality", "variance"),
        "items": ("contents", "type_counts"),
    }
)
"""The tables of each group; a test fails if a table is in none."""
NAMES: Final = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX", "svg": "SVG"}


def _shown(results: ResultTables, table: Table, runs: Mapping[str, int], language: str) -> TableView:
    """Return a table view whose cells link to the items behind them."""
    view = table_view(table, language)
    for row, counted in zip(view.rows, table.rows, strict=True):
        for place, cell in enumerate(cells_of(table, counted, runs, results.rule)):
            each, _url = row[place]
            if cell and each.text not in {"0", "–"}:
                row[place] = each, items_address(results, cell)
    return view


def items_address(results: ResultTables, cell: CellItems) -> str:
    """Return the URL of the list of the items behind a cell."""
    address = reverse("evaluation:result_items", args=[results.release.project.slug, results.pk])
    return f"{address}?{urlencode(cell.parameters())}"


def table_view(table: Table, language: str) -> TableView:
    """Return the view model of a table, with its charts, in this language."""
    return TableView(
        code=table.code,
        title=word(table.code, language),
        about=about(table, language),
        headings=[
            (heading(column, language), column.kind not in {"name", "code"}) for column in table.columns
        ],
        rows=[[(each, "") for each in cells(table, row, language)] for row in table.rows],
        charts=plots(table, language),
        has_drafters=table.has_drafters,
    )


@project_page(Permission.SEE_RESULTS)
@require_GET
def show_items(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the items behind a cell of a table. The query string has the cell's filters (see `CellItems`)."""
    results = get_results(user=request.user, project=project, pk=pk)
    runs = {run.pk: run for run in runs_of(results)}
    cell = _cell(request, runs)
    if results.rule != AnswerRule.PARABLE and cell.outcome not in ANY_RULE:
        raise Unusable(
            _(
                "These results read answers by another rule. Items by outcome are listed for results "
                "that use Parable's rules."
            )
        )
    page = CappedPaginator(items_behind(results, cell, runs), ITEMS).get_page(request.GET.get("page"))
    read_by_rule(results, cell, list(page))
    context = {
        "project": project,
        "section": "evaluation",
        "results": results,
        "run": runs.get(cell.run or 0),
        "second": runs.get(cell.second or 0),
        "cell": cell,
        "said": _said(cell),
        "page_obj": page,
        "lang": project.lang,
    }
    return render(request, "evaluation/result_items.html", context)


def _cell(request: MemberRequest, runs: Mapping[int, Run]) -> CellItems:
    """Return the filters in the query string. The default is the first run; run 0 is the release.

    Raise `Hidden` if a value is unknown.
    """
    asked = {name: request.GET.get(name, "").replace("\x00", "")[:80] for name in ("task", "type", "style")}
    known, outcome = {str(pk): pk for pk in runs}, request.GET.get("outcome", "")
    run, split = request.GET.get("run", next(iter(known), "")), request.GET.get("split", "")
    if run not in {"0", *known} or outcome not in {"", *OUTCOMES} or split not in {"", *Portion.values}:
        raise Hidden(_("Results not found."))
    return CellItems(
        known.get(run),
        known.get(request.GET.get("second", "")),
        split=split,
        outcome=outcome,
        same_order="same_order" in request.GET,
        **asked,
    )


def _said(cell: CellItems) -> list[str]:
    """Return the labels of the filters of a cell."""
    language = reader_language()
    split = str(Portion(cell.split).label) if cell.split else ""
    order = word("same_order", language) if cell.same_order else ""
    return [
        *filter(None, [split]),
        *(word(code, language) for code in (cell.task, cell.type, cell.style) if code),
        *filter(None, [_outcome(cell.outcome, language), order]),
    ]


def _outcome(outcome: str, language: str) -> str:
    if outcome in AT:
        called, _under, letter = outcome.rpartition("_")
        chosen = called == PLACED["excess"]
        return (_("chosen at %(letter)s") if chosen else _("key at %(letter)s")) % {"letter": letter}
    sentences = {"": "", WRONG: _("not correct"), REPEATED: _("answered more than once")}
    column = {DIFFER: "column_any_differ"}.get(outcome, f"column_{outcome}")
    return sentences[outcome] if outcome in sentences else word(column, language)


@project_page(Permission.CHANGE_RESULTS)
@require_POST
def recalculate(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Order the result tables to be computed again."""
    results = get_results(user=request.user, project=project, pk=pk)
    services.order_results(
        actor=request.user,
        release=results.release,
        runs=list(results.runs.all()),
        split=results.split,
        rule=results.rule,
    )
    dispatch(TABLES, results.pk)
    return redirect("evaluation:result", project.slug, pk)


@project_page(Permission.SEE_RESULTS)
@require_GET
def download(request: MemberRequest, project: Project, pk: int, table: str, ending: str) -> HttpResponse:
    """Return one table as a file, in the language of the query string or the current language."""
    results = get_results(user=request.user, project=project, pk=pk)
    is_download = ending != "svg" or "download" in request.GET
    language = request.GET.get("language", "")
    return table_file(results, table, ending, language=language, is_download=is_download)


@project_page(Permission.SEE_RESULTS)
@require_GET
def download_records(request: MemberRequest, project: Project, pk: int) -> StreamingHttpResponse:
    """Return the models' responses as a ZIP archive of Every Eval Ever records, streamed."""
    return records_file(request.user, get_results(user=request.user, project=project, pk=pk))
