"""How an item of a release is put to an examinee: which items, how often, its options in which order.

Everything follows from a seed and the item's public id, so that a run that was broken off goes on with
the same questions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from parable.kinds.question import ONE_OPTION
from parable.llm.conditions import CIRCULAR, SHUFFLED
from parable.reading.question import fill_question

Order = tuple[int, ...]
"""Positions of the released options in the order in which they are shown."""


def orders_of(options: int, how: str, *, seed: str, item: str, repeat: int) -> list[Order]:
    """Return the orders in which an item is asked in one repeat: one, or every rotation if circular.

    An item without options has one in any case.
    """
    released = tuple(range(options))
    if how == CIRCULAR:
        return [released[turn:] + released[:turn] for turn in released] or [released]
    if how == SHUFFLED:
        return [shuffled(options, f"{seed}|{item}|{repeat}")]
    return [released]


def shuffled(options: int, words: str) -> Order:
    """Return a pseudo-random order determined by the words, the same on every machine."""
    return tuple(sorted(range(options), key=lambda place: draw(f"{words}|{place}")))


def sample(names: Sequence[str], size: int | None, *, seed: str) -> list[str]:
    """Return `size` of the items, drawn by the seed, in the given order; all of them if it is None."""
    if size is None or size >= len(names):
        return list(names)
    drawn = set(sorted(names, key=lambda name: draw(f"{seed}|{name}"))[:size])
    return [name for name in names if name in drawn]


def draw(words: str) -> bytes:
    """Return a hash of the words; sorting by it shuffles, the same on every machine."""
    return hashlib.sha256(words.encode()).digest()


def put(template: str, *, story: str, question: str, choices: Sequence[str], order: Order) -> str:
    """Return the exact prompt for one order of the options."""
    return fill_question(
        template, story=story, question=question, options=[choices[place] for place in order]
    )


@dataclass(frozen=True, slots=True)
class Answered:
    """The reading of one answer: its outcome, and positions of released options or None."""

    outcome: str
    choice: int | None
    strict_choice: int | None


def read_put(text: str, *, choices: Sequence[str], order: Order) -> Answered:
    """Read an answer to an item whose options were shown in `order`, leniently and strictly."""
    read = ONE_OPTION.read(text, {"choices": choices}, order)
    return Answered(read.outcome, read.given, read.strict)
