"""A second process that takes over part of a command's work."""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import get_context
from typing import Any, Final, Protocol, TypeVar

from parable.system import processors

T = TypeVar("T")
_START: Final = "spawn"  # a copy of this process would soon need its memory a second time
_taken: list[Any] = []


class Worker(Protocol):
    """Performs units of work on one value, in the order in which they were begun."""

    def begin(self, work: Callable[..., T], *values: object) -> Callable[[], T]:
        """Start `work(value, *values)`; return a callable that returns its result or raises its error.

        What is asked for before it was come to is done by who asks, and so is what died with the worker.
        """


@contextmanager
def second_process(value: object, *, is_wanted: bool = True) -> Iterator[Worker]:
    """Yield a worker process that gets this value, or a substitute that works in this process.

    Where none is wanted, or this machine has no processor for it, who asks does all the work.
    """
    if not is_wanted or processors() < 2:
        yield _This(value)
        return
    pool = ProcessPoolExecutor(1, get_context(_START), _take, (value,))
    try:
        yield _Other(pool, value)
    finally:
        pool.shutdown(cancel_futures=True)


class _This:
    def __init__(self, value: object) -> None:
        self._value = value

    def begin(self, work: Callable[..., T], *values: object) -> Callable[[], T]:
        return cache(lambda: work(self._value, *values))


class _Other:
    def __init__(self, pool: ProcessPoolExecutor, value: object) -> None:
        self._pool, self._value = pool, value

    def begin(self, work: Callable[..., T], *values: object) -> Callable[[], T]:
        begun: list[Future[T]] = []
        with suppress(BrokenProcessPool):  # killed, perhaps for its memory
            begun.append(self._pool.submit(_do, work, values))

        def result() -> T:
            for done in begun:
                with suppress(BrokenProcessPool, CancelledError):
                    done.cancel()
                    return done.result()
            return work(self._value, *values)

        return cache(result)


def _take(value: object) -> None:
    _taken.append(value)
    gc.freeze()  # it stays until the end: no search for garbage need read it


def _do(work: Callable[..., T], values: tuple[object, ...]) -> T:
    return work(*_taken, *values)
