"""Runs part of a command's work in a second process."""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from typing import Any, Final, Protocol, TypeVar

from parable.system import processors

T = TypeVar("T")
_START: Final = "spawn"  # a forked copy would soon need as much memory again
_taken: list[Any] = [None]
"""In the second process, a list with the value set by `take`; elsewhere [None]."""


class Worker(Protocol):
    """Runs units of work on one value, in the order in which they were begun."""

    def start(self) -> None:
        """Start the worker, so that it loads its modules while this process does something else."""

    def take(self, value: object) -> None:
        """Set the value that is passed to all later work; it is None before the first call."""

    def begin(self, work: Callable[..., T], *values: object) -> Callable[[], T]:
        """Start `work(value, *values)`; return a callable that returns its result or raises its error.

        If the worker has not begun the work when the callable is called, or has died, the callable does the
        work itself.
        """


@contextmanager
def second_process(module: str) -> Iterator[Worker]:
    """Yield a worker process that loads `module` when it starts; on a single processor, `this_process()`.

    The process starts at the first `start`, `take` or `begin`.
    """
    if processors() < 2:
        yield this_process()
        return
    pool = ProcessPoolExecutor(1, get_context(_START), _prepare, (module,))
    try:
        yield _Other(pool)
    finally:
        pool.shutdown(cancel_futures=True)


def this_process() -> Worker:
    """Return a worker that does each unit of work in this process, when its result is requested."""
    return _This()


class _This:
    def __init__(self) -> None:
        self._value: object = None

    def start(self) -> None:
        pass

    def take(self, value: object) -> None:
        self._value = value

    def begin(self, work: Callable[..., T], *values: object) -> Callable[[], T]:
        return cache(lambda: work(self._value, *values))


class _Other:
    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool
        self._value: object = None

    def start(self) -> None:
        self._submit(_wait)

    def take(self, value: object) -> None:
        self._value = value
        self._submit(_take, value)

    def begin(self, work: Callable[..., T], *values: object) -> Callable[[], T]:
        begun: list[Future[T]] = self._submit(_do, work, values)

        def result() -> T:
            for done in begun:
                with suppress(BrokenProcessPool, CancelledError):
                    done.cancel()
                    return done.result()
            return work(self._value, *values)

        return cache(result)

    def _submit(self, work: Callable[..., T], *values: object) -> list[Future[T]]:
        """Submit work and return its future in a list; [] if the worker died, perhaps for lack of memory."""
        with suppress(BrokenProcessPool):
            return [self._pool.submit(work, *values)]
        return []


def _prepare(module: str) -> None:
    """Load a module, and disable garbage collection as in the first process: items have no cycles."""
    gc.disable()
    import_module(module)


def _wait() -> None:
    """Do nothing; submitting this makes the process start and load its module."""


def _take(value: object) -> None:
    _taken[0] = value


def _do(work: Callable[..., T], values: tuple[object, ...]) -> T:
    return work(*_taken, *values)
