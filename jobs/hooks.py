"""How this app passes work to the apps above, which it does not know.

An app that owns a kind of job says in its `ready()` how one of its calls is handed to a worker.
"""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from celery import shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from jobs import services
from jobs.models import Work
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


def dispatch(kind: str, subject: int) -> None:
    """Have a worker do the ordered work of this kind about this row, once the transaction stands.

    A worker takes it when it is its project's turn. Where Redis cannot be reached nothing is lost: the row
    stands, and the sweep puts it in line again.
    """
    for work in unfinished_work(kind, subject):
        _put_in_line(work)


def _put_in_line(work: Work) -> None:
    def tell() -> None:  # no partial: Django names the function where it fails
        services.stand_in_line(project_id=work.project_id, work_id=work.pk)
        run_work.delay()

    transaction.on_commit(tell, robust=True)


@shared_task
def run_work() -> None:
    """Do the job whose project's turn it is, and put the one that waited for its end in line."""
    work_id = services.next_in_line()
    after = None if work_id is None else services.run_work(work_id=work_id)
    if after is not None:
        _put_in_line(after)


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
