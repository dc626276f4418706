"""What a worker does with ordered jobs."""

from __future__ import annotations

import pytest

from jobs.models import Job, JobState
from jobs.queries import job_of
from jobs.services import run_job


def do_work(kind: str, subject: int) -> None:
    """Do the job of this kind about this row, as a worker does that got its message."""
    job = job_of(kind, subject)
    assert job is not None, "it was never ordered"
    run_job(job_id=job.pk)


def end_first(patch: pytest.MonkeyPatch, view: str) -> None:
    """Have each job that this module asks for end just before it is told of it.

    A page that has read by then what the job writes shows nothing of it, and does not ask again.
    """

    def ended(kind: str, subject: int) -> Job | None:
        do_work(kind, subject)
        return job_of(kind, subject)

    patch.setattr(f"{view}.job_of", ended)


def work_off() -> None:
    """Do every job that waits, oldest first, and those that they order."""
    while job := Job.objects.filter(state=JobState.PENDING).order_by("pk").first():
        run_job(job_id=job.pk)
