"""How this app passes work to the apps above, which it does not know.

An app that owns a kind of job says in its `ready()` how one of its calls is handed to a worker.
"""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from celery import Task, current_app, shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from jobs import services
from jobs.queries import unfinished_work

logger = logging.getLogger(__name__)

LLM_QUEUE: Final = "llm"
DEFAULT_QUEUE: Final = "default"

Nudge = Callable[[int], object]

_nudges: dict[str, Nudge] = {}


def serve(kind: str, nudge: Nudge) -> None:
    """Let `nudge(call_id)` tell a worker of a waiting call of jobs of this kind."""
    _nudges[kind] = nudge


def served() -> dict[str, Nudge]:
    """All kinds of jobs that make calls."""
    return dict(_nudges)


def queue_of(kind: str) -> str:
    """The queue whose workers serve jobs of this kind: those that make calls wait for language models."""
    return LLM_QUEUE if kind in _nudges else DEFAULT_QUEUE


def enqueue(task: Task[[int], None], argument: int, *, project_id: int) -> None:
    """Have a worker run a task of long work when it is its project's turn, once the transaction stands.

    Where Redis cannot be reached nothing is lost: the row stands, and the sweep puts it in line again.
    """

    def tell() -> None:  # no partial: Django names the function where it fails
        services.stand_in_line(project_id=project_id, task=task.name, argument=argument)
        work_in_turn.delay()

    transaction.on_commit(tell, robust=True)


def dispatch(kind: str, subject: int) -> None:
    """Have a worker do the ordered work of this kind about this row, once the transaction stands."""
    for work in unfinished_work(kind, subject):
        enqueue(run_work, work.pk, project_id=work.project_id)


@shared_task
def run_work(work_id: int) -> None:
    """Do one job, and put the one that waited for its end in line."""
    after = services.run_work(work_id=work_id)
    if after is not None:
        dispatch(after.kind, after.subject or 0)


@shared_task
def work_in_turn() -> None:
    """Do the long work whose project's turn it is."""
    waiting = services.next_in_line()
    if waiting is not None:
        current_app.tasks[waiting.task](waiting.argument)


def tell_workers(kind: str, call_ids: Iterable[int]) -> None:
    """Tell workers of these waiting calls once the transaction stands. Telling twice does no harm."""
    nudge = _nudges.get(kind)
    if nudge is None:
        return
    for call_id in call_ids:
        transaction.on_commit(partial(_tell, nudge, call_id))


def _tell(nudge: Nudge, call_id: int) -> None:
    try:
        nudge(call_id)
    except OperationalError as error:
        # The rows stand, and the sweep tells workers again once the broker is back.
        logger.warning("call %d waits for the next sweep", call_id, exc_info=error)
