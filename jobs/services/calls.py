"""One call: claimed, asked, settled. Safe to run twice, by two workers at once, and to be killed anywhere.

Locks are taken in one order everywhere: job, endpoint, budget, call.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from jobs.errors import BUDGET, NOT_KEPT
from jobs.models import Budget, Call, CallState, Endpoint, Job, JobState
from jobs.services import budgets
from jobs.services.endpoints import endpoint_spec
from jobs.services.rates import pause_endpoint, seconds_to_wait, sending, settle_tokens
from jobs.services.running import begin, finish_job, halt, lock_job
from jobs.services.waking import GRACE
from parable.llm.client import ONCE, Message, Retries, ask
from parable.llm.errors import (
    AddressRefused,
    KeyRefused,
    LlmError,
    ModelUnknown,
    OutOfCredit,
    RateLimited,
    Redirected,
    Refused,
)
from parable.llm.replies import Answer
from parable.llm.tokens import estimate_tokens

logger = logging.getLogger(__name__)

MOST_ATTEMPTS: Final = 5
# An attempt is a request of its own to the rate limit, so retries happen here and not in the client.
RETRIES: Final = Retries(
    attempts=MOST_ATTEMPTS, first_wait=1.0, longest_wait=30.0, longest_retry_after=3600.0
)
# How soon to look again where all lanes to the endpoint, or the rest of the budget, are in use.
CROWDED_SECONDS: Final = 1.0
# These fail for every call to the endpoint alike: one answer is enough to know.
HOPELESS: Final = (AddressRefused, KeyRefused, ModelUnknown, OutOfCredit, Redirected)

Keep = Callable[[Call], str]
"""Reads a call's answer into rows and returns a reason code, empty where all is well."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of running a call: seconds after which to run it again, and the job that may go on."""

    again_in: float | None = None
    job_id: int | None = None


@dataclass(frozen=True, slots=True)
class _Claim:
    call: Call
    endpoint: Endpoint


def run_call(*, call_id: int, keep: Keep) -> Ran:
    """Ask what a waiting call asks and keep the answer; where it is not this one's turn, do nothing.

    `keep` is called in the transaction that settles the call, so an answer and what was read out of it
    stand together. The call may have to wait for the rate limit or after an error: then run it again
    after `again_in` seconds.
    """
    claim = _claim(call_id)
    if isinstance(claim, Ran):
        return claim
    try:
        answer = _ask(claim)
    except LlmError as error:
        ran = _settle_error(claim, error)
    else:
        ran = _settle_answer(claim, answer, keep)
    if ran.again_in is None:
        finish_job(job_id=claim.call.job_id)
    return ran


def _ask(claim: _Claim) -> Answer:
    call, endpoint = claim.call, claim.endpoint
    spec = endpoint_spec(endpoint, model=call.model, parameters=call.parameters)
    with sending(endpoint, call):
        question = [Message("user", call.prompt)]
        return ask(spec, question, timeout=endpoint.timeout_seconds, retries=ONCE)


@transaction.atomic
def _claim(call_id: int) -> _Claim | Ran:
    """Take a waiting call in hand: a lane, money held, a place in the rate limit; or say why not."""
    known = Call.objects.filter(pk=call_id, state=CallState.PENDING).values("job_id", "endpoint_id").first()
    if known is None:
        return Ran()
    job = begin(known["job_id"])
    if job.state != JobState.RUNNING:
        return Ran()
    endpoint = Endpoint.objects.select_for_update(no_key=True).get(pk=known["endpoint_id"])
    budget = budgets.lock_budget(job.pk)
    call = Call.objects.select_for_update().get(pk=call_id)
    if call.state != CallState.PENDING:
        return Ran()
    running = Call.objects.filter(endpoint=endpoint, state=CallState.RUNNING).count()
    if running >= endpoint.parallel_calls:
        return _postpone(call, CROWDED_SECONDS)
    amount = budgets.hold_for(call, endpoint)
    if not budgets.fits(budget, amount):
        return _wait_for_money(job, call, is_all_spent=budget.held == 0)
    wait = seconds_to_wait(endpoint, call)
    if wait:
        return _postpone(call, wait)
    budgets.hold(budget, call, amount)
    _start(call)
    return _Claim(call, endpoint)


