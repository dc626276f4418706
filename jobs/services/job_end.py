"""Notifies apps above, in the same transaction, that a job has ended, and counts it."""

from functools import partial
from typing import Final

from django.db import transaction

from jobs.job_types import JobEnd, notify_followers
from jobs.models import Job
from jobs.queries import AT_THE_DESK
from web.counters import count

ENDED: Final = "jobs"


def announce_end(job: Job) -> None:
    """Call the followers of ends of jobs for a locked job that has just ended, and count the end.

    Followers hear of jobs of projects only.
    """
    transaction.on_commit(partial(count, ENDED, job.kind, str(job.state)))
    if job.project_id is None:
        return
    notify_followers(
        JobEnd(
            job_id=job.pk,
            project_id=job.project_id,
            kind=job.kind,
            state=str(job.state),
            is_at_desk=job.title_code in AT_THE_DESK,
        )
    )
