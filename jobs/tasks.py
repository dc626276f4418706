"""The Celery tasks of this app; they only trigger work that rows define."""

from __future__ import annotations

from celery import shared_task

from accounts.services import forget_ended_sessions
from jobs import hooks, services
from jobs.queries import lost_jobs


@shared_task
def sweep_orphans() -> None:
    """Dispatch again the calls that a killed worker or a lost message left waiting."""
    for kind, call_ids in services.sweep_orphans():
        hooks.dispatch_calls(kind, call_ids)


@shared_task
def forget_old_jobs() -> None:
    """Delete jobs that ended long ago and are on no page any more, and expired sessions."""
    services.forget_old_jobs()
    forget_ended_sessions()


@shared_task
def sweep_jobs() -> None:
    """Enqueue again the jobs that a dead worker or a lost message left behind."""
    for job in lost_jobs():
        hooks.dispatch(job.kind, job.subject or 0)
