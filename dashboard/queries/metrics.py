"""The figures of the running site: what Prometheus reads, and what administrators see on a page.

Whichever process is asked has the figures of the whole site: requests, calls and money are counted in Redis
by all processes (`web.counters`), the rest is asked for. What is asked takes no longer in a larger project.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final, Literal, NamedTuple

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from redis.exceptions import RedisError

from core.backups import last_backup
from jobs.queries import unfinished_by_kind, worker_seen
from jobs.services.figures import CALLS, SPENT
from jobs.services.job_end import ENDED
from projects.models import Project
from review.queries.backlog import site_backlog
from web import counters
from web.counters import Name
from web.request_counts import BUCKETS, MICROSECONDS, REQUESTS, SECONDS

Kind = Literal["counter", "gauge", "histogram"]
QUEUES: Final = ("default", "llm")
SCHEDULER: Final = "beat"
"""The name under which the scheduler of periodic tasks is seen, beside the queues of workers."""
DATABASE: Final = "database"
REDIS: Final = "redis"
_MILLION: Final = 1_000_000


class Metric(NamedTuple):
    """A metric: its name, type, the names of its labels, and what it says."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    said: str


class Histogram(NamedTuple):
    """The values of a histogram: how many lie below each bound of `BUCKETS` and beyond, and their sum."""

    buckets: tuple[int, ...]
    total: float


class Sample(NamedTuple):
    """The value of a metric for some values of its labels."""

    metric: Metric
    labels: tuple[str, ...]
    value: float | Histogram


UP: Final = Metric("parable_dependency_up", "gauge", ("dependency",), "Whether a server responds.")
HTTP_REQUESTS: Final = Metric(
    "parable_http_requests_total",
    "counter",
    ("route", "method", "status"),
    "Requests, by name of the route, method and class of the status.",
)
HTTP_SECONDS: Final = Metric(
    "parable_http_request_duration_seconds",
    "histogram",
    ("route", "method"),
    "Time from the arrival of a request to its response, with the wait for a thread.",
)
REVIEW_OPEN: Final = Metric(
    "parable_review_requests_open",
    "gauge",
    ("stage",),
    "Review requests that nobody has claimed; at most 10000 are counted.",
)
REVIEW_AGE: Final = Metric(
    "parable_review_requests_oldest_age_seconds",
    "gauge",
    ("stage",),
    "How long the oldest open review request has waited.",
)
JOBS_OPEN: Final = Metric(
    "parable_jobs_unfinished",
    "gauge",
    ("kind", "state"),
    "Jobs that are pending or running; at most 10000 are counted.",
)
JOBS_AGE: Final = Metric(
    "parable_jobs_pending_oldest_age_seconds",
    "gauge",
    (),
    "How long the oldest pending job has waited.",
)
JOBS_ENDED: Final = Metric(
    "parable_jobs_finished_total", "counter", ("kind", "state"), "Jobs that are done, failed or cancelled."
)
QUEUE_LENGTH: Final = Metric(
    "parable_queue_messages", "gauge", ("queue",), "Tasks of Celery that wait for a worker."
)
SEEN: Final = Metric(
    "parable_worker_last_seen_timestamp_seconds",
    "gauge",
    ("queue",),
    "When a worker of the queue was last seen, or the scheduler (beat).",
)
CALLS_SENT: Final = Metric(
    "parable_llm_calls_total",
    "counter",
    ("outcome",),
    "Calls to language models: answered, or the code of the error.",
)
MONEY: Final = Metric("parable_llm_spent_total", "counter", ("currency",), "Money that calls have cost.")
BACKUP: Final = Metric(
    "parable_backup_last_timestamp_seconds", "gauge", (), "When the newest backup was made."
)
DISK_FREE: Final = Metric(
    "parable_disk_free_bytes", "gauge", (), "Free space where the data folder of this process lies."
)
DISK_SIZE: Final = Metric("parable_disk_size_bytes", "gauge", (), "Size of that disk.")

