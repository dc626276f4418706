"""Logs of evaluation tools: reads their answers one after the other as rows of our own fields.

A row has `model`, `item_id`, `repeat`, and `text` or `choice`, or an `outcome`; `tool_says` is whether the
tool counted the answer as right, which is compared with our reading and decides nothing.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

Answers = Iterator[tuple[int, Mapping[str, Any]]]
"""Rows with their places in the log, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLog:
    """The log of a tool; its module's docstring is its section of docs/formats.md.

    `detect` is given the path and the first bytes, and must be certain. `read` raises InputError where the
    log cannot be read; it holds one answer at a time.
    """

    code: str
    label: str
    detect: Callable[[Path, bytes], bool]
    read: Callable[[Path], Answers]


@cache
def answer_logs() -> tuple[AnswerLog, ...]:
    """Return the logs of the modules in `parable/formats/logs`, by the names of the modules."""
    package = import_module("parable.formats.logs")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(import_module(f"{package.__name__}.{name}").LOG for name in names)


def log_of(path: Path, head: bytes) -> AnswerLog | None:
    """Return the kind of log that a file is; None where it is none that is known."""
    return next((log for log in answer_logs() if log.detect(path, head)), None)
