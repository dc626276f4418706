"""Texts, charts, tables and notices of the overview."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.timesince import timesince
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from annotation.models import Item, State
from annotation.queries.assignment import progress
from dashboard.forecast import IN_PROGRESS, LEAST_DAYS, LEAST_ITEMS, PACE_DAYS, Unknown, forecast
from dashboard.queries.coverage import BUCKETS, Coverage, TypeCoverage, coverage
from dashboard.queries.overview import BUDGET_LEFT, Oldest, funnel
from dashboard.queries.pace import (
    DAYS,
    REVIEWED,
    SUBMITTED,
    VERIFIED,
    WORK,
    Outlook,
    Throughput,
    outlook,
    stays,
    throughput,
)
from jobs.queries import BudgetState, cost_by_model
from parable import charts
from parable.charts import Chart
from parable.formats.table_writer import Cell, Sheet
from projects.models import Project
from review.models import Stage
from review.queries.request import STATE_OF
from web.charts import reader_shares


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about a state that a manager should change, with a link."""

    text: str
    url: str
    action: str


def notices(
    project: Project, *, blocked: int, oldest: Iterable[Oldest], overdue: int, budget: BudgetState
) -> list[Notice]:
    """Return the notices that apply to the project, most urgent first.

    `blocked`: the number of items that nobody can review. `overdue`: the number of overdue stories.
    """
    found = []
    if blocked:
        text = ngettext("No one can review %(n)s item.", "No one can review %(n)s items.", blocked)
        found.append(Notice(text % {"n": blocked}, "#blocked", _("Assign reviewers")))
    for one in oldest:
        if one.has_waited_long:
            stage = Stage(one.stage)
            text = _("%(stage)s: the oldest request has waited for %(time)s.")
            time = timesince(one.since, depth=1) if one.since else ""
            url = f"{_page(project, 'dashboard:items')}?state={STATE_OF[stage]}"
            found.append(Notice(text % {"stage": stage.label, "time": time}, url, _("View items")))
    if overdue:
        text = ngettext("%(n)s assigned story is overdue.", "%(n)s assigned stories are overdue.", overdue)
        found.append(
            Notice(text % {"n": overdue}, _page(project, "annotation:assignments"), _("View assignments"))
        )
    if budget.limit and budget.left is not None and float(budget.left / budget.limit) < BUDGET_LEFT:
        text = _("Less than %(share)s %% of the model budget is left.") % {"share": round(100 * BUDGET_LEFT)}
        found.append(Notice(text, _page(project, "generation:endpoints"), _("Change budget")))
    return found


def _page(project: Project, name: str) -> str:
    return reverse(name, args=[project.slug])


def overdue_stories(project: Project) -> int:
    """Return how many assigned stories still lack items after their due date."""
    return sum(one.overdue for one in progress(project))


def duration(seconds: float) -> str:
    """Return a duration as text in minutes, hours or days; hours and days have one decimal."""
    if seconds < timedelta(hours=1).total_seconds():
        return _("%(n)s min") % {"n": round(seconds / 60)}
    if seconds < timedelta(days=2).total_seconds():
        return _("%(n)s h") % {"n": number_format(seconds / 3600, 1)}
    return _("%(n)s d") % {"n": number_format(seconds / 86_400, 1)}


def short_duration(seconds: float) -> str:
    """Return a duration as text in whole seconds below two minutes, else as `duration` does."""
    if seconds < timedelta(minutes=2).total_seconds():
        return _("%(n)s s") % {"n": round(seconds)}
    return duration(seconds)


def forecast_words(found: Outlook) -> str:
    """Return the forecast as a sentence, or the reason why there is none."""
    ends = found.ends()
    if ends is not None:
        first, last = (date_format(day) for day in ends)
        text = _("At the pace of the last %(n)s days: %(first)s to %(last)s.")
        return text % {"n": PACE_DAYS, "first": first, "last": last}
    if found.found == Unknown.DONE:
        return _("All planned items are verified.") if found.planned else _("Nothing is planned yet.")
    if found.found == Unknown.TOO_UNEVEN:
        return _("No forecast: the pace is too slow or too uneven.")
    text = _("No forecast yet: it requires %(items)s items verified on %(days)s of the last %(n)s days.")
    return text % {"items": LEAST_ITEMS, "days": LEAST_DAYS, "n": PACE_DAYS}


def coverage_words(found: Coverage, pace: Sequence[int]) -> str:
    """Return a sentence that forecasts when stories can meet the targets, if every new item fills a gap."""
    if not found.missing:
        return _("All stories meet the targets.")
    missing = ngettext(
        "At least %(n)s item is missing from the targets.",
        "At least %(n)s items are missing from the targets.",
        found.missing,
    ) % {"n": found.missing}
    ends = Outlook(found.missing, 0, found.missing, forecast(pace, found.missing))
    return f"{missing} {forecast_words(ends)}"


def work_names() -> dict[str, str]:
    """Return the names of the kinds of work in the table by day."""
    return {SUBMITTED: _("Submitted"), REVIEWED: _("Reviewed"), VERIFIED: _("Verified")}


