"""Service that runs jobs in the process that fills the sample."""

import time
from typing import Final

from core.errors import Conflict
from jobs.queries import unfinished_jobs
from jobs.services import run_job

PATIENCE: Final = 300.0
"""The number of seconds to wait for a job that another worker has taken."""


def finish_jobs(kind: str, subject: int) -> None:
    """Run the waiting jobs of this kind about this row, or wait until another worker has finished them.

    Raise `Conflict` if another worker takes longer than `PATIENCE`.
    """
    for job in unfinished_jobs(kind, subject):
        run_job(job_id=job.pk)
    until = time.monotonic() + PATIENCE
    while unfinished_jobs(kind, subject).exists():
        if time.monotonic() > until:
            raise Conflict(f"{kind} {subject}")
        time.sleep(1.0)
