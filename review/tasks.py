"""The long work of this app, and what it does by the clock."""

from __future__ import annotations

import logging
from typing import Final

from celery import shared_task
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from jobs.hooks import dispatch
from jobs.kinds import Report, work
from review import services
from review.queries.statistics import STATISTICS
from review.queries.verdict import overdue_verdicts

logger = logging.getLogger(__name__)

SWEPT_AT_ONCE: Final = 500


@work(
    STATISTICS,
    title=_("Review statistics"),
    page=lambda slug, _project_id, _about: reverse("review:statistics", args=[slug]),
)
def count_statistics(project_id: int, _report: Report) -> None:
    """Count the figures of a project's reviews."""
    services.count_statistics(project_id=project_id)


@shared_task
def sweep_statistics() -> None:
    """Count what has grown a day old."""
    for project_id in services.order_stale_statistics():
        dispatch(STATISTICS, project_id)


@shared_task
def sweep_verdicts() -> None:
    """Carry out what can no longer be undone, also where nobody claims anything; a fault stops no other."""
    for review_id in overdue_verdicts().values_list("pk", flat=True)[:SWEPT_AT_ONCE]:
        try:
            services.carry_out_overdue(review_id=review_id)
        except Exception:
            logger.exception("the verdict of review %d could not be carried out", review_id)