METRICS: Final = (
    *(UP, HTTP_REQUESTS, HTTP_SECONDS, REVIEW_OPEN, REVIEW_AGE, JOBS_OPEN, JOBS_AGE, JOBS_ENDED),
    *(QUEUE_LENGTH, SEEN, CALLS_SENT, MONEY, BACKUP, DISK_FREE, DISK_SIZE),
)


def samples(counts: Mapping[Name, int] | None = None) -> list[Sample]:
    """Return the samples of all metrics, without those of a server that does not respond.

    `counts` are the counters to use; by default, those since Redis was last emptied.
    """
    found = list(_machine())
    is_up = dict.fromkeys((DATABASE, REDIS), 1.0)
    asked: tuple[tuple[str, Callable[[], Iterable[Sample]]], ...] = (
        (REDIS, lambda: _counted(counters.totals() if counts is None else counts)),
        (REDIS, _workers),
        (DATABASE, _review),
        (DATABASE, _jobs),
    )
    for dependency, ask in asked:
        try:
            found += ask()
        except RedisError:
            is_up[REDIS] = 0.0
        except (DatabaseError, OSError):
            is_up[dependency] = 0.0
    return [*found, *(Sample(UP, (name,), value) for name, value in is_up.items())]


def _machine() -> Iterator[Sample]:
    with suppress(OSError):  # the data folder need not exist yet
        disk = shutil.disk_usage(settings.HOME)
        yield Sample(DISK_FREE, (), disk.free)
        yield Sample(DISK_SIZE, (), disk.total)
    if noted := last_backup(settings.HOME):
        yield Sample(BACKUP, (), noted.at.timestamp())


def _counted(counts: Mapping[Name, int]) -> Iterator[Sample]:
    buckets: defaultdict[tuple[str, ...], list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
    sums: Counter[tuple[str, ...]] = Counter()
    spent: Counter[int] = Counter()
    plain = {REQUESTS: HTTP_REQUESTS, ENDED: JOBS_ENDED, CALLS: CALLS_SENT}
    for (kind, *labels), amount in counts.items():
        if metric := plain.get(kind):
            yield Sample(metric, tuple(labels), amount)
        elif kind == SECONDS:
            buckets[tuple(labels[:-1])][int(labels[-1])] += amount
        elif kind == MICROSECONDS:
            sums[tuple(labels)] += amount
        elif kind == SPENT:
            spent[int(labels[0])] += amount
    for where, amounts in buckets.items():
        yield Sample(HTTP_SECONDS, where, Histogram(tuple(amounts), sums[where] / _MILLION))
    yield from _money(spent)


def _money(spent: Mapping[int, int]) -> Iterator[Sample]:
    """Sum up money by the projects' currencies."""
    if not spent:
        return
    sums: Counter[str] = Counter()
    for project, currency in Project.objects.filter(pk__in=spent).values_list("pk", "currency"):
        sums[currency] += spent[project]
    for currency, amount in sums.items():
        yield Sample(MONEY, (currency,), amount / _MILLION)


def _workers() -> Iterator[Sample]:
    for queue in QUEUES:
        yield Sample(QUEUE_LENGTH, (queue,), int(counters.client().llen(queue)))
    for name in (*QUEUES, SCHEDULER):
        if seen := worker_seen(name):
            yield Sample(SEEN, (name,), seen.timestamp())


def _review() -> Iterator[Sample]:
    for stage, backlog in site_backlog().items():
        yield Sample(REVIEW_OPEN, (stage,), backlog.open)
        yield Sample(REVIEW_AGE, (stage,), _age(backlog.oldest))


def _jobs() -> Iterator[Sample]:
    unfinished = unfinished_by_kind()
    for one in unfinished:
        yield Sample(JOBS_OPEN, (one.kind, one.state), one.count)
    pending = [one.oldest for one in unfinished if one.state == "pending"]
    yield Sample(JOBS_AGE, (), _age(min(pending, default=None)))


def _age(since: datetime | None) -> float:
    return max(0.0, (timezone.now() - since).total_seconds()) if since else 0.0
