"""Which tests reach which lines of the services, and how long each takes: found by one run of all of them."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import coverage
import pytest

from tests.mutation.changes import Mutant
from tests.mutation.groups import BASE

LINES: Final = "lines"
SECONDS: Final = "seconds"


class Recorder:
    """A plugin of pytest that notes, test by test, the lines that run of some files."""

    def __init__(self, paths: Sequence[str], kept_as: Path) -> None:
        self._paths, self._kept_as = paths, kept_as
        files = [str(BASE / path) for path in paths]
        self._coverage = coverage.Coverage(data_file=None, config_file=False, include=files)
        self._seconds: dict[str, float] = {}
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note what runs from here on as this test's."""
        self._coverage.switch_context(item.nodeid)
        began = time.monotonic()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = time.monotonic() - began
            self._coverage.switch_context("")

    def pytest_sessionfinish(self) -> None:
        """Keep what was noted."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = {path: data.contexts_by_lineno(str(BASE / path)) for path in self._paths}
        self._kept_as.write_text(json.dumps({LINES: lines, SECONDS: self._seconds}), encoding="utf-8")


@dataclass(frozen=True)
class Reach:
    """What a recorder has kept."""

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]

    @classmethod
    def read(cls, kept_as: Path) -> Reach:
        """Read it back."""
        kept = json.loads(kept_as.read_text(encoding="utf-8"))
        return cls(kept[LINES], kept[SECONDS])

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that run the changed line, the quickest first; [] where none does.

        Where the line itself leaves no trace, as within a long string, those that run anything of its
        function; outside of functions, those that run anything of the file.
        """
        first, last = _function_at(mutant)
        found = self._between(mutant.path, mutant.line, mutant.line) or self._between(
            mutant.path, first, last
        )
        return sorted(found, key=lambda test: self.seconds[test])

    def _between(self, path: str, first: int, last: int) -> set[str]:
        reached = self.lines[path].items()
        return {test for line, tests in reached if first <= int(line) <= last for test in tests if test}


@cache
def _functions(path: str) -> list[tuple[int, int]]:
    tree = ast.parse((BASE / path).read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    # a signature and its decorators run when the module is read, and belong to no test
    return [(node.body[0].lineno, node.end_lineno or 0) for node in ast.walk(tree) if isinstance(node, kinds)]


def _function_at(mutant: Mutant) -> tuple[int, int]:
    around = [span for span in _functions(mutant.path) if span[0] <= mutant.line <= span[1]]
    return max(around, default=(0, 1_000_000))
