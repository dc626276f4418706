"""Nudges of this app. The rows say what is to be done."""

from __future__ import annotations

from celery import shared_task

from review import services
from review.queries.statistics import projects_to_count


@shared_task
def count_statistics(project_id: int) -> None:
    """Count the figures of a project's reviews."""
    services.count_statistics(project_id=project_id)


@shared_task
def sweep_statistics() -> None:
    """Count what was asked for and lost, and what has grown a day old."""
    for project_id in projects_to_count():
        count_statistics.delay(project_id)
