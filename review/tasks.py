"""Celery tasks of reviews, including the periodic ones."""

from __future__ import annotations

import logging
from typing import Final

from celery import shared_task
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from jobs.hooks import dispatch
from jobs.job_types import Report, job_type
from jobs.services import ask_in_slot
from review import services
from review.queries.statistics import STATISTICS
from review.queries.verdict import overdue_verdicts

logger = logging.getLogger(__name__)

SWEPT_AT_ONCE: Final = 500


@job_type(
    STATISTICS,
    title=_("Review statistics"),
    page=lambda slug, _project_id, _about: reverse("review:statistics", args=[slug]),
)
def count_statistics(project_id: int, _report: Report) -> None:
    """Count the review statistics of a project."""
    services.count_statistics(project_id=project_id)


@shared_task
def sweep_statistics() -> None:
    """Order a new count of statistics that are a day old or missing."""
    for project_id in services.order_stale_statistics():
        dispatch(STATISTICS, project_id)


@shared_task
def sweep_verdicts() -> None:
    """Carry out the verdicts that can no longer be undone. If one fails, the others are still carried out."""
    for review_id in overdue_verdicts().values_list("pk", flat=True)[:SWEPT_AT_ONCE]:
        try:
            services.carry_out_overdue_verdict(review_id=review_id)
        except Exception:
            logger.exception("the verdict of review %d could not be carried out", review_id)


@shared_task
def run_call(call_id: int) -> None:
    """Run a model's judging call and the calls that take over its slot; enqueue the calls that follow."""
    ran = services.run_call(call_id=call_id, goes_on=True)
    ask_in_slot(ran, go_on=services.run_claimed, enqueue=enqueue_call)


def enqueue_call(call_id: int, seconds: float = 0.0) -> None:
    """Enqueue the task that runs a call, after a delay of `seconds`.

    The message expires when the sweep would send another one for the same call.
    """
    run_call.apply_async((call_id,), countdown=seconds, expires=seconds + settings.LLM_LOST_SECONDS)
