"""Celery tasks that prepare batches and run the calls of batches, stems and trials."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from generation import services
from generation.queries.batch import GENERATE
from jobs.errors import NOT_PREPARED
from jobs.job_types import Report, job_type
from jobs.services import ask_in_slot


@job_type(
    GENERATE,
    title=_("Candidates"),
    on_fault=lambda job_id: services.fail_batch(job_id=job_id, reason=NOT_PREPARED),
    asks_models=True,
    page=lambda slug, job_id, _about: reverse("jobs:job", args=[slug, job_id]),
)
def prepare_batch(job_id: int, report: Report) -> None:
    """Save the calls of a batch and enqueue them."""
    for call_id in services.prepare_batch(job_id=job_id, report=report):
        enqueue_call(call_id)


@shared_task
def run_call(call_id: int) -> None:
    """Run a call and the calls that take over its slot; enqueue the calls that follow."""
    ran = services.run_call(call_id=call_id, goes_on=True)
    ask_in_slot(ran, go_on=services.run_claimed, enqueue=enqueue_call)


def enqueue_call(call_id: int, seconds: float = 0.0) -> None:
    """Enqueue the task that runs a call, after a delay of `seconds`.

    The message expires when the sweep would send another one for the same call.
    """
    run_call.apply_async((call_id,), countdown=seconds, expires=seconds + settings.LLM_LOST_SECONDS)


@shared_task
def run_trial(call_id: int) -> None:
    """Run the call of a trial. If it must wait, enqueue it again."""
    ran = services.run_trial(call_id=call_id)
    if ran.again_in is not None:
        enqueue_trial(call_id, ran.again_in)


def enqueue_trial(call_id: int, seconds: float = 0.0) -> None:
    """Enqueue the task that runs a trial, after a delay of `seconds`."""
    run_trial.apply_async((call_id,), countdown=seconds, expires=seconds + settings.LLM_LOST_SECONDS)