def throughput_chart(found: Throughput) -> Chart:
    """Return the chart of the work done on each day."""
    names, days = work_names(), [date_format(day, "MONTH_DAY_FORMAT") for day in found.days]
    counts = {work: found.by_day(work) for work in WORK}
    text = _("%(n)s in all, at most %(most)s a day")
    strips = [(names[work], text % {"n": sum(n), "most": max(n)}, n) for work, n in counts.items()]
    heading = [_("Day"), *(names[work] for work in WORK)]
    rows = [heading, *zip(days, *counts.values(), strict=True)]
    return charts.by_day(_("Work by day, last %(n)s days") % {"n": DAYS}, days, strips, rows=rows)


def bucket_names() -> list[str]:
    """Return the labels of `BUCKETS`, the numbers of items of a type: 0, 1, 2, and 3 or more."""
    *exact, most = BUCKETS
    names = [ngettext("%(n)s item", "%(n)s items", n) % {"n": n} for n in exact]
    return [*names, _("%(n)s or more") % {"n": most}]


def coverage_chart(found: Sequence[TypeCoverage]) -> Chart:
    """Return a chart with a row for each type: the shares of stories with 0, 1, 2, and 3 or more items."""
    names, language = bucket_names(), get_language() or "en"
    rows = []
    for one in found:
        stories = sum(one.stories)
        covered = _("%(n)s of %(all)s stories") % {"n": stories - one.stories[0], "all": stories}
        rows.append(
            charts.Row(
                one.type.name_in(language),
                covered,
                parts=[
                    (f"part n{n}", share, f"{name}: {count}")
                    for n, share, name, count in zip(BUCKETS, one.shares, names, one.stories, strict=True)
                ],
            )
        )
    legend = [(f"part n{n}", name) for n, name in zip(BUCKETS, names, strict=True)]
    return charts.by_row(_("Stories by items of each type"), rows, reader_shares(), legend=legend)


# --- tables for export ---


def sheets(project: Project, items: QuerySet[Item], *, whole: bool) -> Mapping[str, Callable[[], Sheet]]:
    """Return functions that compute the overview's tables, by name of the table.

    `whole`: whether to include the tables to which filters do not apply.
    """
    found = {"time": lambda: _stays(items), "days": lambda: _days(items), "people": lambda: _people(items)}
    if whole:
        found |= {
            "forecast": lambda: _forecast(project, items),
            "coverage": lambda: _coverage(project),
            "stories": lambda: _stories(project),
            "cost": lambda: _cost(project),
        }
    return found


def _stays(items: QuerySet[Item]) -> Sheet:
    found = stays(items)
    heading = [_("State"), _("Items"), _("Median, hours"), _("90th percentile, hours")]
    rows: list[list[Cell]] = [
        [str(State(state).label), one.n, round(one.median / 3600, 2), round(one.p90 / 3600, 2)]
        for state in IN_PROGRESS
        if (one := found.get(state))
    ]
    return Sheet(_("Time in state"), heading, rows)


def _days(items: QuerySet[Item]) -> Sheet:
    found, names = throughput(items), work_names()
    counts = zip(*(found.by_day(work) for work in WORK), strict=True)
    rows: list[list[Cell]] = [[day.isoformat(), *done] for day, done in zip(found.days, counts, strict=True)]
    return Sheet(_("Work by day"), [_("Day"), *names.values()], rows)


def _people(items: QuerySet[Item]) -> Sheet:
    names = work_names()
    rows: list[list[Cell]] = [
        [str(one.person), *(one.counts[work] for work in WORK)] for one in throughput(items).people()
    ]
    return Sheet(_("Work by person"), [pgettext("person", "Name"), *names.values()], rows)


def _forecast(project: Project, items: QuerySet[Item]) -> Sheet:
    found = outlook(project, funnel(items), throughput(items).pace)
    ends = found.ends()
    first, last = (ends[0].isoformat(), ends[1].isoformat()) if ends else (None, None)
    rows: list[list[Cell]] = [
        [_("Planned items"), found.planned],
        [_("Verified items"), found.verified],
        [_("Items left"), found.left],
        [_("Verified a day"), None if found.pace is None else round(found.pace, 2)],
        [_("Earliest end"), first],
        [_("Latest end"), last],
    ]
    return Sheet(_("Forecast"), [_("Figure"), _("Value")], rows)


def _coverage(project: Project) -> Sheet:
    language = get_language() or "en"
    rows: list[list[Cell]] = [[one.type.name_in(language), *one.stories] for one in coverage(project).types]
    return Sheet(_("Coverage"), [_("Type"), *bucket_names()], rows)


def _stories(project: Project) -> Sheet:
    found, language = coverage(project), get_language() or "en"
    rows: list[list[Cell]] = [
        [one.story.ref, str(one.story), one.types, one.items, *one.by_type] for one in found.least
    ]
    names = [one.type.name_in(language) for one in found.types]
    heading = [_("ID"), _("Story"), _("Types"), _("Items"), *names]
    return Sheet(_("Least covered stories"), heading, rows)


def _cost(project: Project) -> Sheet:
    cost = _("Cost in %(currency)s") % {"currency": project.currency}
    rows: list[list[Cell]] = [
        [one.endpoint, one.model, one.calls, one.tokens, float(one.cost)] for one in cost_by_model(project)
    ]
    return Sheet(_("Model cost"), [_("Endpoint"), _("Model"), _("Calls"), _("Tokens"), cost], rows)
