"""One call: claimed, asked, settled. Safe to run twice, by two workers at once, and to be killed anywhere."""

import logging
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils import timezone

from jobs.errors import NOT_KEPT
from jobs.models import AskedAs, Call, CallState, Job, JobState
from jobs.services import budgets, lanes
from jobs.services.endpoints import endpoint_spec
from jobs.services.lanes import Claim, Ran
from jobs.services.rates import pause_endpoint, seconds_to_wait, sending, settle_tokens
from jobs.services.running import finish_job, lock_job
from jobs.services.schemas import learn_from, schema_for
from parable.llm.client import EndpointSpec, Message, Retries
from parable.llm.errors import (
    AddressRefused,
    KeyRefused,
    LlmError,
    ModelUnknown,
    OutOfCredit,
    RateLimited,
    Redirected,
    Refused,
    SchemaRefused,
)
from parable.llm.lines import Lines
from parable.llm.replies import Answer
from parable.llm.tokens import estimate_tokens

logger = logging.getLogger(__name__)

MOST_ATTEMPTS: Final = 5
# An attempt is a request of its own to the rate limit, so retries happen here and not in the client.
RETRIES: Final = Retries(
    attempts=MOST_ATTEMPTS, first_wait=1.0, longest_wait=30.0, longest_retry_after=3600.0
)
ONE_REQUEST: Final = Retries(attempts=1, plain_too=False)
# These fail for every call to the endpoint alike: one answer is enough to know.
HOPELESS: Final = (AddressRefused, KeyRefused, ModelUnknown, OutOfCredit, Redirected)
# A longer wait than this, or so many 429 with no answer between them, is meant for all callers.
SHORT_WAIT_SECONDS: Final = 5.0
MANY_IN_A_ROW: Final = 3

Keep = Callable[[Call], str]
"""Reads a call's answer into rows and returns a reason code, empty where all is well."""

ask = Lines().ask
_in_a_row: Final[Counter[int]] = Counter()
_counting: Final = threading.Lock()


def run_call(*, call_id: int, keep: Keep, goes_on: bool = False) -> Ran:
    """Ask what a waiting call asks and keep the answer; where it is not this one's turn, do nothing.

    `keep` is called in the transaction that settles the call, so an answer and what was read out of it
    stand together. The call may have to wait for the rate limit or after an error: then run it again
    after `again_in` seconds. With `goes_on` the next call takes its lane: `run_claimed` it.
    """
    claim = lanes.claim(call_id)
    return claim if isinstance(claim, Ran) else run_claimed(claim=claim, keep=keep, goes_on=goes_on)


def run_claimed(*, claim: Claim, keep: Keep, goes_on: bool = False) -> Ran:
    """Ask a call that is in hand; see `run_call`."""
    lanes.show_life(claim.call.job_id)
    try:
        claim = replace(claim, spec=_spec(claim))
        answer = _ask(claim)
    except LlmError as error:
        _count_refusals(claim, error)
        settled = _settle_error(claim, error, goes_on=goes_on)
    else:
        _in_a_row.pop(claim.endpoint.pk, None)
        settled = _settle_answer(claim, answer, keep, goes_on=goes_on)
        learn_from(claim.endpoint, claim.call, answer)
    if settled.lacking:
        lanes.halt_without_money(claim.call.job_id, settled.lacking)
    ran = settled.ran
    if ran.again_in is None and ran.next is None:
        finish_job(job_id=claim.call.job_id)
    return ran


def _spec(claim: Claim) -> EndpointSpec:
    """Where and as whom to ask; the key is looked up once a turn and not once a call."""
    call = claim.call
    if claim.spec is None:
        return endpoint_spec(claim.endpoint, model=call.model, parameters=call.parameters)
    return replace(claim.spec, model=call.model, parameters=dict(call.parameters))


def _ask(claim: Claim) -> Answer:
    assert claim.spec is not None  # noqa: S101 - `run_claimed` has just found it
    question = [Message("user", claim.call.prompt)]
    with sending(claim.endpoint, claim.call):
        return ask(
            claim.spec,
            question,
            schema=schema_for(claim.endpoint, claim.call),
            timeout=claim.endpoint.timeout_seconds,
            retries=ONE_REQUEST,
        )


def _count_refusals(claim: Claim, error: LlmError) -> None:
    """Let nobody ask an endpoint that wants to be left alone; one 429 among answers is one call's own."""
    if not isinstance(error, RateLimited):
        return
    with _counting:
        _in_a_row[claim.endpoint.pk] += 1
        many = _in_a_row[claim.endpoint.pk] >= MANY_IN_A_ROW
    if error.retry_after and (many or error.retry_after > SHORT_WAIT_SECONDS):
        pause_endpoint(claim.endpoint, error.retry_after)


@dataclass(frozen=True, slots=True)
class _Settled:
    """What came of it, and what the budget lacked for the call that would have come next."""

    ran: Ran
    lacking: Decimal | None = None