def _start(call: Call) -> None:
    call.state, call.attempts, call.started_at = CallState.RUNNING, call.attempts + 1, timezone.now()
    call.due_at = None
    call.save(update_fields=["state", "attempts", "started_at", "due_at", "held"])


def _postpone(call: Call, seconds: float) -> Ran:
    call.due_at = timezone.now() + timedelta(seconds=seconds) + GRACE
    call.save(update_fields=["due_at"])
    return Ran(again_in=seconds)


def _wait_for_money(job: Job, call: Call, *, is_all_spent: bool) -> Ran:
    if not is_all_spent:
        # What is held for calls in flight is mostly more than they will cost.
        return _postpone(call, CROWDED_SECONDS)
    halt(job, BUDGET)
    return Ran()


def _lock_again(claim: _Claim) -> tuple[Budget, Call]:
    budget = budgets.lock_budget(claim.call.job_id)
    return budget, Call.objects.select_for_update().get(pk=claim.call.pk)


@transaction.atomic
def _settle_answer(claim: _Claim, answer: Answer, keep: Keep) -> Ran:
    budget, call = _lock_again(claim)
    tokens_in = answer.prompt_tokens if answer.prompt_tokens is not None else estimate_tokens(call.prompt)
    tokens_out = answer.completion_tokens
    tokens_out = tokens_out if tokens_out is not None else estimate_tokens(answer.text)
    budgets.settle(budget, call, claim.endpoint, tokens_in, tokens_out)
    settle_tokens(claim.endpoint, claim.call, tokens_in + tokens_out)
    # Where a sweep took this attempt for dead and another has answered since, both were paid, one counts.
    if call.state != CallState.DONE:
        call.state, call.finished_at, call.due_at = CallState.DONE, timezone.now(), None
        call.raw_response, call.tokens_in, call.tokens_out = answer.text, tokens_in, tokens_out
        call.latency_ms = round(answer.latency_seconds * 1000)
        call.subject = {**call.subject, "answered_by": answer.model, "finish_reason": answer.finish_reason}
        call.reason_code = _keep_safely(call, keep)
        call.reason = ""
    call.save()
    return Ran(job_id=call.job_id)


def _keep_safely(call: Call, keep: Keep) -> str:
    """Keep what the answer says; a fault of ours there must not lose an answer that was paid for."""
    try:
        with transaction.atomic():
            return keep(call)
    except Exception:
        logger.exception("the answer of call %d could not be read", call.pk)
        return NOT_KEPT


@transaction.atomic
def _settle_error(claim: _Claim, error: LlmError) -> Ran:
    if isinstance(error, HOPELESS):
        lock_job(claim.call.job_id)  # before the others, since more calls than this one will change
    budget, call = _lock_again(claim)
    if (call.state, call.attempts) != (CallState.RUNNING, claim.call.attempts):
        return Ran(job_id=call.job_id)  # taken for dead since; the attempt that followed decides
    budgets.release(budget, call)
    if isinstance(error, RateLimited) and error.retry_after:
        pause_endpoint(claim.endpoint, error.retry_after)
    call.reason_code, call.reason = error.code[:40], error.reason[:400]
    wait = RETRIES.wait_after(error, call.attempts)
    if wait is not None and not _is_cancelled(call):
        return _try_again(call, wait)
    call.state = CallState.REFUSED if isinstance(error, Refused) else CallState.FAILED
    call.finished_at, call.due_at = timezone.now(), None
    call.save()
    if isinstance(error, HOPELESS):
        _fail_siblings(call)
    return Ran(job_id=call.job_id)


def _is_cancelled(call: Call) -> bool:
    return Job.objects.filter(pk=call.job_id, state=JobState.CANCELLED).exists()


def _try_again(call: Call, seconds: float) -> Ran:
    call.state = CallState.PENDING
    call.due_at = timezone.now() + timedelta(seconds=seconds) + GRACE
    call.save()
    return Ran(again_in=seconds, job_id=call.job_id)


def _fail_siblings(call: Call) -> None:
    Call.objects.filter(job_id=call.job_id, endpoint_id=call.endpoint_id, state=CallState.PENDING).update(
        state=CallState.FAILED,
        reason_code=call.reason_code,
        reason=call.reason,
        finished_at=timezone.now(),
        due_at=None,
    )
