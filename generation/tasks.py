"""Nudges of this app, on the queue of the workers that wait for language models."""

from __future__ import annotations

import random
import time
from typing import Final

from celery import shared_task
from django.conf import settings

from generation import services
from jobs.services import Ran, wake_calls

TURN_SECONDS: Final = (10.0, 20.0)
"""So long a worker's thread goes from call to call in its lane; then other batches may have it.

Between these two by chance: threads that began together and ended together would all look for work at once.
"""


@shared_task
def run_call(call_id: int) -> None:
    """Ask one call and those that take over its lane, and tell workers of what may go next."""
    until = time.monotonic() + random.uniform(*TURN_SECONDS)  # noqa: S311 - spreads load, guards no secret
    ran = services.run_call(call_id=call_id, goes_on=True)
    _pass_on(ran)
    while ran.next is not None:
        ran = services.run_claimed(claim=ran.next, goes_on=time.monotonic() < until)
        _pass_on(ran)


def _pass_on(ran: Ran) -> None:
    for one in (ran, *ran.waiting):
        if one.again_in is not None:
            tell(one.call_id, one.again_in)
    if ran.job_id is not None and ran.next is None:
        for waiting in wake_calls(job_id=ran.job_id):
            tell(waiting)


def tell(call_id: int, seconds: float = 0.0) -> None:
    """Tell a worker of a call. Who hears of it too late lets it be: by then somebody else was told."""
    run_call.apply_async((call_id,), countdown=seconds, expires=seconds + settings.LLM_LOST_SECONDS)


@shared_task
def run_trial(call_id: int) -> None:
    """Ask one model to solve one item; where it has to wait, come back to it."""
    ran = services.run_trial(call_id=call_id)
    if ran.again_in is not None:
        tell_of_trial(call_id, ran.again_in)


def tell_of_trial(call_id: int, seconds: float = 0.0) -> None:
    """Tell a worker of a trial."""
    run_trial.apply_async((call_id,), countdown=seconds, expires=seconds + settings.LLM_LOST_SECONDS)
