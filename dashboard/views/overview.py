"""Page of the overview: progress, pace, coverage, cost, and notices."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.models import User
from annotation.models import Item, State
from core.errors import Hidden
from corpus.models import Story
from dashboard.forecast import PACE_DAYS
from dashboard.forms import OverviewFilter
from dashboard.queries.coverage import COVERING, Coverage, coverage
from dashboard.queries.overview import (
    REVIEWER,
    SHOWN_STATES,
    STORY,
    TYPE,
    WRITER,
    funnel_by,
    submitted_items,
)
from dashboard.queries.overview_counts import OverviewCounts, count_overview
from dashboard.queries.pace import (
    REVIEWED,
    VERIFIED,
    Stay,
    Throughput,
    outlook,
    throughput,
)
from dashboard.tasks import order_recount
from dashboard.views import figures
from dashboard.views.coverage import type_cells
from dashboard.views.item_links import ItemLinks
from jobs.queries import budget_state, cost_by_model
from parable import charts
from parable.charts import Chart
from parable.formats.table_writer import Cell, Sheet
from projects.models import CommonsenseType, Project
from projects.page import project_page
from projects.permissions import Permission
from release.queries.provenance import FEWEST_PEOPLE
from review.models import Flaw, Stage
from review.queries import STATE_OF, blocked_requests
from review.queries.blocked import blocked_in
from web.charts import chart_file
from web.downloads import XLSX, table_download
from web.requests import MemberRequest

SVG = "svg"
PAGE = 50
MOST_PEOPLE = 10
MOST_COSTS = 10
MOST_BLOCKED = 5
MOST_EXPORTED = 100_000


@project_page(Permission.SEE_PROJECT)
@require_GET
def overview(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the progress of items, with the filters and grouping in the query string."""
    narrowing = OverviewFilter(request.GET, has_types=project.has_types)
    wanted, group = narrowing.wanted(), narrowing.group()
    items = submitted_items(project, **wanted)
    renew = partial(order_recount, project, wanted, group)
    found = count_overview(project, items, wanted=wanted, group=group, renew=renew)
    counted = found.counted
    # only groups by story are so many that they are read page by page
    grouped = funnel_by(items, group) if found.groups is None else found.groups
    page = Paginator(grouped, PAGE).get_page(request.GET.get("page"))
    # the number is cheap to compute, however long the queue; the requests are read only if there are any
    all_blocked = blocked_in([project.pk]).get(project.pk, 0)
    blocked = blocked_requests(project, limit=MOST_BLOCKED) if all_blocked else []
    links, flaws = ItemLinks(project, _types(project), wanted), dict(Flaw.choices)
    context = {
        "project": project,
        "filter": narrowing,
        "states": _states(counted, found.stays, links),
        "all": counted["all"],
        "verified": counted[State.VERIFIED.value],
        "group": group,
        "page_obj": page,
        "rows": [
            row
            | {"url": _narrower(request, project, group, row["key"])}
            | {"cells": _cells(links.narrowed(group, row["key"]), row)}
            for row in _rows(page, group, links.types)
        ],
        "narrowed_to": [
            (name, label, wanted[name], _wider(request, name))
            for name, label in _narrowed_to(project, wanted, links.types)
        ],
        "exports": request.GET.urlencode(),
        "standing": found,
        "oldest": [
            (Stage(one.stage).label, one, ItemLinks(project).to(state=STATE_OF[Stage(one.stage)]))
            for one in found.oldest
        ],
        "causes": [(str(flaws.get(flaw, flaw)), n, links.to(flaw=flaw)) for flaw, n in found.causes],
        "blocked": blocked,
        "all_blocked": all_blocked,
        "more_blocked": all_blocked - len({one.request.item_id for one in blocked}),
        "now": timezone.now(),
        **_work(found.done, links),
    }
    if found.coverage is not None:
        context |= _whole(project, found, found.coverage, blocked=all_blocked)
    return render(request, "dashboard/overview.html", context)


