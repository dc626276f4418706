"""Nudges of this app, on the queue of the workers that wait for language models."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from generation import services
from jobs.services import go_through_lane


@shared_task
def run_call(call_id: int) -> None:
    """Ask one call and those that take over its lane, and tell workers of what may go next."""
    ran = services.run_call(call_id=call_id, goes_on=True)
    go_through_lane(ran, go_on=services.run_claimed, tell=tell)


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
