"""Finds the item that a prompt asks, by comparing texts: the logs of some tools have no item ids."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_LABEL: Final = re.compile(r"[(（\[【]?[A-Za-z0-9]{1,2}[)）\]】.．、:：]\s*")
"""The label before an option: `A. `, `(A) `, `1、`."""
_NAME: Final = re.compile(r"[^:：]{1,40}[:：]\s*")
"""The heading before a section of a prompt: `Question: `."""

LONGEST_PROMPT: Final = 200_000
"""Characters at the end of a prompt that are searched; more than the longest item has."""
_FEW: Final = 20
"""A line in at most this many items is used to look items up, as are the rarest lines of every item."""


@dataclass(frozen=True, slots=True)
class Words:
    """The id of an item and its texts that a prompt shows."""

    id: str
    story: str
    question: str
    options: tuple[str, ...]


class AskedItems:
    """The items of a release, found by prompts that contain their story, their question and all options.

    The options must follow the question in the order of the release: in another order, the letters of answers
    would name other options. White space may differ. If a prompt contains several items, as when the others
    are examples, the item whose question comes last is found; of questions that end at the same position, the
    longest.
    """

    def __init__(self, items: Iterable[Words]) -> None:
        self._items = list(items)
        counts = Counter(line for one in self._items for line in _keys(one))
        self._by_line: dict[int, list[int]] = defaultdict(list)
        """Indexes of items by the hash of a line; the full texts are compared afterwards."""
        for place, one in enumerate(self._items):
            lines = _keys(one)
            rarest = min((counts[line] for line in lines), default=0)
            for line in lines:
                if counts[line] <= max(rarest, _FEW):
                    self._by_line[line].append(place)

    def item_of(self, prompt: str) -> str:
        """Return the id of the item that a prompt asks.

        Return "" if there is none, or if two items fit equally well.
        """
        last_part = prompt[-LONGEST_PROMPT:]
        whole = _even(last_part)
        near = {place for line in _shown_lines(last_part) for place in self._by_line.get(hash(line), ())}
        found: dict[str, tuple[int, int]] = {}
        for one in map(self._items.__getitem__, near):
            question = _even(one.question)
            end = whole.rfind(question) + len(question)
            if question in whole and _even(one.story) in whole and _follow(one.options, whole, end):
                found[one.id] = end, len(question)
        last = max(found.values(), default=None)
        ids = [name for name, place in found.items() if place == last]
        return ids[0] if len(ids) == 1 else ""


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


def _keys(item: Words) -> set[int]:
    """Return the hashes of the lines of an item's question and options."""
    texts = (item.question, *item.options)
    return {hash(even) for text in texts for line in text.splitlines() if (even := _even(line))}


def _shown_lines(prompt: str) -> Iterator[str]:
    """Yield the lines of a prompt, and each line that has a label or heading once more without it."""
    for line in map(_even, prompt.splitlines()):
        yield line
        for before in (_LABEL, _NAME):
            if (shown := before.match(line)) is not None:
                yield line[shown.end() :]
