"""Closes calls: saves the result, and passes the slot and the released money to the next call."""

import logging
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from secrets import SystemRandom
from typing import Final

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.utils import timezone
from redis.exceptions import RedisError

from jobs.errors import NOT_READ
from jobs.models import AnswerFormat, Call, CallState, Job, JobState
from jobs.retries import RETRIES
from jobs.services import budget, call_sql, slot
from jobs.services.control import lock_job
from jobs.services.drain import takes_calls
from jobs.services.figures import count_spent
from jobs.services.rate_limit import record_tokens, seconds_to_wait
from jobs.services.slot import CallResult, Claim
from parable.llm.errors import KeyRefused, LlmError, Refused, SchemaRefused, ends_all
from parable.llm.replies import Answer
from parable.llm.tokens import Tokens, estimate_tokens

logger = logging.getLogger(__name__)

# How long to wait for an unavailable database: the answer to save has been paid for.
KEEPS_TRYING_SECONDS: Final = 3600.0
LONGEST_PAUSE: Final = 5.0

Keep = Callable[[Call], str]
"""A function that saves what it reads from a call's answer; returns a reason code, "" if it is usable."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of closing a call.

    `lacking` is the cost to reserve for the next call, if the budget has too little left for it; else None.
    """

    ran: CallResult
    lacking: Decimal | None = None


@dataclass(frozen=True, slots=True)
class _Used:
    """The tokens that a call used (None if unknown), and the amounts of money to release and to pay."""

    tokens: int | None = None
    released: Decimal = budget.NOTHING
    paid: Decimal = budget.NOTHING


class _NotRead(Exception):
    """Raised if an answer could not be read, in order to roll back the transaction."""


def until_stored(claim: Claim, record: Callable[[], Recorded]) -> Recorded:
    """Call `record` to save a call's result; retry for up to an hour while the database is unavailable.

    The call has been paid for, and the worker's thread has nothing else to do.
    """
    until, pause = time.monotonic() + KEEPS_TRYING_SECONDS, 0.25
    while True:
        try:
            return record()
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block or time.monotonic() > until:
                raise
            logger.warning("what came of call %d is kept here for now", claim.call.pk, exc_info=error)
            connection.close()
        pause = min(2 * pause, LONGEST_PAUSE)
        time.sleep(pause * SystemRandom().uniform(0.5, 1.0))


def record_answer(claim: Claim, answer: Answer, keep: Keep, *, goes_on: bool) -> Recorded:
    """Save an answer together with the rows that `keep` reads from it, or alone if reading fails."""
    try:
        return _record_answer(claim, answer, keep, goes_on=goes_on)
    except _NotRead:
        logger.exception("the answer of call %d could not be read", claim.call.pk)
        return _record_answer(claim, answer, lambda _call: NOT_READ, goes_on=goes_on)


@transaction.atomic
def _record_answer(claim: Claim, answer: Answer, keep: Keep, *, goes_on: bool) -> Recorded:
    call, used = _answered(claim, answer)
    held, attempts = claim.call.held, claim.call.attempts
    if not call_sql.record_answer(call, held=held, attempts=attempts, paid=used.paid):
        used = _record_late_answer(call, used, keep)
    elif reason := _read(call, keep):
        Call.objects.filter(pk=call.pk).update(reason_code=reason)
    return _hand_over(claim, CallResult(job_id=call.job_id), used, goes_on=goes_on)


def _answered(claim: Claim, answer: Answer) -> tuple[Call, _Used]:
    """Return a copy of the call with its answer, not yet saved, and the tokens and money that it used."""
    before = claim.call
    tokens_in = answer.prompt_tokens if answer.prompt_tokens is not None else estimate_tokens(before.prompt)
    tokens_out = answer.completion_tokens
    tokens_out = tokens_out if tokens_out is not None else estimate_tokens(answer.text)
    call = copy(before)
    call.state, call.finished_at, call.due_at, call.held = (
        CallState.DONE,
        timezone.now(),
        None,
        budget.NOTHING,
    )
    call.raw_response, call.tokens_in, call.tokens_out = answer.text, tokens_in, tokens_out
    call.latency_ms = round(answer.latency_seconds * 1000)
    call.subject = {
        **call.subject,
        "answered_by": answer.model,
        "finish_reason": answer.finish_reason,
        **answer.served,
    }
    if call.schema is not None:
        call.asked_as = AnswerFormat.SCHEMA if answer.structured else AnswerFormat.PLAIN
    call.endpoint = claim.endpoint  # so that readers of the answer need no further query
    paid = budget.price(claim.endpoint, tokens_in, tokens_out)
    return call, _Used(tokens_in + tokens_out, before.held, paid)


def _record_late_answer(late: Call, used: _Used, keep: Keep) -> _Used:
    """Save the answer of a call that a sweep has meanwhile counted as lost.

    If another attempt has been answered in the meantime, both are paid for, but only the other answer counts.
    """
    call = Call.objects.select_for_update().get(pk=late.pk)
    stored, arrived = ((one.attempts, one.raw_response, one.latency_ms) for one in (call, late))
    if call.state == CallState.DONE and stored == arrived:
        return _Used()  # it was saved before the connection to the database broke
    used = replace(used, released=call.held)
    if call.state == CallState.DONE:
        Call.objects.filter(pk=call.pk).update(held=budget.NOTHING)
        _add_cost(call, Tokens(late.tokens_in, late.tokens_out), used.paid)
        return used
    late.tokens_in, late.tokens_out = late.tokens_in + call.tokens_in, late.tokens_out + call.tokens_out
    late.attempts, late.cost, late.reason = call.attempts, call.cost + used.paid, ""
    late.reason_code = _read(late, keep)
    late.save(update_fields=ANSWERED)
    return used


