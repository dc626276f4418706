"""Runs a single call: claims it, sends it, and saves the result.

This may run twice, run concurrently, or be killed at any point without harm.
"""

import atexit
import threading
from collections import Counter
from dataclasses import replace
from typing import Final

from core.invariants import present
from core.spans import Value, span
from jobs.services import slot
from jobs.services.call_result import Keep, record_answer, record_error, until_stored
from jobs.services.control import finish_job
from jobs.services.drain import counted, takes_calls
from jobs.services.endpoint import endpoint_spec
from jobs.services.figures import ANSWERED, count_call
from jobs.services.rate_limit import pause_endpoint, sending
from jobs.services.schema import learn_from, schema_for
from jobs.services.slot import CallResult, Claim
from parable.llm.client import EndpointSpec, Message, Retries
from parable.llm.errors import LlmError, RateLimited
from parable.llm.replies import Answer
from parable.llm.sessions import SessionPool

# The client does not retry, since the rate limit must count each attempt: `call_result` schedules them.
ONE_REQUEST: Final = Retries(attempts=1, plain_too=False)
# A requested wait pauses the endpoint for all workers if it is longer than this, or after this many
# refusals (HTTP 429) without an answer between them.
SHORT_WAIT_SECONDS: Final = 5.0
MANY_IN_A_ROW: Final = 3

SESSIONS: Final = SessionPool()
ask = SESSIONS.ask
atexit.register(SESSIONS.close)
_in_a_row: Final[Counter[int]] = Counter()
_counting: Final = threading.Lock()


def run_call(*, call_id: int, keep: Keep, goes_on: bool = False) -> CallResult:
    """Run a pending call and save its answer. Do nothing if the call may not run now.

    `keep` is called in the transaction that closes the call, so that an answer and the rows read from it are
    saved together. If the call has to wait, for the rate limit or after an error, run it again after
    `again_in` seconds. With `goes_on`, the result's `next` is a call that has taken over the slot: pass it to
    `run_claimed`.
    """
    if not takes_calls():
        return CallResult()
    claim = slot.claim(call_id)
    return claim if isinstance(claim, CallResult) else run_claimed(claim=claim, keep=keep, goes_on=goes_on)


def run_claimed(*, claim: Claim, keep: Keep, goes_on: bool = False) -> CallResult:
    """Run a call that has already been claimed, and save its answer (see `run_call`)."""
    slot.show_life(claim.call.job_id)
    try:
        claim = replace(claim, spec=_spec(claim))
        answer = _ask(claim)
    except LlmError as error:
        count_call(error.code)
        _count_refusals(claim, error)
        failure = error  # the name is unbound after this block
        recorded = until_stored(claim, lambda: record_error(claim, failure, goes_on=goes_on))
    else:
        count_call(ANSWERED)
        _in_a_row.pop(claim.endpoint.pk, None)
        recorded = until_stored(claim, lambda: record_answer(claim, answer, keep, goes_on=goes_on))
        learn_from(claim.endpoint, claim.call, answer)
    if recorded.lacking:
        slot.halt_without_money(claim.call.job_id, recorded.lacking)
    ran = recorded.ran
    if ran.again_in is None and ran.next is None:
        finish_job(job_id=claim.call.job_id)
    return ran


def _spec(claim: Claim) -> EndpointSpec:
    """Return the endpoint's settings for a call. Check again before every call that its key may be sent."""
    call = claim.call
    if claim.spec is None or claim.spec.api_key:
        return endpoint_spec(claim.endpoint, model=call.model, parameters=call.parameters)
    return replace(claim.spec, model=call.model, parameters=dict(call.parameters))


def _ask(claim: Claim) -> Answer:
    question = [Message("user", claim.call.prompt)]
    about: dict[str, Value] = {"gen_ai.request.model": claim.call.model, "parable.call": claim.call.pk}
    with (
        span("call model", "client", about),
        counted(claim.call.pk),
        sending(claim.endpoint, claim.call),
    ):
        return ask(
            present(claim.spec, "`run_claimed` has just found it"),
            question,
            schema=schema_for(claim.endpoint, claim.call),
            timeout=claim.endpoint.timeout_seconds,
            retries=ONE_REQUEST,
        )


def _count_refusals(claim: Claim, error: LlmError) -> None:
    """Count the endpoint's refusals in a row, and pause the endpoint for a long wait or after many refusals.

    Nothing is paused unless the server requests a wait.
    """
    if not (isinstance(error, RateLimited) or error.code == "quota_exceeded"):
        return
    with _counting:
        _in_a_row[claim.endpoint.pk] += 1
        many = _in_a_row[claim.endpoint.pk] >= MANY_IN_A_ROW
    if error.retry_after and (many or error.retry_after > SHORT_WAIT_SECONDS):
        pause_endpoint(claim.endpoint, error.retry_after)
