"""Send jobs and calls to Celery workers.

Some of the work is that of higher apps, which this app may not import. An app with a job type whose jobs
make calls registers in its `ready()` a function that sends a call to a worker.
"""

import logging
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from celery import Task, shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from accounts.models import User
from jobs import services
from jobs.models import Job
from jobs.queries import unfinished_jobs

logger = logging.getLogger(__name__)

LLM_QUEUE: Final = "llm"
DEFAULT_QUEUE: Final = "default"
NO_PROJECT: Final = 0
"""The place in the queue of all jobs that are about no project: together they take turns as one project."""

Nudge = Callable[[int], object]

Resealed = tuple[int, int]
"""Numbers of secrets: encrypted again, and unreadable."""

_nudges: dict[str, Nudge] = {}
_resealing: list[Callable[..., Resealed]] = []


def serve(kind: str, nudge: Nudge) -> None:
    """Register `nudge(call_id)` for all jobs of this kind; it sends a call to a worker."""
    _nudges[kind] = nudge


def served() -> dict[str, Nudge]:
    """Return the functions registered with `serve`, by kind of job."""
    return dict(_nudges)


def follow_reseals(follower: Callable[..., Resealed]) -> None:
    """Register `follower(actor=)`, which encrypts the secrets of an app above again. Twice has no effect."""
    if follower not in _resealing:
        _resealing.append(follower)


def reseal_all(*, actor: User) -> Resealed:
    """Encrypt all stored keys, and the secrets of apps above, again. Only administrators may.

    Return the numbers of those encrypted and of those that no secret of the site decrypts.
    """
    results = [reseal(actor=actor) for reseal in (services.reseal_keys, *_resealing)]
    return sum(done for done, _lost in results), sum(lost for _done, lost in results)


def queue_of(kind: str) -> str:
    """Return the name of the Celery queue for this kind of job: "llm" if it makes calls, else "default"."""
    return LLM_QUEUE if kind in _nudges else DEFAULT_QUEUE


def dispatch(kind: str, subject: int) -> None:
    """Enqueue the unfinished jobs of this kind about the row `subject`, after the transaction commits.

    A worker runs a job when it is its project's turn. If Redis is down, nothing is lost: the sweep enqueues
    the job again.
    """
    for job in unfinished_jobs(kind, subject):
        _put_in_line(job)


def _put_in_line(job: Job) -> None:
    def enqueue() -> None:  # not a partial: Django logs the function's name if it fails
        services.stand_in_line(project_id=job.project_id or NO_PROJECT, job_id=job.pk)
        run_job.delay()

    transaction.on_commit(enqueue, robust=True)


@shared_task(bind=True)
def run_job(self: Task[[], None]) -> None:
    """Run the next job in the queue, then enqueue the job that waited for it to end, if any.

    Projects take turns (see `services.fair_queue`). If a job hangs, its process is ended, and the worker
    starts another.
    """
    job_id = services.next_in_line()
    is_own = not (self.request.called_directly or self.request.is_eager)
    give_up = partial(os._exit, 1) if is_own else None
    after = None if job_id is None else services.run_job(job_id=job_id, give_up=give_up)
    if after is not None:
        _put_in_line(after)


def dispatch_calls(kind: str, call_ids: Iterable[int]) -> None:
    """Send these pending calls to workers after the transaction commits.

    Sending a call twice has no further effect. Does nothing if no function is registered for this kind of
    job.
    """
    nudge = _nudges.get(kind)
    if nudge is None:
        return
    for call_id in call_ids:
        transaction.on_commit(partial(_dispatch_call, nudge, call_id))


def _dispatch_call(nudge: Nudge, call_id: int) -> None:
    try:
        nudge(call_id)
    except OperationalError as error:
        # The row remains, and the sweep sends it again once the broker is back.
        logger.warning("call %d waits for the next sweep", call_id, exc_info=error)
