"""Long work from its order to its end: claimed by one worker, kept alive by a heartbeat, closed once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from jobs.errors import FAULT
from jobs.kinds import Kind, Stopped, kind_of
from jobs.models import OPEN, Work, WorkState
from jobs.outage import find_outage
from jobs.queries import claimable_work
from jobs.services.fair_queue import require_room
from projects.models import Project

logger = logging.getLogger(__name__)

BEAT_SECONDS: Final = 10.0
SIGN_OF_LIFE: Final = timedelta(seconds=2)
"""Within a step progress is written at most this often."""


@transaction.atomic
def order_work(
    *,
    actor: User,
    project: Project,
    kind: str,
    subject: int,
    about: Mapping[str, Any] | None = None,
    again: bool = False,
    is_capped: bool = True,
) -> Work:
    """Write down that work is to be done about a row; the caller has checked that the actor may order it.

    An order that still waits is answered again, and so is one that runs, unless what it has read by now may
    be out of date: with `again` a second one waits for its end. Raises `Conflict` where too much work of
    this kind is unfinished in the project, unless it is not capped.
    """
    same = Work.objects.filter(kind=kind, subject=subject)
    found = same.filter(state__in=[WorkState.PENDING] if again else OPEN).first()
    if found is not None:
        return found
    if is_capped:
        unfinished = Work.objects.filter(project=project, kind=kind, state__in=OPEN)
        require_room(unfinished, actor=actor, by="created_by")
    details = {"project": project, "created_by": actor, "title_about": dict(about or {})}
    return same.get_or_create(kind=kind, subject=subject, state=WorkState.PENDING, defaults=details)[0]


def run_work(*, work_id: int) -> Work | None:
    """Do a job that waits or that a dead worker held; returns the job that waited for its end, if any.

    Nothing is done where it is over or somebody is at it, so it may be called twice. A fault in Parable
    closes the job with a reason. During an outage it stays as it is, and the error is raised: the sweep
    hands it out again.
    """
    work = _claim(work_id)
    if work is None:
        return None
    kind = kind_of(work.kind)
    if kind is None:
        raise LookupError(work.kind)
    mine = Work.objects.filter(pk=work.pk, state=WorkState.RUNNING, attempts=work.attempts)
    with _beating(mine):
        _do(kind, work.subject or 0, mine)
    waiting = Work.objects.filter(kind=work.kind, subject=work.subject, state=WorkState.PENDING)
    return waiting.first()


@transaction.atomic
def _claim(work_id: int) -> Work | None:
    work = claimable_work().select_for_update(no_key=True, of=("self",)).filter(pk=work_id).first()
    if work is None:
        return None
    others = Work.objects.filter(kind=work.kind, subject=work.subject, state=WorkState.RUNNING)
    if others.exclude(pk=work.pk).exists():
        return None
    work.state, work.attempts = WorkState.RUNNING, work.attempts + 1
    work.started_at = work.heartbeat_at = timezone.now()
    work.step = work.done = work.total = 0
    work.save(update_fields=["state", "attempts", "started_at", "heartbeat_at", "step", "done", "total"])
    return work


def _do(kind: Kind, subject: int, mine: QuerySet[Work]) -> None:
    try:
        result = kind.run(subject, _Reporter(mine))
    except Stopped as stopped:
        _close(mine, WorkState.FAILED, reason=stopped.code)
    except Exception as error:
        if find_outage(error):
            raise
        logger.exception("the job %s of %d could not be done", kind.name, subject)
        if kind.on_fault is not None:
            kind.on_fault(subject)
        _close(mine, WorkState.FAILED, reason=FAULT)
    else:
        if not kind.asks_models:
            _close(mine, WorkState.DONE, result=dict(result or {}))


def _close(mine: QuerySet[Work], state: WorkState, **more: Any) -> None:
    mine.update(state=state, finished_at=timezone.now(), **more)


class _Reporter:
    """Writes progress to a job while it is this worker's: each step, and within one every other second."""

    def __init__(self, mine: QuerySet[Work]) -> None:
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
def _beating(mine: QuerySet[Work]) -> Iterator[None]:
    """Show inside the block that the worker lives, also where the work itself does not report for minutes."""
    ended = threading.Event()
    threading.Thread(target=_beat, args=(mine, ended), name="heartbeat", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _beat(mine: QuerySet[Work], ended: threading.Event) -> None:
    while not ended.wait(BEAT_SECONDS):
        try:
            mine.update(heartbeat_at=timezone.now())
        except (OperationalError, InterfaceError) as error:
            logger.warning("a job cannot show that it is being worked on", exc_info=error)
        finally:
            connection.close()
