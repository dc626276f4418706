"""Runs ordered jobs, as a worker would."""

from __future__ import annotations

import pytest

from jobs.models import Job, JobState
from jobs.queries import job_of, lost_jobs
from jobs.services import run_job


def do_work(kind: str, subject: int) -> None:
    """Run the job of this kind about this row, as a worker that received its message would."""
    job = job_of(kind, subject)
    assert job is not None, "it was never ordered"
    run_job(job_id=job.pk)


def lost(kind: str) -> list[Job]:
    """The lost jobs of this kind: on a busy machine, one that shared rows came with may be lost, too."""
    return list(lost_jobs().filter(kind=kind))


def end_first(patch: pytest.MonkeyPatch, view: str) -> None:
    """Let each job that the module `view` looks up end just before it is returned.

    A page that has read the job's results before cannot show them, and would not poll again.
    """

    def ended(kind: str, subject: int) -> Job | None:
        do_work(kind, subject)
        return job_of(kind, subject)

    patch.setattr(f"{view}.job_of", ended)


def work_off() -> None:
    """Run every waiting job, oldest first, and the jobs that they order."""
    while job := Job.objects.filter(state=JobState.PENDING).order_by("pk").first():
        run_job(job_id=job.pk)
