"""How this app passes work to the apps above, which it does not know.

An app that owns a kind of job says in its `ready()` how one of its calls is handed to a worker.
"""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from django.db import transaction
from kombu.exceptions import OperationalError

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
