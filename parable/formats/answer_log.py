"""Reads the answers in logs of evaluation tools as rows with the fields of Parable.

A row has `model`, `item_id`, `repeat`, and `text`, `choice` or `outcome`. `tool_says` is whether the tool
scored the answer as right: it is compared with our own scoring and never changes it. `rating` is the score
that a person gave the answer, for `raters`.
"""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_HASH_BYTES: Final = 16

Answers = Iterator[tuple[int, Mapping[str, Any]]]
"""Pairs of a row's number in the log, from 1, and its values by field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLog:
    """A log format of an evaluation tool; its section of docs/formats.md is its module's docstring.

    `detect` gets the path and the first bytes of a file, and must return True only if it is certain. `read`
    yields the answers without loading the whole log, and raises InputError if the log cannot be read.
    `has_ratings`: whether the log may also hold people's ratings of answers. The last paragraph of the
    module's docstring has the same content as that of a `Format`.
    """

    code: str
    label: str
    detect: Callable[[Path, bytes], bool]
    read: Callable[[Path], Answers]
    has_ratings: bool = False


@cache
def answer_logs() -> tuple[AnswerLog, ...]:
    """Return the log formats that `parable/formats/logs` defines, sorted by module name."""
    package = import_module("parable.formats.logs")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(import_module(f"{package.__name__}.{name}").LOG for name in names)


def log_labels() -> str:
    """Return the labels of all log formats, separated by commas."""
    return ", ".join(log.label for log in answer_logs())


def log_of(path: Path, head: bytes) -> AnswerLog | None:
    """Return the log format of a file with these first bytes; None if it is no known log."""
    return next((log for log in answer_logs() if log.detect(path, head)), None)


class Repeats:
    """Counts the answers to each item; names and prompts are stored only as hashes."""

    def __init__(self) -> None:
        self._counts: Counter[bytes] = Counter()

    def next(self, *names: str) -> int:
        """Count an answer to the item that `names` identify, and return its number, from 1."""
        name = sha256(repr(names).encode()).digest()[:_HASH_BYTES]
        self._counts[name] += 1
        return self._counts[name]


def verdict_of(score: object) -> bool | None:
    """Return True for a score of 1 (or True), False for 0 (or False), and None for any other value."""
    return bool(score) if isinstance(score, bool | int | float) and score in {0, 1} else None
