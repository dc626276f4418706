"""What a worker does with ordered jobs."""

from __future__ import annotations

import pytest

from jobs.models import Work, WorkState
from jobs.queries import work_of
from jobs.services import run_work


def do_work(kind: str, subject: int) -> None:
    """Do the job of this kind about this row, as a worker does that got its message."""
    job = work_of(kind, subject)
    assert job is not None, "it was never ordered"
    run_work(work_id=job.pk)


def end_first(patch: pytest.MonkeyPatch, view: str) -> None:
    """Have each job that this module asks for end just before it is told of it.

    A page that has read by then what the job writes shows nothing of it, and does not ask again.
    """

    def ended(kind: str, subject: int) -> Work | None:
        do_work(kind, subject)
        return work_of(kind, subject)

    patch.setattr(f"{view}.work_of", ended)


def work_off() -> None:
    """Do every job that waits, oldest first, and those that they order."""
    while work := Work.objects.filter(state=WorkState.PENDING).order_by("pk").first():
        run_work(work_id=work.pk)
