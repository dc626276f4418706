"""What a worker does with an ordered job."""

from jobs.queries import work_of
from jobs.services import run_work


def do_work(kind: str, subject: int) -> None:
    """Do the job of this kind about this row, as a worker does that was told of it."""
    job = work_of(kind, subject)
    assert job is not None, "it was never ordered"
    run_work(work_id=job.pk)