def _add_cost(call: Call, tokens: Tokens, paid: Decimal) -> None:
    """Add the tokens and cost of an attempt to a locked call, regardless of the call's state."""
    Call.objects.filter(pk=call.pk).update(
        tokens_in=F("tokens_in") + tokens.prompt,
        tokens_out=F("tokens_out") + tokens.completion,
        cost=F("cost") + paid,
    )


STATE: Final = ("state", "asked_as", "attempts", "held", "due_at", "finished_at", "reason_code", "reason")
ANSWERED: Final = (*STATE, "cost", "raw_response", "tokens_in", "tokens_out", "latency_ms", "subject")


def _read(call: Call, keep: Keep) -> str:
    try:
        return keep(call)
    except (OperationalError, InterfaceError):
        raise  # the database is unavailable: the answer is saved when it is back
    except Exception as error:
        raise _NotRead from error


@transaction.atomic
def record_error(claim: Claim, error: LlmError, *, goes_on: bool) -> Recorded:
    """Save the error of a call: schedule another attempt, or close the call as failed or refused.

    Tokens that the server reports are paid for: even an interrupted or refused response has a price.
    """
    wait = RETRIES.wait_after(error, claim.call.attempts)
    # Only a final error also fails the other calls: a used-up quota may be available again in a minute.
    is_last = wait is None and ends_all(error, has_answered=_has_answered(claim, error))
    if is_last:
        lock_job(claim.call.job_id)  # locked before the calls, since more calls than this one will change
    call = Call.objects.select_for_update().get(pk=claim.call.pk)
    call.endpoint = claim.endpoint
    tokens = error.tokens
    paid = budget.price(claim.endpoint, tokens.prompt, tokens.completion)
    if (call.state, call.attempts) != (CallState.RUNNING, claim.call.attempts):
        # This attempt had been counted as lost: the next one decides, and both are paid for.
        if tokens.total and not _is_this_error(call, claim, error):
            _add_cost(call, tokens, paid)
            budget.book(call.job_id, paid=paid)
            count_spent(claim.endpoint, paid)
        return Recorded(CallResult(job_id=call.job_id))
    released, call.held = call.held, budget.NOTHING
    call.reason_code, call.reason = error.code[:40], error.reason[:400]
    if isinstance(error, SchemaRefused):
        # the same question, without a schema
        call.asked_as, call.attempts, wait = AnswerFormat.PLAIN, call.attempts - 1, 0.0
    if wait is not None and not Job.objects.filter(pk=call.job_id, state=JobState.CANCELLED).exists():
        ran = slot.wait_out(call, wait)
    else:
        call.state = CallState.REFUSED if isinstance(error, Refused) else CallState.FAILED
        call.finished_at, call.due_at = timezone.now(), None
        ran = CallResult(job_id=call.job_id)
    call.save(update_fields=STATE)
    if tokens.total:
        _add_cost(call, tokens, paid)
    if is_last:
        siblings = Call.objects.filter(
            job_id=call.job_id, endpoint_id=call.endpoint_id, state=CallState.PENDING
        )
        siblings.update(
            state=CallState.FAILED,
            reason_code=call.reason_code,
            reason=call.reason,
            finished_at=timezone.now(),
            due_at=None,
        )
        goes_on = False
    used = _Used(tokens.total or None, released, paid)
    return _hand_over(claim, ran, used, goes_on=goes_on)


def _is_this_error(stored: Call, claim: Claim, error: LlmError) -> bool:
    """Return whether this error was already saved, just before the connection to the database was lost."""
    same = (stored.attempts, stored.reason_code, stored.reason)
    return same == (claim.call.attempts, error.code[:40], error.reason[:400])


def _has_answered(claim: Claim, error: LlmError) -> bool:
    """Return whether the key that is now refused has worked for another call of this job."""
    if not isinstance(error, KeyRefused):
        return False
    done = Call.objects.filter(job_id=claim.call.job_id, endpoint_id=claim.endpoint.pk, state=CallState.DONE)
    return done.exists()


def _hand_over(claim: Claim, ran: CallResult, used: _Used, *, goes_on: bool) -> Recorded:
    """Book the cost of the closed call, and pass its slot and the released money to the next call, if any."""
    count_spent(claim.endpoint, used.paid)
    after = slot.take_over(claim) if goes_on and takes_calls() else None
    if after is None:
        record_tokens(claim.endpoint, claim.call, used.tokens)
        return _go_home(claim, Recorded(ran), used)
    try:
        wait = seconds_to_wait(claim.endpoint, after, recorded=claim.call, tokens=used.tokens)
    except RedisError as error:
        logger.warning("no call follows in the slot of call %d", claim.call.pk, exc_info=error)
        return _go_home(claim, Recorded(replace(ran, job_id=None)), used)  # the sweep dispatches others
    if wait:
        return _go_home(claim, Recorded(replace(ran, waiting=(slot.postpone(after, wait),))), used)
    amount = budget.hold_for(after, claim.endpoint)
    if slot.start(after, amount, released=used.released, paid=used.paid):
        return Recorded(replace(ran, next=Claim(after, claim.endpoint, claim.spec)))
    return _go_home(claim, Recorded(replace(ran, job_id=None), lacking=amount), used)


def _go_home(claim: Claim, recorded: Recorded, used: _Used) -> Recorded:
    """Book the cost of the closed call if no call follows in its slot; return `recorded`."""
    budget.book(claim.call.job_id, released=used.released, paid=used.paid)
    return recorded
