"""Lets a worker shut down after its calls in flight have finished, without starting others."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_stopping: Final = threading.Event()
_counting: Final = threading.Lock()
_out: Final[set[int]] = set()


def take_no_more_calls() -> None:
    """Stop this process from taking calls; pending calls are left to other workers."""
    _stopping.set()


def takes_calls() -> bool:
    """Return whether this process may take another call."""
    return not _stopping.is_set()


def calls_out() -> int:
    """Return the number of calls of this process that are in flight."""
    return len(_out)


@contextmanager
def counted(call_id: int) -> Iterator[None]:
    """Count a call as in flight within the context."""
    with _counting:
        _out.add(call_id)
    try:
        yield
    finally:
        with _counting:
            _out.discard(call_id)
