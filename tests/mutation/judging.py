"""Judge mutants: each in a forked process that reads the mutated source in place of the file."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from types import CodeType, ModuleType
from typing import Final

from tests.mutation.changes import Mutant
from tests.mutation.groups import BASE

KILLED: Final = "killed"
TIMED_OUT: Final = "timed out"
SURVIVED: Final = "survived"

PURE: Final = ("-c", os.devnull, f"--rootdir={BASE}", "--noconftest", "-p", "no:cacheprovider")
"""A run without Django, servers and fixtures, for the tests of pure modules."""
ON_DATABASE: Final = ("-p", "no:cacheprovider", "-p", "pytest_django.plugin")

_FORK: Final = multiprocessing.get_context("fork")


class _Loader(importlib.machinery.SourceFileLoader):
    """Reads a module from a mutant's source, and never from what was compiled of the file."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        """The mutant, compiled."""
        code: CodeType = compile(self._source, self.path, "exec", dont_inherit=True)
        return code


class _Finder(importlib.abc.MetaPathFinder):
    """Stands before all other finders, for one module."""

    def __init__(self, mutant: Mutant) -> None:
        self._module = mutant.path.removesuffix(".py").replace("/", ".")
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The mutated module; None for any other."""
        if fullname != self._module:
            return None
        file = str(BASE / self._mutant.path)
        return importlib.util.spec_from_file_location(
            fullname, file, loader=_Loader(fullname, file, self._mutant.source)
        )


def run_tests(
    options: Sequence[str],
    tests: Sequence[str],
    mutant: Mutant | None,
    *,
    loud: bool,
    plugin: Callable[[], object] | None = None,
) -> None:
    """Run these tests in this forked process and end it: with 0 where all have passed."""
    if not loud:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
    # plugins take longer to load than most of these tests to run
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    import pytest  # noqa: PLC0415 - after the fork, so that each run has its plugins to itself

    code = pytest.main([*options, "-q", "-x", *tests], plugins=[plugin()] if plugin else [])
    sys.stdout.flush()
    os._exit(int(code))


@dataclass(slots=True)
class _Running:
    """A mutant under judgement in one slot."""

    mutant: Mutant
    slot: int
    process: multiprocessing.process.BaseProcess
    until: float


def judge_all(
    mutants: Iterable[tuple[Mutant, float]],
    start: Callable[[Mutant, int], multiprocessing.process.BaseProcess],
    parallel: int,
    end: float,
) -> Iterator[tuple[Mutant, str]]:
    """What became of each mutant, of so many at a time. After `end`, a monotonic time, none is begun.

    Each mutant comes with the seconds that its tests may take: one that makes them run on is killed, too.
    """
    waiting, running, free = iter(mutants), list[_Running](), list(range(parallel))
    while True:
        while free and time.monotonic() < end and (following := next(waiting, None)) is not None:
            mutant, seconds = following
            slot = free.pop()
            process = start(mutant, slot)
            running.append(_Running(mutant, slot, process, time.monotonic() + seconds))
        if not running:
            return
        soonest = min(one.until for one in running)
        wait([one.process.sentinel for one in running], timeout=max(0.0, soonest - time.monotonic()))
        for one in [one for one in running if not one.process.is_alive() or time.monotonic() >= one.until]:
            running.remove(one)
            free.append(one.slot)
            yield one.mutant, _outcome(one)


def _outcome(one: _Running) -> str:
    if one.process.is_alive():
        one.process.kill()
        one.process.join()
        return TIMED_OUT
    one.process.join()
    return SURVIVED if one.process.exitcode == 0 else KILLED


def fork(
    options: Sequence[str],
    tests: Sequence[str],
    mutant: Mutant | None = None,
    *,
    loud: bool = False,
    prepare: Callable[[], None] = lambda: None,
    plugin: Callable[[], object] | None = None,
) -> multiprocessing.process.BaseProcess:
    """Run tests in a process of their own."""

    def child() -> None:
        prepare()
        run_tests(options, tests, mutant, loud=loud, plugin=plugin)

    process = _FORK.Process(target=child)
    process.start()
    return process
