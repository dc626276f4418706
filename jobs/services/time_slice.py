"""Limits how long a worker's thread keeps running calls of one job before it turns to other jobs."""

import time
from secrets import SystemRandom
from typing import Final, Protocol

from jobs.services.drain import takes_calls
from jobs.services.slot import CallResult, Claim
from jobs.services.sweep import wake_calls

TIME_SLICE: Final = (10.0, 20.0)
"""The time slice in seconds, random in this range, so that threads do not all look for work at once."""


class GoOn(Protocol):
    """The type of a function that runs a call in the slot of the previous call."""

    def __call__(self, *, claim: Claim, goes_on: bool) -> CallResult:
        """Run the claimed call; with `goes_on`, let another call take over the slot afterwards."""


class Enqueue(Protocol):
    """The type of a function that sends a worker the message to run a call."""

    def __call__(self, call_id: int, seconds: float = 0.0) -> None:
        """Send the message; the worker handles it after this many seconds."""


def ask_in_slot(first: CallResult, *, go_on: GoOn, enqueue: Enqueue) -> None:
    """Run one call after another in a slot until the time slice ends; enqueue calls that have to wait."""
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
