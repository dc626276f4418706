"""Finds the item that a prompt asks, by its words: logs of some tools have no ids of items."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_LABEL: Final = re.compile(r"[(（\[【]?[A-Za-z0-9]{1,2}[)）\]】.．、:：]\s*")
"""What stands before an option: `A. `, `(A) `, `1、`."""
_NAME: Final = re.compile(r"[^:：]{1,40}[:：]\s*")
"""What stands before a part of a prompt: `Question: `."""

LONGEST_PROMPT: Final = 200_000
"""Characters at the end of a prompt that are searched; more than the longest item has."""
_FEW: Final = 20
"""Items by which a line is shared that finds each of them; the rarest line of an item always does."""


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of an item that a prompt shows."""

    id: str
    story: str
    question: str
    options: tuple[str, ...]


class AskedItems:
    """The items of a release, found by prompts that contain their story, their question and all options.

    White space may differ. Of several such items, as where others are shown as examples, the one whose
    question stands last is meant, and of two at one place the longer question.
    """

    def __init__(self, items: Iterable[Words]) -> None:
        held = [
            Words(one.id, _even(one.story), _even(one.question), tuple(map(_even, one.options)))
            for one in items
        ]
        lines = {
            one.id: {_even(line) for line in _lines((one.question, *one.options))} - {""} for one in held
        }
        counts = Counter(line for found in lines.values() for line in found)
        self._by_line: dict[str, list[Words]] = defaultdict(list)
        for one in held:
            rarest = min(lines[one.id], key=lambda line: (counts[line], line), default="")
            for line in lines[one.id]:
                if line == rarest or counts[line] <= _FEW:
                    self._by_line[line].append(one)

    def item_of(self, prompt: str) -> str:
        """Return the id of the item that a prompt asks; "" if there is none, or if two are asked alike."""
        last_part = prompt[-LONGEST_PROMPT:]
        whole = _even(last_part)
        near = {
            one.id: one for line in {*_shown_lines(last_part)} for one in self._by_line.get(line, ())
        }  # each once, however often its lines are there
        found = {
            name: (whole.rfind(one.question) + len(one.question), len(one.question))
            for name, one in near.items()
            if all(part in whole for part in (one.story, one.question, *one.options))
        }
        last = max(found.values(), default=None)
        ids = [name for name, place in found.items() if place == last]
        return ids[0] if len(ids) == 1 else ""


def _even(text: str) -> str:
    return " ".join(text.split())


def _lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from text.splitlines()


def _shown_lines(prompt: str) -> Iterator[str]:
    """Yield the lines of a prompt, each also without what names it."""
    for line in map(_even, prompt.splitlines()):
        yield line
        for before in (_LABEL, _NAME):
            if (shown := before.match(line)) is not None:
                yield line[shown.end() :]
