"""The page with the figures of the running site, for administrators."""

from __future__ import annotations

import contextlib
import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET
from redis.exceptions import RedisError

from accounts.permissions import may_administer
from core.errors import require
from dashboard.queries import metrics
from dashboard.queries.metrics import Sample
from jobs.errors import sentence
from jobs.job_types import job_type_of
from jobs.models import JobState
from jobs.services.figures import ANSWERED
from review.models import Stage
from review.queries.backlog import MOST_COUNTED
from web import counters
from web.counters import Name
from web.numbers import percent
from web.request_counts import figures_by_route
from web.requests import signed_in

MOST_ROUTES: Final = 40
"""The most routes of the table: those that are requested most."""
NOTHING: Final = "–"
MINUTE: Final = 60
_GIGABYTE: Final = 1e9
_PLACE: Final = re.compile(r"%\(\w+\)s")
_QUEUES: Final = {
    "default": gettext_lazy("Background work"),
    "llm": gettext_lazy("Calls to language models"),
    metrics.SCHEDULER: gettext_lazy("Scheduler"),
}

Row = tuple[str, ...]


class Table(NamedTuple):
    """A table of the page. The first column has the names of the rows."""

    title: str
    columns: Row
    rows: Sequence[Row]
    note: str = ""

    @property
    def labelled(self) -> list[list[tuple[str, str]]]:
        """The rows with the name of the column before each cell, for narrow pages."""
        return [list(zip(self.columns, row, strict=True)) for row in self.rows]


class SiteStatus(NamedTuple):
    """The tables, the time since which requests, jobs and calls are counted, and what does not respond."""

    tables: list[Table]
    since: datetime
    silent: list[str]


@login_required
@require_GET
def show(request: HttpRequest) -> HttpResponse:
    """Show queues, jobs, calls, storage and requests of the whole site to administrators."""
    require(may_administer(signed_in(request)))
    return render(request, "dashboard/site_status.html", {"status": site_status()})


def site_status() -> SiteStatus:
    """Return the figures of the site: what waits now, and what was counted in this hour and the last."""
    counts: Mapping[Name, int] = {}
    since = time.time()
    with contextlib.suppress(RedisError):  # `samples` says so
        counts, since = counters.recent()
    by_metric: defaultdict[str, list[Sample]] = defaultdict(list)
    for one in metrics.samples(counts):
        by_metric[one.metric.name].append(one)
    tables = [make(by_metric) for make in (_queues, _reviews, _jobs, _calls, _storage)]
    names = {metrics.DATABASE: "PostgreSQL", metrics.REDIS: "Redis"}
    return SiteStatus(
        [*tables, _requests(counts)],
        datetime.fromtimestamp(since, UTC),
        [names[one.labels[0]] for one in by_metric[metrics.UP.name] if not one.value],
    )


Found = Mapping[str, list[Sample]]


def _values(found: Found, metric: metrics.Metric) -> dict[Row, float]:
    samples = found.get(metric.name, [])
    return {one.labels: one.value for one in samples if not isinstance(one.value, metrics.Histogram)}


def _queues(found: Found) -> Table:
    waiting, seen = _values(found, metrics.QUEUE_LENGTH), _values(found, metrics.SEEN)
    rows = [
        (
            str(name),
            _number(waiting.get((queue,))),
            _ago(seen[queue,]) if (queue,) in seen else _("never"),
        )
        for queue, name in _QUEUES.items()
    ]
    return Table(_("Workers"), (_("Queue"), _("Waiting messages"), _("Last active")), rows)


def _reviews(found: Found) -> Table:
    waiting, ages = _values(found, metrics.REVIEW_OPEN), _values(found, metrics.REVIEW_AGE)
    rows = [
        (str(stage.label), _at_most(waiting[stage,]), _duration(ages[stage,]))
        for stage in Stage
        if (stage,) in waiting
    ]
    return Table(_("Review queues"), (_("Stage"), _("Open requests"), _("Oldest waits")), rows)


def _jobs(found: Found) -> Table:
    kinds: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for metric in (metrics.JOBS_OPEN, metrics.JOBS_ENDED):
        for (kind, state), count in _values(found, metric).items():
            kinds[kind][state] = _at_most(count)
    states = (JobState.PENDING, JobState.RUNNING, JobState.DONE, JobState.FAILED)
    rows = [
        (_title_of(kind), *(counts.get(state, NOTHING) for state in states))
        for kind, counts in sorted(kinds.items())
    ]
    oldest = _values(found, metrics.JOBS_AGE).get((), 0.0)
    note = _("The oldest waiting job waits %(time)s.") % {"time": _duration(oldest)} if oldest else ""
    return Table(_("Jobs"), (_("Job"), *(str(state.label) for state in states)), rows, note)


def _title_of(kind: str) -> str:
    """Return the title of a job type, with dots for what a job is about."""
    found = job_type_of(kind)
    return _PLACE.sub("…", str(found.title)) if found else kind


def _calls(found: Found) -> Table:
    rows = [
        (_("answered") if code == ANSWERED else str(sentence(code)), _number(count))
        for (code,), count in sorted(_values(found, metrics.CALLS_SENT).items(), key=lambda one: -one[1])
    ]
    spent = [
        f"{number_format(amount, 2)} {currency}"
        for (currency,), amount in sorted(_values(found, metrics.MONEY).items())
    ]
    note = _("Spent: %(amounts)s.") % {"amounts": ", ".join(spent)} if spent else ""
    return Table(_("Calls to language models"), (_("Outcome"), _("Calls")), rows, note)


def _storage(found: Found) -> Table:
    free, size = (_values(found, metric).get(()) for metric in (metrics.DISK_FREE, metrics.DISK_SIZE))
    backup = _values(found, metrics.BACKUP).get(())
    rows = [(_("Newest backup"), _ago(backup) if backup else _("never"))]
    if free is not None and size:
        share = {"free": number_format(free / _GIGABYTE, 1), "share": percent(free / size)}
        rows.append((_("Free disk space"), _("%(free)s GB (%(share)s)") % share))
    return Table(_("Storage"), (_("Storage"), _("Now")), rows)


def _requests(counts: Mapping[Name, int]) -> Table:
    rows = [
        (one.route, _number(one.requests), _number(one.errors), _seconds(one.p95))
        for one in figures_by_route(counts)[:MOST_ROUTES]
    ]
    columns = (_("Route"), _("Requests"), _("Errors"), _("95th percentile"))
    return Table(_("Requests"), columns, rows)


def _number(value: float | None) -> str:
    return NOTHING if value is None else number_format(int(value), use_l10n=True, force_grouping=True)


def _at_most(value: float) -> str:
    shown = _number(value)
    return _("at least %(n)s") % {"n": shown} if value >= MOST_COUNTED else shown


def _seconds(value: float | None) -> str:
    return _("over 30 s") if value is None else _("%(n)s ms") % {"n": number_format(round(1000 * value))}


def _duration(seconds: float) -> str:
    now = timezone.now()
    return timesince(now - timedelta(seconds=seconds), now) if seconds else NOTHING


def _ago(moment: float) -> str:
    seen = datetime.fromtimestamp(moment, UTC)
    if time.time() - moment < MINUTE:
        return _("just now")
    return _("%(time)s ago") % {"time": timesince(seen)}
