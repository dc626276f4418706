"""A worker's thread goes from call to call in its slot for a while; then other jobs may have it."""

import time
from secrets import SystemRandom
from typing import Final, Protocol

from jobs.services.drain import takes_calls
from jobs.services.slot import CallResult, Claim
from jobs.services.sweep import wake_calls

TIME_SLICE: Final = (10.0, 20.0)
"""Random between these two: otherwise threads that began together would all look for work at once."""


class GoOn(Protocol):
    """Asks a call that took over the slot of the one before it."""

    def __call__(self, *, claim: Claim, goes_on: bool) -> CallResult:
        """Ask it; with `goes_on` claim the next call of the slot, too."""


class Enqueue(Protocol):
    """Sends a worker the message to ask a call, now or after some seconds."""

    def __call__(self, call_id: int, seconds: float = 0.0) -> None:
        """Send it so many seconds from now."""


def ask_in_slot(first: CallResult, *, go_on: GoOn, enqueue: Enqueue) -> None:
    """Run the calls that take over a slot after its first call, and enqueue what may go next."""
    until = time.monotonic() + SystemRandom().uniform(*TIME_SLICE)
    ran = first
    _pass_on(ran, enqueue)
    while ran.next is not None:
        ran = go_on(claim=ran.next, goes_on=time.monotonic() < until)
        _pass_on(ran, enqueue)


def _pass_on(ran: CallResult, enqueue: Enqueue) -> None:
    for one in (ran, *ran.waiting):
        if one.again_in is not None:
            enqueue(one.call_id, one.again_in)
    if ran.job_id is not None and ran.next is None and takes_calls():
        for waiting in wake_calls(job_id=ran.job_id):
            enqueue(waiting)
