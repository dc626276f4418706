"""Dispatches pending calls, and recovers lost calls after a worker was killed or a message was lost."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from jobs.errors import LOST
from jobs.models import OPEN, Call, CallState, Endpoint, EndpointKind, Job, JobState
from jobs.services import budget
from jobs.services.control import finish_job, lock_job

MOST_LOSSES: Final = 5
SWEEPS: Final = "jobs:sweeps"
# Sweeps run every ten seconds; if none ran for this long, a server or the site was down.
PAUSE: Final = timedelta(seconds=25)


def grace() -> timedelta:
    """Return how long after its time-out a call counts as lost.

    Another worker then takes the call.
    """
    return timedelta(seconds=settings.LLM_LOST_SECONDS)


@transaction.atomic
def wake_calls(*, job_id: int) -> list[int]:
    """Return the ids of pending calls to dispatch now, as many as the job's endpoints have free slots.

    If jobs of the same kind share an endpoint, the job with the fewest calls in flight goes first, so the ids
    may be of those jobs, too. No call is dispatched twice within `grace()`, nor if its job is paused, over or
    not completely saved.
    """
    job = Job.objects.get(pk=job_id)
    if job.state not in OPEN:
        return []
    waiting = Call.objects.filter(job=job, state=CallState.PENDING)
    wanted = Endpoint.objects.filter(pk__in=waiting.values("endpoint"), kind=EndpointKind.OPENAI)
    return [call_id for endpoint in wanted.order_by("pk") for call_id in _hand_out(job.kind, endpoint)]


def _hand_out(kind: str, endpoint: Endpoint) -> list[int]:
    now = timezone.now()
    calls = Call.objects.filter(endpoint=endpoint)
    # A call that waits after an error (it has a reason) uses no slot: others run in the meantime.
    dispatched = Q(state=CallState.PENDING, due_at__gt=now, reason_code="")
    out = calls.filter(Q(state=CallState.RUNNING) | dispatched)
    busy = Counter(dict(out.values_list("job").annotate(n=Count("pk")).order_by()))
    free = endpoint.parallel_calls - busy.total()
    if free <= 0:
        return []
    due = calls.filter(job__kind=kind, job__state__in=OPEN, job__has_calls=True, state=CallState.PENDING)
    due = due.filter(Q(due_at=None) | Q(due_at__lte=now))
    ids: list[int] = []
    for job, share in _shares(due, busy, free).items():
        locked = due.filter(job=job).select_for_update(skip_locked=True, of=("self",))
        oldest = locked.order_by(F("due_at").asc(nulls_last=True), "pk")
        ids += oldest.values_list("pk", flat=True)[:share]
    Call.objects.filter(pk__in=ids).update(due_at=now + grace())
    return ids


def _shares(due: QuerySet[Call], busy: Counter[int], free: int) -> Counter[int]:
    """Distribute the free slots among the jobs: each goes to the job with the fewest calls in flight."""
    left = dict(due.values_list("job").annotate(n=Count("pk")).order_by("job"))
    shares: Counter[int] = Counter()
    while free and left:
        job = min(left, key=lambda one: busy[one] + shares[one])
        shares[job] += 1
        left[job] -= 1
        free -= 1
        if not left[job]:
            del left[job]
    return shares


def sweep_orphans(*, now: datetime | None = None) -> list[tuple[str, list[int]]]:
    """Recover lost calls and close finished jobs; return pairs (kind of job, ids of calls to dispatch).

    Calls in flight far beyond their time-out become pending again, or fail after too many losses. Pending
    calls that may start now are returned, and jobs without unfinished calls are closed.
    """
    moment = now or timezone.now()
    last, since = cache.get(SWEEPS) or (None, None)
    if last is not None and moment > last + PAUSE:
        since = moment  # after a pause of the sweeps, calls look lost that only waited for a server
    # Workers may still have answers that they could not save while sweeps were paused.
    is_early = since is not None and moment < since + grace()
    if not is_early:
        for call in Call.objects.filter(state=CallState.RUNNING).select_related("endpoint"):
            if _is_overdue(call, moment):
                _put_back(call.pk, moment)
    open_jobs = Job.objects.filter(state__in=OPEN, calls__isnull=False)
    found = [
        (job.kind, wake_calls(job_id=job.pk)) for job in open_jobs.distinct() if not finish_job(job_id=job.pk)
    ]
    cache.set(SWEEPS, (moment, since), timeout=None)
    return [(kind, ids) for kind, ids in found if ids]


def _is_overdue(call: Call, now: datetime) -> bool:
    allowed = timedelta(seconds=call.endpoint.timeout_seconds) + grace()
    return call.started_at is None or call.started_at + allowed < now


@transaction.atomic
def _put_back(call_id: int, now: datetime) -> None:
    """Make a lost call pending again, or end it if its job is cancelled or if it was lost too often.

    The amount held is released, since the actual cost is unknown.
    """
    job_id = Call.objects.values_list("job_id", flat=True).get(pk=call_id)
    job = lock_job(job_id)
    call = Call.objects.select_for_update(of=("self",)).select_related("endpoint").get(pk=call_id)
    if call.state != CallState.RUNNING or not _is_overdue(call, now):
        return
    released, call.held, call.due_at = call.held, budget.NOTHING, None
    if job.state == JobState.CANCELLED:
        call.state, call.finished_at = CallState.CANCELLED, now
    elif call.attempts >= MOST_LOSSES:
        call.state, call.finished_at, call.reason_code = CallState.FAILED, now, LOST
    else:
        call.state = CallState.PENDING
    call.save(update_fields=["state", "held", "due_at", "finished_at", "reason_code"])
    budget.book(job_id, released=released)
