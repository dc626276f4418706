"""Claims calls. A claim needs a free slot of the endpoint, money, and room in the rate limit.

Locks are always taken in one order: job, endpoint, call, budget. The budget is updated last and in one
statement, so that sixty concurrent workers hardly wait for each other. A worker that has closed a call may
take over the next one in the same slot, which needs no shared lock.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils import timezone

from jobs.errors import BUDGET
from jobs.models import OPEN, Call, CallState, Endpoint, Job, JobState
from jobs.services import call_sql
from jobs.services.budget import NOTHING, fits, hold_for, lock_budget
from jobs.services.control import halt, lock_job
from jobs.services.rate_limit import seconds_to_wait
from jobs.services.sweep import grace
from parable.llm.client import EndpointSpec

# A heartbeat is saved this often, however many calls a second return.
HEARTBEAT_SECONDS: Final = 5.0

_written: dict[int, float] = {}
_writing: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Claim:
    """A call that this worker has claimed; `spec` has the settings of the slot's previous call, if any."""

    call: Call
    endpoint: Endpoint
    spec: EndpointSpec | None = None


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of running a call, and the calls to run next.

    `again_in` is the number of seconds after which to run `call_id` again; `job_id` is a job with other calls
    to dispatch; `next` is a call that has taken over the slot, to be run now; `waiting` are calls to be run
    later.
    """

    call_id: int = 0
    again_in: float | None = None
    job_id: int | None = None
    next: Claim | None = None
    waiting: tuple[CallResult, ...] = ()


def show_life(job_id: int) -> None:
    """Save a heartbeat of the job, at most once per `HEARTBEAT_SECONDS`."""
    with _writing:
        now = time.monotonic()
        if now - _written.get(job_id, -HEARTBEAT_SECONDS) < HEARTBEAT_SECONDS:
            return
        if len(_written) > 1000:
            _written.clear()
        _written[job_id] = now
    Job.objects.filter(pk=job_id, state=JobState.RUNNING).update(heartbeat_at=timezone.now())


def claim(call_id: int) -> Claim | CallResult:
    """Claim a pending call and return the claim, or a `CallResult` if the call has to wait or may not run.

    Also sets a pending job to running.
    """
    waiting = Call.objects.filter(pk=call_id, state=CallState.PENDING, job__state__in=OPEN)
    known = waiting.values("job_id", "endpoint_id").first()
    if known is None:
        return CallResult()
    # neither statement holds a lock beyond itself
    job_id = known["job_id"]
    pending = Job.objects.filter(pk=job_id, state=JobState.PENDING)
    pending.update(state=JobState.RUNNING, started_at=timezone.now())
    show_life(job_id)
    found = _claim(call_id, known["endpoint_id"])
    if isinstance(found, Decimal):
        return _without_money(known["job_id"], call_id, found)
    return found


@transaction.atomic
def _claim(call_id: int, endpoint_id: int) -> Claim | CallResult | Decimal:
    """Claim a call and return the claim.

    Return a result if the call must wait or is not pending. Return the amount to reserve if the budget has
    too little left for it.
    """
    endpoint = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint_id)
    call = Call.objects.select_for_update().get(pk=call_id)
    if call.state != CallState.PENDING:
        return CallResult()
    if Call.objects.filter(endpoint=endpoint, state=CallState.RUNNING).count() >= endpoint.parallel_calls:
        # The next call that returns from this endpoint takes it over; the caller checks once more for a slot.
        wait_in_line(call)
        return CallResult(job_id=call.job_id)
    wait = seconds_to_wait(endpoint, call)
    if wait:
        return postpone(call, wait)
    amount = hold_for(call, endpoint)
    if not start(call, amount):
        wait_in_line(call)
        return amount
    return Claim(call, endpoint)


def start(call: Call, held: Decimal, *, released: Decimal = NOTHING, paid: Decimal = NOTHING) -> bool:
    """Set a locked call to running with the amount held; return False if the budget has too little left."""
    return call_sql.start(call, held=held, released=released, paid=paid, now=timezone.now())


def wait_in_line(call: Call) -> None:
    """Make a locked call wait for a free slot or for money. It then goes before calls never dispatched."""
    call.due_at = timezone.now()
    call.save(update_fields=["due_at"])


def postpone(call: Call, seconds: float) -> CallResult:
    """Postpone a locked call until the rate limit has room; return a result with the seconds to wait."""
    call.due_at = timezone.now() + timedelta(seconds=seconds) + grace()
    call.save(update_fields=["due_at"])
    return CallResult(call_id=call.pk, again_in=seconds)


def wait_out(call: Call, seconds: float) -> CallResult:
    """Make a call pending again after an error, due in this many seconds. The caller saves the call.

    The next free slot then takes it over, before calls that were never made. If it waited for a message of
    its own, no worker would be idle to receive it, and all failed calls would be left to the end of a batch.
    """
    call.state, call.due_at = CallState.PENDING, timezone.now() + timedelta(seconds=seconds)
    return CallResult(call_id=call.pk, again_in=seconds, job_id=call.job_id)


def take_over(done: Claim) -> Call | None:
    """Lock and return the next pending call of the same job and endpoint, or None."""
    job, endpoint = done.call.job_id, done.endpoint
    after = call_sql.take_over(job=job, endpoint=endpoint.pk, open_states=OPEN, now=timezone.now())
    if after is not None:
        after.endpoint = endpoint  # so that the claim needs no further query
    return after


@transaction.atomic
def _without_money(job_id: int, call_id: int, amount: Decimal) -> CallResult:
    """Return a result that retries the call at once if the budget suffices again.

    Otherwise return an empty result, and pause the job if no call in flight holds money that could be
    released.
    """
    job, budget = lock_job(job_id), lock_budget(job_id)
    if fits(budget, amount):
        return CallResult(call_id=call_id, again_in=0.0)
    if not budget.held and job.state in OPEN:
        halt(job, BUDGET)
    return CallResult()


def halt_without_money(job_id: int, amount: Decimal) -> None:
    """Pause a job whose budget is too small for its next call, unless calls in flight may release money."""
    _without_money(job_id, 0, amount)
