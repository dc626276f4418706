"""Nudges of this app, on the queue of the workers that wait for language models."""

from __future__ import annotations

from celery import shared_task

from generation import services
from jobs.services import wake_calls


@shared_task
def run_call(call_id: int) -> None:
    """Ask one call, come back to it if it has to wait, and tell workers of what may go next."""
    ran = services.run_call(call_id=call_id)
    if ran.again_in is not None:
        run_call.apply_async((call_id,), countdown=ran.again_in)
    if ran.job_id is not None:
        for waiting in wake_calls(job_id=ran.job_id):
            run_call.delay(waiting)
