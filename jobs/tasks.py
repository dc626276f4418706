"""The Celery tasks of this app. They only trigger work; the rows define what is to be done."""

from __future__ import annotations

from celery import shared_task

from jobs import hooks, services
from jobs.queries import lost_jobs


@shared_task
def sweep_orphans() -> None:
    """Dispatch again the calls left waiting by a killed worker or a lost message."""
    for kind, call_ids in services.sweep_orphans():
        hooks.dispatch_calls(kind, call_ids)


@shared_task
def forget_old_jobs() -> None:
    """Delete jobs that ended long ago and are displayed on no page any more."""
    services.forget_old_jobs()


@shared_task
def sweep_jobs() -> None:
    """Enqueue again the jobs left behind by a killed worker or a lost message."""
    for job in lost_jobs():
        hooks.dispatch(job.kind, job.subject or 0)
