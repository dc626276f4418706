"""The yield report of prompts and models, as a page, a chart and a table file."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from core.invariants import present
from core.numbers import whole_number
from generation.models import PromptTemplate, Purpose
from generation.queries.yields import OUTCOMES, Estimate, Filter, Report, Yield, report
from jobs.models import Endpoint
from parable import charts
from parable.charts import Chart
from parable.formats.table_writer import Cell, Sheet
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.charts import chart_file, reader_shares
from web.downloads import table_download
from web.numbers import percent
from web.requests import MemberRequest

DOWNLOADS: Final = ("csv", "xlsx")


@project_page(Permission.SEE_CANDIDATES)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the yield report for the filters in the query string, or return it as a CSV, XLSX or SVG file."""
    wanted = _filter(request)
    found = report(project, wanted)
    kind = request.GET.get("as", "")
    if kind in DOWNLOADS:
        return table_download([_sheet(project, found)], kind, f"{project.slug}-yield")
    chart = _chart(found)
    if kind == "svg":
        return chart_file(chart, f"{project.slug}-yield")
    names, urls = PromptTemplate.objects.filter(project=project).order_by("name"), {}
    for name in (*DOWNLOADS, "svg"):
        query = request.GET.copy()
        query["as"] = name
        urls[f"{name}_url"] = f"?{query.urlencode()}"
    context = {
        "project": project,
        "section": "candidates",
        "report": found,
        "rows": [_line(row, _links(project, wanted, row)) for row in found.rows],
        "total": _line(found.total, _links(project, wanted, found.total)),
        "chart": chart,
        "filter": wanted,
        "is_narrowed": wanted != Filter(),
        "names": names.values_list("name", flat=True).distinct(),
        "endpoints": Endpoint.objects.filter(project=project),
        "purposes": Purpose.choices,
        **urls,
    }
    return render(request, "generation/yield.html", context)


def _filter(request: MemberRequest) -> Filter:
    """Return the filters in the query string. Invalid values are left out."""
    sent = request.GET
    return Filter(
        template=sent.get("template", "").replace("\x00", ""),
        endpoint=whole_number(sent.get("endpoint", "")),
        purpose=sent.get("purpose", "") if sent.get("purpose") in Purpose.values else "",
        since=_day(sent.get("since", "")),
        until=_day(sent.get("until", "")),
        batch=whole_number(sent.get("batch", "")),
    )


def _day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class YieldRow:
    """One row of the yield report as displayed."""

    row: Yield
    label: str
    kept: str
    distance: str
    cost_each: str
    latency: str
    links: Mapping[str, str]


def _label(row: Yield) -> str:
    return f"{row.template} · {row.endpoint}" if row.template else _("Total")


def _links(project: Project, wanted: Filter, row: Yield) -> dict[str, str]:
    """Return, for each count of a row by name, a link to the candidates that it includes."""
    query = {
        "prompt": wanted.template,
        "purpose": wanted.purpose,
        "version": row.template.pk if row.template else "",
        "model": row.endpoint.pk if row.endpoint else wanted.endpoint or "",
        "batch": wanted.batch or "",
        "since": wanted.since or "",
        "until": wanted.until or "",
    }
    address = reverse("dashboard:candidates", args=[project.slug])
    filtered = {name: value for name, value in query.items() if value}
    return {name: f"{address}?{urlencode(filtered | {'outcome': name})}" for name in ("proposed", *OUTCOMES)}


def _line(row: Yield, links: Mapping[str, str]) -> YieldRow:
    each = row.cost_per_distractor
    latency = f"{_figure(row.median)} / {_figure(row.p95)}" if row.median is not None else "–"
    return YieldRow(
        row,
        _label(row),
        _per_cent(row.retention),
        _per_cent(row.distance),
        number_format(each, 4) if each is not None else "–",
        latency,
        links,
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else number_format(value, 1)


def _per_cent(seen: Estimate) -> str:
    """Return a share as text such as `31 % (22–42)`, or without the interval if there is none."""
    if seen.value is None:
        return "–"
    text = percent(seen.value, 0)
    if seen.low is None or seen.high is None:
        return text
    ends = {"low": f"{seen.low * 100:.0f}", "high": f"{seen.high * 100:.0f}"}
    return _("%(figure)s (%(low)s–%(high)s)") % {"figure": text, **ends}


def _sheet(project: Project, found: Report) -> Sheet:
    heading = [
        _("prompt"), _("version"), _("purpose"), _("endpoint"), _("model"), _("proposed"), _("used"),
        _("used unchanged"), _("share used"), _("share used, low"), _("share used, high"), _("mean edit"),
        _("mean edit, low"), _("mean edit, high"), _("distractors used"),
        _("cost (%(currency)s)") % {"currency": project.currency}, _("cost per distractor used"), _("calls"),
        _("failed calls"), _("refused calls"), _("latency, median (s)"), _("latency, 95 % (s)"),
    ]  # fmt: skip
    cells: list[list[Cell]] = []
    for row in found.rows:
        template = present(row.template, "only the total has none")
        endpoint = present(row.endpoint, "only the total has none")
        each = row.cost_per_distractor
        cells.append([
            template.name, template.version, template.get_purpose_display(), endpoint.name, endpoint.model,
            row.proposed, row.kept, row.unchanged, *_rounded(row.retention), *_rounded(row.distance),
            row.distractors, float(row.cost), round(float(each), 6) if each is not None else None, row.calls,
            row.failed, row.refused, row.median, row.p95,
        ])  # fmt: skip
    return Sheet(_("Yield"), heading, cells)


def _rounded(seen: Estimate) -> list[Cell]:
    return [None if value is None else round(value, 4) for value in (seen.value, seen.low, seen.high)]


def _chart(found: Report) -> Chart:
    """Return a chart of the share of used candidates for each prompt and model."""
    n = found.total.proposed
    caption = ngettext(
        "Share of proposals used, with 95 %% interval; %(n)d proposal",
        "Share of proposals used, with 95 %% interval; %(n)d proposals",
        n,
    ) % {"n": n}
    rows = []
    for row in found.rows:
        if row.proposed:
            seen = row.retention
            span = (seen.low or 0.0, seen.high or 0.0)
            label = f"{_per_cent(seen)} · n = {seen.n}"
            rows.append(charts.Row(_label(row), label, dots=[("dot", seen.value or 0.0)], span=span))
    return charts.by_row(caption, rows, reader_shares())
