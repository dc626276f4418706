"""Hooks by which this app passes work to higher apps, which it may not import.

An app that owns a kind of job registers in its `ready()` how its calls are sent to a worker.
"""

import logging
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from celery import Task, shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from jobs import services
from jobs.models import Job
from jobs.queries import unfinished_jobs

logger = logging.getLogger(__name__)

LLM_QUEUE: Final = "llm"
DEFAULT_QUEUE: Final = "default"

Nudge = Callable[[int], object]

_nudges: dict[str, Nudge] = {}


def serve(kind: str, nudge: Nudge) -> None:
    """Register `nudge(call_id)` as the function that sends a call of a job of this kind to a worker."""
    _nudges[kind] = nudge


def served() -> dict[str, Nudge]:
    """Return the registered function for each kind of job that makes calls."""
    return dict(_nudges)


def queue_of(kind: str) -> str:
    """Return the name of the queue for jobs of this kind; jobs that make calls have a separate one."""
    return LLM_QUEUE if kind in _nudges else DEFAULT_QUEUE


def dispatch(kind: str, subject: int) -> None:
    """Enqueue the unfinished jobs of this kind about this row, after the transaction commits.

    A worker runs a job when it is its project's turn. If Redis is down, nothing is lost: the sweep enqueues
    the job again.
    """
    for job in unfinished_jobs(kind, subject):
        _put_in_line(job)


def _put_in_line(job: Job) -> None:
    def enqueue() -> None:  # not a partial: Django logs the function's name if it fails
        services.stand_in_line(project_id=job.project_id, job_id=job.pk)
        run_job.delay()

    transaction.on_commit(enqueue, robust=True)


@shared_task(bind=True)
def run_job(self: Task[[], None]) -> None:
    """Run the next job, in turns of projects, and enqueue the job that waited for its end.

    A job that hangs is ended together with its process; the worker starts another process.
    """
    job_id = services.next_in_line()
    is_own = not (self.request.called_directly or self.request.is_eager)
    give_up = partial(os._exit, 1) if is_own else None
    after = None if job_id is None else services.run_job(job_id=job_id, give_up=give_up)
    if after is not None:
        _put_in_line(after)


def dispatch_calls(kind: str, call_ids: Iterable[int]) -> None:
    """Send these pending calls to workers after the transaction commits.

    Sending a call twice has no further effect.
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
