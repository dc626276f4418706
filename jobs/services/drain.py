"""Lets a worker shut down cleanly: it finishes its calls in flight and starts no others."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_stopping: Final = threading.Event()
_counting: Final = threading.Lock()
_out: Final[set[int]] = set()


def take_no_more_calls() -> None:
    """Stop this process from starting calls; other workers run the pending ones."""
    _stopping.set()


def takes_calls() -> bool:
    """Return whether this process may start another call."""
    return not _stopping.is_set()


def calls_out() -> int:
    """Return the number of calls that this process has in flight."""
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
