"""Which waiting calls a worker is told of, and what is put right after a worker or a message was lost."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from jobs.errors import LOST
from jobs.models import Budget, Call, CallState, Endpoint, EndpointKind, Job, JobState
from jobs.services.running import finish_job, lock_job

# A call that a worker was told of and that still waits after this has been forgotten: tell another.
GRACE: Final = timedelta(minutes=2)
# An attempt that is out for this much longer than its endpoint's time-out has lost its worker.
OVERDUE: Final = timedelta(seconds=30)
MOST_LOSSES: Final = 5


@transaction.atomic
def wake_calls(*, job_id: int) -> list[int]:
    """The waiting calls that a worker shall be told of now: as many as the endpoints have lanes free.

    No call is given out twice within GRACE, and none of a job that is paused or over.
    """
    job = Job.objects.get(pk=job_id)
    if job.state not in {JobState.PENDING, JobState.RUNNING}:
        return []
    waiting = Call.objects.filter(job=job, state=CallState.PENDING)
    wanted = Endpoint.objects.filter(pk__in=waiting.values("endpoint"), kind=EndpointKind.OPENAI)
    return [call_id for endpoint in wanted.order_by("pk") for call_id in _hand_out(job, endpoint)]


def _hand_out(job: Job, endpoint: Endpoint) -> list[int]:
    now = timezone.now()
    calls = Call.objects.filter(endpoint=endpoint)
    # One that waits out an error (it has a reason) keeps no lane: others go on meanwhile.
    told = Q(state=CallState.PENDING, due_at__gt=now, reason_code="")
    free = endpoint.parallel_calls - calls.filter(Q(state=CallState.RUNNING) | told).count()
    if free <= 0:
        return []
    due = calls.filter(job=job, state=CallState.PENDING).filter(Q(due_at=None) | Q(due_at__lte=now))
    ids = list(due.select_for_update(skip_locked=True).order_by("pk").values_list("pk", flat=True)[:free])
    Call.objects.filter(pk__in=ids).update(due_at=now + GRACE)
    return ids


def sweep_orphans(*, now: datetime | None = None) -> list[tuple[str, list[int]]]:
    """Put right what killed workers and lost messages left; answers kinds of jobs with calls to be told of.

    Calls out far beyond their time-out wait again (or fail, after so many losses), calls that somebody
    was told of and that still wait are given out again, and jobs with nothing left to do are closed.
    """
    moment = now or timezone.now()
    for call in Call.objects.filter(state=CallState.RUNNING).select_related("endpoint"):
        if _is_overdue(call, moment):
            _put_back(call.pk, moment)
    open_jobs = Job.objects.filter(state__in=[JobState.PENDING, JobState.RUNNING], calls__isnull=False)
    found = [
        (job.kind, wake_calls(job_id=job.pk)) for job in open_jobs.distinct() if not finish_job(job_id=job.pk)
    ]
    return [(kind, ids) for kind, ids in found if ids]


def _is_overdue(call: Call, now: datetime) -> bool:
    allowed = timedelta(seconds=call.endpoint.timeout_seconds) + OVERDUE
    return call.started_at is None or call.started_at + allowed < now


@transaction.atomic
def _put_back(call_id: int, now: datetime) -> None:
    """Let a lost call wait again. What was held for it is given back; its cost is not known to anybody."""
    job_id = Call.objects.values_list("job_id", flat=True).get(pk=call_id)
    job = lock_job(job_id)
    budget = Budget.objects.select_for_update().get(job=job)
    call = Call.objects.select_for_update(of=("self",)).select_related("endpoint").get(pk=call_id)
    if call.state != CallState.RUNNING or not _is_overdue(call, now):
        return
    Budget.objects.filter(pk=budget.pk).update(held=F("held") - call.held)
    call.held, call.due_at = Decimal(0), None
    if job.state == JobState.CANCELLED:
        call.state, call.finished_at = CallState.CANCELLED, now
    elif call.attempts >= MOST_LOSSES:
        call.state, call.finished_at, call.reason_code = CallState.FAILED, now, LOST
    else:
        call.state = CallState.PENDING
    call.save()
