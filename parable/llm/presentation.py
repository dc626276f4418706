"""Presentation of a release's items to an examinee: which items, how often, and in which option order.

Everything is derived from a seed and the item's public id, so that an interrupted run continues with the same
questions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from parable.kinds.question import ONE_OPTION
from parable.llm.conditions import CIRCULAR, SHUFFLED
from parable.reading.question import fill_question

Order = tuple[int, ...]
"""Positions of the released options, in the order in which they are displayed."""


def orders_of(options: int, how: str, *, seed: str, item: str, repeat: int) -> list[Order]:
    """Return the option orders for one repeat of an item: one order, or every rotation if `how` is circular.

    An item without options has one empty order.
    """
    released = tuple(range(options))
    if how == CIRCULAR:
        return [released[turn:] + released[:turn] for turn in released] or [released]
    if how == SHUFFLED:
        return [shuffled(options, f"{seed}|{item}|{repeat}")]
    return [released]


def shuffled(options: int, words: str) -> Order:
    """Return a pseudo-random order that depends only on `words`, so that it is the same on every machine."""
    return tuple(sorted(range(options), key=lambda place: draw(f"{words}|{place}")))


def sample(names: Sequence[str], size: int | None, *, seed: str) -> list[str]:
    """Return `size` names, selected at random by the seed, in the given order.

    Return all names if `size` is None.
    """
    if size is None or size >= len(names):
        return list(names)
    drawn = set(sorted(names, key=lambda name: draw(f"{seed}|{name}"))[:size])
    return [name for name in names if name in drawn]


def draw(words: str) -> bytes:
    """Return a hash of a text; sorting by it shuffles in the same way on every machine."""
    return hashlib.sha256(words.encode()).digest()


def put(template: str, *, story: str, question: str, choices: Sequence[str], order: Order) -> str:
    """Return the exact prompt for an item, with its options in this order."""
    return fill_question(
        template, story=story, question=question, options=[choices[place] for place in order]
    )


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer after reading: its outcome, and the released position chosen by each of two rules."""

    outcome: str
    choice: int | None
    strict_choice: int | None


def read_put(text: str, *, choices: Sequence[str], order: Order) -> Answered:
    """Read an answer by the lenient and the strict rule.

    `order` is the order in which options were displayed.
    """
    read = ONE_OPTION.read(text, {"choices": choices}, order)
    return Answered(read.outcome, read.given, read.strict)
