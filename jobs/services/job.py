"""Services that create a job, run it in a worker with heartbeats, and close it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Conflict
from jobs.errors import FAULT, LOST_WORKERS, OUT_OF_MEMORY, TOO_LONG
from jobs.job_types import JobType, Stopped, job_type_of
from jobs.models import MOST_LOSSES, OPEN, Job, JobState
from jobs.outage import find_outage, is_out_of_memory
from jobs.queries import claimable_jobs
from jobs.services.job_end import announce_end
from projects.models import Project

logger = logging.getLogger(__name__)

MOST_OF_PERSON: Final = 10
MOST_OF_PROJECT: Final = 20
"""The most unfinished jobs of one kind that a person and a project may have; further ones are refused."""
MOST_PAID_OF_PERSON: Final = 100
MOST_PAID_OF_PROJECT: Final = 200
"""The same limits for jobs that call LLMs; they are high, since a user starts all LLMs of a panel at once."""

BEAT_SECONDS: Final = 10.0
PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds to wait between attempts to write to the database during an outage."""
GiveUp = Callable[[], object]
"""A function that ends the process in which a job hangs."""
KEPT_FOR: Final = timedelta(days=90)
MOST_FORGOTTEN: Final = 5000
"""The most old jobs that are deleted at once."""
SIGN_OF_LIFE: Final = timedelta(seconds=2)
"""The shortest time between two saves of the progress within a step."""


@transaction.atomic
def order_job(
    *,
    actor: User,
    project: Project | None,
    kind: str,
    subject: int,
    about: Mapping[str, Any] | None = None,
    again: bool = False,
    is_capped: bool = True,
) -> Job:
    """Create a job of this kind about a row, or return the unfinished one.

    The caller must have checked the actor's permission. A waiting job of this kind is returned. A running one
    is returned, too, unless `again`: then a second one waits for its end, because the running one may have
    read outdated data. `project` is None for a job that is about no project. Raises `Conflict` if the actor
    or the project has too many unfinished jobs of this kind, unless `is_capped` is False.
    """
    same = Job.objects.filter(kind=kind, subject=subject)
    found = same.filter(state__in=[JobState.PENDING] if again else OPEN).first()
    if found is not None:
        return found
    if is_capped:
        unfinished = Job.objects.filter(kind=kind, state__in=OPEN)
        require_room(unfinished, actor=actor, project=project)
    details = {"project": project, "created_by": actor, "title_about": dict(about or {})}
    return same.get_or_create(kind=kind, subject=subject, state=JobState.PENDING, defaults=details)[0]


def require_room(
    unfinished: QuerySet[Job],
    *,
    actor: User,
    project: Project | None,
    most_of_person: int = MOST_OF_PERSON,
    most_of_project: int = MOST_OF_PROJECT,
) -> None:
    """Raise `Conflict` if the person or the project has too many of the `unfinished` jobs.

    A person's jobs are counted over all projects. Locks the project, then the person, until the transaction
    ends, so that concurrent orders are counted one after the other; the project is locked first, as for its
    budget.
    """
    if project is not None:
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)
    if unfinished.filter(created_by=actor)[:most_of_person].count() >= most_of_person:
        raise Conflict(
            _("You have %(n)d unfinished jobs. Start more when one is done.") % {"n": most_of_person}
        )
    if (
        project is not None
        and unfinished.filter(project=project)[:most_of_project].count() >= most_of_project
    ):
        raise Conflict(
            _("This project has %(n)d unfinished jobs. Start more when one is done.") % {"n": most_of_project}
        )


def run_job(*, job_id: int, give_up: GiveUp | None = None) -> Job | None:
    """Run a job that is waiting or has lost its worker; return the next job about the same row, if any.

    Does nothing if the job is over or another worker has it, so it may be called twice. A fault in Parable, a
    lack of memory, or the loss of `MOST_LOSSES` workers closes the job with a reason. During an outage the
    job is unchanged and the error is raised: the sweep dispatches the job again. A hung job is closed after
    the maximum time of its type, and `give_up` is called from another thread to end the process.
    """
    job = _claim(job_id)
    if job is None:
        return None
    job_type = job_type_of(job.kind)
    if job_type is None:
        raise LookupError(job.kind)
    mine = Job.objects.filter(pk=job.pk, state=JobState.RUNNING, attempts=job.attempts)
    if job.attempts > MOST_LOSSES:
        logger.error(
            "the job %s of %d ended %d workers and is given up", job_type.name, job.subject, MOST_LOSSES
        )
        _fail(job_type, job, LOST_WORKERS)
    else:
        with _beating(mine, lambda: _end_hanging(job_type, job, mine, give_up), job_type.longest):
            _do(job_type, job, mine)
    waiting = Job.objects.filter(kind=job.kind, subject=job.subject, state=JobState.PENDING)
    return waiting.first()


@transaction.atomic
def _claim(job_id: int) -> Job | None:
    job = claimable_jobs().select_for_update(no_key=True, of=("self",)).filter(pk=job_id).first()
    if job is None:
        return None
    others = Job.objects.filter(kind=job.kind, subject=job.subject, state=JobState.RUNNING)
    if others.exclude(pk=job.pk).exists():
        return None
    job.state, job.attempts = JobState.RUNNING, job.attempts + 1
    job.started_at = job.heartbeat_at = timezone.now()
    job.step = job.done = job.total = 0
    job.save(update_fields=["state", "attempts", "started_at", "heartbeat_at", "step", "done", "total"])
    return job