@transaction.atomic
def _settle_answer(claim: Claim, answer: Answer, keep: Keep, *, goes_on: bool) -> _Settled:
    call = _lock(claim)
    tokens_in = answer.prompt_tokens if answer.prompt_tokens is not None else estimate_tokens(call.prompt)
    tokens_out = answer.completion_tokens
    tokens_out = tokens_out if tokens_out is not None else estimate_tokens(answer.text)
    settle_tokens(claim.endpoint, claim.call, tokens_in + tokens_out)
    paid, released = budgets.price(claim.endpoint, tokens_in, tokens_out), call.held
    call.held, call.cost = budgets.NOTHING, call.cost + paid
    # Where a sweep took this attempt for dead and another has answered since, both were paid, one counts.
    if call.state != CallState.DONE:
        call.state, call.finished_at, call.due_at = CallState.DONE, timezone.now(), None
        call.raw_response, call.tokens_in, call.tokens_out = answer.text, tokens_in, tokens_out
        call.latency_ms = round(answer.latency_seconds * 1000)
        call.subject = {**call.subject, "answered_by": answer.model, "finish_reason": answer.finish_reason}
        if call.schema is not None:
            call.asked_as = AskedAs.SCHEMA if answer.structured else AskedAs.PLAIN
        call.reason_code = _keep_safely(call, keep)
        call.reason = ""
    call.save(update_fields=ANSWERED)
    return _hand_over(claim, Ran(job_id=call.job_id), released, paid, goes_on=goes_on)


STATE: Final = ("state", "asked_as", "attempts", "held", "due_at", "finished_at", "reason_code", "reason")
ANSWERED: Final = (*STATE, "cost", "raw_response", "tokens_in", "tokens_out", "latency_ms", "subject")


def _lock(claim: Claim) -> Call:
    call = Call.objects.select_for_update().get(pk=claim.call.pk)
    call.endpoint = claim.endpoint  # so that nobody who reads the answer asks for it again
    return call


def _keep_safely(call: Call, keep: Keep) -> str:
    """Keep what the answer says; a fault of ours there must not lose an answer that was paid for."""
    try:
        with transaction.atomic():
            return keep(call)
    except Exception:
        logger.exception("the answer of call %d could not be read", call.pk)
        return NOT_KEPT


@transaction.atomic
def _settle_error(claim: Claim, error: LlmError, *, goes_on: bool) -> _Settled:
    if isinstance(error, HOPELESS):
        lock_job(claim.call.job_id)  # before the others, since more calls than this one will change
    call = _lock(claim)
    if (call.state, call.attempts) != (CallState.RUNNING, claim.call.attempts):
        return _Settled(Ran(job_id=call.job_id))  # taken for dead since; the attempt that followed decides
    released, call.held = call.held, budgets.NOTHING
    call.reason_code, call.reason = error.code[:40], error.reason[:400]
    wait = RETRIES.wait_after(error, call.attempts)
    if isinstance(error, SchemaRefused):
        # the same question, worded anew
        call.asked_as, call.attempts, wait = AskedAs.PLAIN, call.attempts - 1, 0.0
    if wait is not None and not _is_cancelled(call):
        call.state = CallState.PENDING
        lanes.postpone(call, wait)
        ran = Ran(call_id=call.pk, again_in=wait, job_id=call.job_id)
    else:
        call.state = CallState.REFUSED if isinstance(error, Refused) else CallState.FAILED
        call.finished_at, call.due_at = timezone.now(), None
        ran = Ran(job_id=call.job_id)
    call.save(update_fields=STATE)
    if isinstance(error, HOPELESS):
        _fail_siblings(call)
        goes_on = False
    return _hand_over(claim, ran, released, budgets.NOTHING, goes_on=goes_on)


def _hand_over(claim: Claim, ran: Ran, released: Decimal, paid: Decimal, *, goes_on: bool) -> _Settled:
    """Book what the settled call cost, and give its lane and what money is left to the next one."""
    job_id = claim.call.job_id
    after = lanes.take_over(claim) if goes_on else None
    if after is None:
        budgets.book(job_id, released=released, paid=paid)
        return _Settled(ran)
    if wait := seconds_to_wait(claim.endpoint, after):
        budgets.book(job_id, released=released, paid=paid)
        return _Settled(replace(ran, waiting=(lanes.postpone(after, wait),)))
    amount = budgets.hold_for(after, claim.endpoint)
    if budgets.book(job_id, held=amount, released=released, paid=paid):
        lanes.start(after, amount)
        return _Settled(replace(ran, next=Claim(after, claim.endpoint, claim.spec)))
    budgets.book(job_id, released=released, paid=paid)
    return _Settled(replace(ran, job_id=None), lacking=amount)


def _is_cancelled(call: Call) -> bool:
    return Job.objects.filter(pk=call.job_id, state=JobState.CANCELLED).exists()


def _fail_siblings(call: Call) -> None:
    Call.objects.filter(job_id=call.job_id, endpoint_id=call.endpoint_id, state=CallState.PENDING).update(
        state=CallState.FAILED,
        reason_code=call.reason_code,
        reason=call.reason,
        finished_at=timezone.now(),
        due_at=None,
    )
