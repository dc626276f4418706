"""Limits how long a worker's thread continues with calls in its slot before it turns to other jobs."""

import time
from secrets import SystemRandom
from typing import Final, Protocol

from jobs.services.drain import takes_calls
from jobs.services.slot import CallResult, Claim
from jobs.services.sweep import wake_calls

TIME_SLICE: Final = (10.0, 20.0)
"""The range of a random number of seconds, so that threads do not all look for work at the same time."""


class GoOn(Protocol):
    """A function that runs a call that took over the slot of the previous call."""

    def __call__(self, *, claim: Claim, goes_on: bool) -> CallResult:
        """Run the claimed call; with `goes_on`, also let the next call take over the slot."""


class Enqueue(Protocol):
    """A function that sends a worker the message to run a call."""

    def __call__(self, call_id: int, seconds: float = 0.0) -> None:
        """Send the message, which is to be handled after this many seconds."""


def ask_in_slot(first: CallResult, *, go_on: GoOn, enqueue: Enqueue) -> None:
    """Run the calls that take over a slot, until the time slice ends; enqueue the calls that have to wait."""
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