def _cells(links: ItemLinks, row: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Return the counts of a row, each with a link to the counted items."""
    cells = [(n, links.to(state=state)) for n, state in zip(row["counts"], SHOWN_STATES, strict=True)]
    return [(row["all"], links.submitted()), *cells]


def _work(done: Throughput, links: ItemLinks) -> dict[str, Any]:
    """Return the context of the work of the last days: a chart, and the most active people."""
    people, period = done.people(), {"since": str(done.days[0]), "until": str(done.days[-1])}
    return {
        "work": figures.throughput_chart(done) if people else None,
        "work_names": figures.work_names().values(),
        "since": done.days[0],
        "until": done.days[-1],
        "people": [
            (
                one,
                charts.columns(_("Work by day"), one.by_day),
                [(n, links.to(done=work, by=one.person.pk, **period)) for work, n in one.counts.items()],
            )
            for one in people[:MOST_PEOPLE]
        ],
        "more_people": len(people[MOST_PEOPLE:]),
    }


def _whole(project: Project, standing: OverviewCounts, found: Coverage, *, blocked: int) -> dict[str, Any]:
    """Return the context about the whole project, which a page with filters does not need."""
    budget, costs = budget_state(project), cost_by_model(project)
    done, links = standing.done, ItemLinks(project)
    ends = outlook(project, standing.counted, done.pace)
    overdue = figures.overdue_stories(project)
    return {
        "notices": figures.notices(
            project, blocked=blocked, oldest=standing.oldest, overdue=overdue, budget=budget
        ),
        "outlook": ends,
        "review_time": standing.review_time,
        "paced_url": links.to(done=VERIFIED, since=str(done.days[-PACE_DAYS - 1]), until=str(done.days[-2])),
        "reviewed_url": links.to(done=REVIEWED, since=str(done.days[0])),
        "fewest_people": FEWEST_PEOPLE,
        "forecast": figures.forecast_words(ends),
        "coverage": [
            (one, one.type.name_in(get_language() or "en"), type_cells(project, one))
            for one in (found.types if project.has_types else ())
        ],
        "coverage_chart": figures.coverage_chart(found.types),
        "buckets": figures.bucket_names(),
        "least": [(one, links.narrowed(STORY, one.story.pk).to(state=COVERING)) for one in found.least],
        "covered": found,
        "budget": budget,
        "costs": costs[:MOST_COSTS],
        "more_costs": len(costs[MOST_COSTS:]),
    }


def _narrower(request: HttpRequest, project: Project, group: str, key: int) -> str:
    """Return the address of this page, filtered by one row and grouped by type or by writer."""
    query = request.GET.copy()
    query.pop("page", None)
    query[group], query["by"] = str(key), TYPE if project.has_types and group != TYPE else WRITER
    return f"?{query.urlencode()}"


def _wider(request: HttpRequest, name: str) -> str:
    query = request.GET.copy()
    for gone in (name, "page"):
        query.pop(gone, None)
    return f"?{query.urlencode()}"


def _states(
    counted: Mapping[str, int], stayed: Mapping[str, Stay], links: ItemLinks
) -> list[tuple[Any, ...]]:
    """Return (state, label, number of items, median time, 90th percentile, link) for each state."""
    rows: list[tuple[Any, ...]] = []
    for state in SHOWN_STATES:
        stay = stayed.get(state)
        times = (figures.duration(stay.median), figures.duration(stay.p90)) if stay else ("–", "–")
        link = links.to(state=state.value)
        rows.append((state.value, str(state.label), counted[state.value], *times, link))
    return rows


def _rows(
    page: Iterable[Mapping[str, Any]], group: str, types: Mapping[int, CommonsenseType]
) -> list[dict[str, Any]]:
    language = get_language() or "en"
    names = {pk: kind.name_in(language) for pk, kind in types.items()} if group == TYPE else {}
    return [
        {
            "key": row["key"],
            "name": names.get(row["key"], row["name"]),
            "all": row["all"],
            "counts": [row[state.value] for state in SHOWN_STATES],
        }
        for row in page
    ]


def _types(project: Project) -> dict[int, CommonsenseType]:
    return {kind.pk: kind for kind in CommonsenseType.objects.filter(project=project)}


def _narrowed_to(
    project: Project, wanted: Mapping[str, Any], types: Mapping[int, CommonsenseType]
) -> list[tuple[str, str]]:
    """Return the active filters that links from rows have set, as pairs of parameter and label."""
    found: list[tuple[str, str]] = []
    for name in (WRITER, REVIEWER):
        if wanted.get(name):
            person = User.objects.filter(pk=wanted[name], memberships__project=project).first()
            found.append((name, str(person) if person else _("not a member of this project")))
    if wanted.get(STORY):
        story = Story.objects.filter(pk=wanted[STORY], project=project).select_related("current").first()
        found.append(
            (STORY, story.current.title if story and story.current else _("not a story of this project"))
        )
    if wanted.get(TYPE):
        kind = types.get(wanted[TYPE])
        named = kind.name_in(get_language() or "en") if kind else _("not a type of this project")
        found.append((TYPE, named))
    return found


@project_page(Permission.SEE_PROJECT)
@require_GET
def export(request: MemberRequest, project: Project, kind: str) -> HttpResponse:
    """Return a file: one table of the overview, one of its charts, or a workbook of all tables.

    `table` in the query string names the table or chart; without it, the table of the page's rows is
    returned. Raise `Hidden` if the name is unknown.
    """
    narrowing = OverviewFilter(request.GET, has_types=project.has_types)
    wanted, group = narrowing.wanted(), narrowing.group()
    items, name = submitted_items(project, **wanted), request.GET.get("table", "")
    if kind == SVG:
        return chart_file(_chart(project, items, name), f"{project.slug}-{name}")
    tables = figures.sheets(project, items, whole=not wanted)
    if name in tables:
        return table_download([tables[name]()], kind, f"{project.slug}-{name}")
    if name:
        raise Hidden(_("Table not found."))
    rows = _rows(funnel_by(items, group)[:MOST_EXPORTED], group, _types(project))
    cells: list[list[Cell]] = [[row["name"], row["all"], *row["counts"]] for row in rows]
    heading = [_("name"), _("all"), *(str(state.label) for state in SHOWN_STATES)]
    sheet = Sheet(_("items"), heading, cells)
    others = [read() for read in tables.values()] if kind == XLSX else []
    return table_download([sheet, *others], kind, f"{project.slug}-{group}")


def _chart(project: Project, items: QuerySet[Item], name: str) -> Chart:
    """Return the chart of this name. Raise `Hidden` if there is none."""
    if name == "days":
        return figures.throughput_chart(throughput(items))
    if name == "coverage":
        return figures.coverage_chart(coverage(project).types)
    raise Hidden(_("Chart not found."))
