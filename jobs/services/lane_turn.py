"""A worker's thread goes from call to call in its lane for a while; then other jobs may have it."""

import random
import time
from typing import Final, Protocol

from jobs.services.drain import takes_calls
from jobs.services.lane import Claim, Ran
from jobs.services.sweep import wake_calls

TURN_SECONDS: Final = (10.0, 20.0)
"""Between these two by chance: threads that began together would else all look for work at once."""


class GoOn(Protocol):
    """Asks a call that took over the lane of the one before it."""

    def __call__(self, *, claim: Claim, goes_on: bool) -> Ran: ...  # noqa: D102 - the class says it


class Tell(Protocol):
    """Tells a worker of a call, now or after some seconds."""

    def __call__(self, call_id: int, seconds: float = 0.0) -> None: ...  # noqa: D102 - the class says it


def go_through_lane(first: Ran, *, go_on: GoOn, tell: Tell) -> None:
    """After a lane's first call ask those that take it over, and tell workers of what may go next."""
    until = time.monotonic() + random.uniform(*TURN_SECONDS)  # noqa: S311 - spreads load, guards no secret
    ran = first
    _pass_on(ran, tell)
    while ran.next is not None:
        ran = go_on(claim=ran.next, goes_on=time.monotonic() < until)
        _pass_on(ran, tell)


def _pass_on(ran: Ran, tell: Tell) -> None:
    for one in (ran, *ran.waiting):
        if one.again_in is not None:
            tell(one.call_id, one.again_in)
    if ran.job_id is not None and ran.next is None and takes_calls():
        for waiting in wake_calls(job_id=ran.job_id):
            tell(waiting)
