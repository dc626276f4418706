"""Finds the item of a prompt by comparing texts, since the logs of some tools have no item ids."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final

import numpy as np
import numpy.typing as npt

_LABEL: Final = re.compile(r"[(（\[【]?[A-Za-z0-9]{1,2}[)）\]】.．、:：]\s*")
"""The label before an option: `A. `, `(A) `, `1、`."""
_NAME: Final = re.compile(r"[^:：]{1,40}[:：]\s*")
"""The heading before a section of a prompt: `Question: `."""

LONGEST_PROMPT: Final = 200_000
"""Number of characters at the end of a prompt that are searched; no item is as long."""
_FEW: Final = 20
"""The index has all lines that occur in at most this many items, and the rarest lines of every item."""


@dataclass(frozen=True, slots=True)
class Words:
    """The id of an item and its texts that a prompt shows."""

    id: str
    story: str
    question: str
    options: tuple[str, ...]


class AskedItems:
    """The items of a release; finds the item that a prompt contains with its story, question and options.

    The options must follow the question in the order of the release: in another order, the letters of answers
    would name other options. White space may differ. If a prompt contains several items, for example as
    few-shot examples, the item whose question comes last is found; of questions that end at the same
    position, the longest.
    """

    def __init__(self, items: Iterable[Words]) -> None:
        self._items = items if isinstance(items, Sequence) else list(items)
        self._lines, self._places = _index(self._items)

    def item_of(self, prompt: str) -> str:
        """Return the id of the item in a prompt; "" if there is none, or if two items match equally well."""
        last_part = prompt[-LONGEST_PROMPT:]
        whole = _even(last_part)
        found: dict[str, tuple[int, int]] = {}
        for one in map(self._items.__getitem__, self._near(last_part)):
            question = _even(one.question)
            end = whole.rfind(question) + len(question)
            if question in whole and _even(one.story) in whole and _follow(one.options, whole, end):
                found[one.id] = end, len(question)
        last = max(found.values(), default=None)
        ids = [name for name, place in found.items() if place == last]
        return ids[0] if len(ids) == 1 else ""

    def _near(self, prompt: str) -> set[int]:
        """Return the positions of items that share a line with a prompt."""
        lines = np.fromiter(map(hash, _shown_lines(prompt)), np.int64)
        starts = np.searchsorted(self._lines, lines).tolist()
        ends = np.searchsorted(self._lines, lines, side="right").tolist()
        return {
            place
            for start, end in zip(starts, ends, strict=True)
            if start < end
            for place in self._places[start:end].tolist()
        }


def _index(items: Iterable[Words]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the sorted hashes of lines, and for each hash the position of an item that has the line.

    Arrays take a tenth of the memory of a dictionary. As hashes may collide, the full texts must be compared.
    """
    hashes, owners = array("q"), array("i")
    for place, one in enumerate(items):
        texts = (one.question, *one.options)
        found = {hash(even) for text in texts for line in text.splitlines() if (even := _even(line))}
        hashes.extend(found)
        owners.extend(repeat(place, len(found)))
    order = np.argsort(np.asarray(hashes), kind="stable")
    lines, places = np.asarray(hashes)[order], np.asarray(owners)[order]
    del hashes, owners, order
    begins = np.flatnonzero(np.append(True, lines[1:] != lines[:-1])[: len(lines)])
    times = np.diff(begins, append=len(lines)).astype(np.int32)
    shared = np.repeat(times, times)
    """The number of items that share each line."""
    rarest = np.full(places.max(initial=-1) + 1, len(lines), np.int32)
    np.minimum.at(rarest, places, shared)
    kept = shared <= np.maximum(rarest[places], _FEW)
    return lines[kept], places[kept]


def _even(text: str) -> str:
    return " ".join(text.split())


def _follow(options: Iterable[str], text: str, at: int) -> bool:
    """Return whether a text contains the options one after another, from position `at` on."""
    for option in map(_even, options):
        place = text.find(option, at)
        if place < 0:
            return False
        at = place + len(option)
    return True


def _shown_lines(prompt: str) -> Iterator[str]:
    """Yield each line of a prompt; if it begins with a label or heading, also yield the rest of the line."""
    for line in map(_even, prompt.splitlines()):
        yield line
        for before in (_LABEL, _NAME):
            if (shown := before.match(line)) is not None:
                yield line[shown.end() :]