def _do(job_type: JobType, job: Job, mine: QuerySet[Job]) -> None:
    reason = ""
    try:
        result = job_type.run(job.subject or 0, _Reporter(mine))
    except Stopped as stopped:
        _close(mine, JobState.FAILED, reason=stopped.code)
    except Exception as error:
        if is_out_of_memory(error):
            reason = OUT_OF_MEMORY  # closed below: the error still refers to what filled the memory
        elif find_outage(error):
            _forget_attempt(mine)
            raise
        else:
            logger.exception("the job %s of %d could not be done", job_type.name, job.subject)
            _fail(job_type, job, FAULT)
    else:
        if not job_type.asks_models:
            _close(mine, JobState.DONE, result=dict(result or {}))
    if reason:
        logger.error("the job %s of %d needs too much memory", job_type.name, job.subject)
        _fail(job_type, job, reason)


def _forget_attempt(mine: QuerySet[Job]) -> None:
    """Subtract an attempt interrupted by an outage from the count, once the database is available again."""
    for pause in PAUSES:
        try:
            mine.update(attempts=F("attempts") - 1)
        except (OperationalError, InterfaceError):
            connection.close()
            time.sleep(pause)
        else:
            return


def _end_hanging(job_type: JobType, job: Job, mine: QuerySet[Job], give_up: GiveUp | None) -> None:
    if not mine.exists():
        return
    logger.error("the job %s of %d hangs and is given up", job_type.name, job.subject)
    _fail(job_type, job, TOO_LONG)
    if give_up is not None:
        give_up()


def _fail(job_type: JobType, job: Job, reason: str) -> None:
    """Set a job and its subject to failed, unless another attempt has the job. Raise errors of an outage.

    If the job's own function has already closed the job as failed, its reason remains after a fault in
    Parable, but is replaced by any other reason.
    """
    if job_type.on_fault is not None:
        try:
            job_type.on_fault(job.subject or 0)
        except Exception as error:
            if find_outage(error):
                raise
            logger.exception("what the job %s of %d is about stays as it is", job_type.name, job.subject)
    ends = [JobState.RUNNING] if reason == FAULT else [JobState.RUNNING, JobState.FAILED]
    attempt = Job.objects.filter(pk=job.pk, attempts=job.attempts, state__in=ends)
    _close(attempt, JobState.FAILED, reason=reason)


@transaction.atomic
def _close(mine: QuerySet[Job], state: JobState, **more: Any) -> None:
    job = mine.select_for_update(no_key=True).first()
    if job is not None:
        Job.objects.filter(pk=job.pk).update(state=state, finished_at=timezone.now(), **more)
        job.state = state
        announce_end(job)


@transaction.atomic
def forget_old_jobs() -> int:
    """Delete jobs that ended over 90 days ago; return the number deleted.

    The newest job about each row is not deleted, unless it is about no project: its row is gone by then.
    Jobs that called LLMs are not deleted, since calls, budgets, batches and runs refer to them.
    """
    same = Job.objects.filter(kind=OuterRef("kind"), subject=OuterRef("subject")).order_by("-pk")
    old = Job.objects.filter(finished_at__lt=timezone.now() - KEPT_FOR, budget=None, subject__isnull=False)
    newest = Q(project__isnull=False, pk=Subquery(same.values("pk")[:1]))
    gone = old.exclude(newest).order_by("pk").values_list("pk", flat=True)
    # ended long ago, without a budget
    return Job.objects.filter(pk__in=list(gone[:MOST_FORGOTTEN])).delete()[0]


class _Reporter:
    """Saves a job's progress while this worker runs it: every new step, else at most every two seconds."""

    def __init__(self, mine: QuerySet[Job]) -> None:
        self._mine = mine
        self._step = 0
        self._last: datetime | None = None

    def __call__(self, step: int, done: int = 0, total: int = 0) -> None:
        now = timezone.now()
        if step == self._step and self._last is not None and now - self._last < SIGN_OF_LIFE:
            return
        self._step, self._last = step, now
        self._mine.update(step=step, done=done, total=total, heartbeat_at=now)


@contextmanager
def _beating(mine: QuerySet[Job], end: Callable[[], None], longest: timedelta) -> Iterator[None]:
    """Save heartbeats of the job within the context, even if its work reports no progress for minutes.

    If the block runs longer than `longest`, call `end` from another thread.
    """
    ended = threading.Event()
    beats = round(longest.total_seconds() / BEAT_SECONDS)
    threading.Thread(target=_beat, args=(mine, ended, end, beats), name="heartbeat", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _beat(mine: QuerySet[Job], ended: threading.Event, end: Callable[[], None], beats: int) -> None:
    beaten = 0
    while not ended.wait(BEAT_SECONDS):
        beaten += 1
        try:
            if beaten > beats:
                end()
                return
            mine.update(heartbeat_at=timezone.now())
        except (OperationalError, InterfaceError, MemoryError) as error:
            logger.warning("a job cannot show that it is being worked on", exc_info=error)
        finally:
            connection.close()
