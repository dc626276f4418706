"""Marks, the common form of answers with spans, used to enter, compare and merge such answers.

An answer is a tuple of groups of marks. By kind, a group is an alternative, a tuple, a set of mentions of one
entity, or a pair of spans.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from parable.kinds.spans import Span

ANSWER: Final = "answer"
COREFERENCE: Final = "coreference"
NON_COREFERENCE: Final = "non_coreference"
ALIGNMENT: Final = "alignment"
LAYERS: Final = (ANSWER, COREFERENCE, NON_COREFERENCE, ALIGNMENT)
"""Layers of groups: the answer, mentions of one entity, mentions that only seem to be of one entity, and
aligned spans."""

GAP: Final = "…"
"""Separates the parts of a span that is entered as text."""
AT: Final = "@"
"""Precedes the position at which a part of a span begins."""
NUMBER: Final = "#"
"""Precedes the number of the occurrence, from 1, that a part of a span is."""


_LONGEST_NUMBER: Final = 6
"""The most digits of the number of an occurrence."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters of a text that have a role, a label, or both.

    `text` is the text at the positions, as the file or the annotator gives it. `target` names the text that
    contains the characters if an item has several texts; "" is the story.
    """

    role: str
    text: str = ""
    positions: tuple[int, ...] = ()
    label: str = ""
    target: str = ""

    @property
    def span(self) -> Span | None:
        """The marked characters; None if there is only a label."""
        return Span(self.text, self.positions) if self.text or self.positions else None

    @property
    def is_blank(self) -> bool:
        """Whether the mark has neither characters nor a label."""
        return not (self.text or self.positions or self.label)


def mark_of(role: str, span: Span | None, label: str | None = None, target: str = "") -> Mark:
    """Return a mark with this role, made from a span, a label, or both."""
    text, positions = (span.text, span.positions) if span else ("", ())
    return Mark(role, text, positions, label or "", target)


Group = tuple[Mark, ...]
Groups = tuple[Group, ...]


def without_blanks(groups: Iterable[Sequence[Mark]]) -> Groups:
    """Remove blank marks, then empty groups."""
    kept = (tuple(mark for mark in group if not mark.is_blank) for group in groups)
    return tuple(group for group in kept if group)


def in_order(group: Iterable[Mark], roles: Sequence[str]) -> Group:
    """Sort the marks of a group by role; marks with equal or unknown roles keep their order."""
    places = {role: index for index, role in enumerate(roles)}
    return tuple(sorted(group, key=lambda mark: places.get(mark.role, len(places))))


def runs(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Return (first, last) positions of each run of consecutive positions, in the order of the span."""
    pairs = enumerate(positions)
    parts = (list(group) for _key, group in groupby(pairs, key=lambda pair: pair[1] - pair[0]))
    return [(part[0][1], part[-1][1]) for part in parts]


def write_plainly(mark: Mark, context: str) -> str:
    """Return a mark's span as an annotator types it in a form; `locate` converts it back.

    The parts of the span are separated by `…`; a part that would be ambiguous is followed by `@` and its
    position.
    """
    span = mark.span
    if span is None:
        return ""
    if not span.positions or span.read_in(context) is None:
        return span.text
    written, after = [], 0
    for first, last in runs(span.positions):
        part = context[first : last + 1]
        is_found_there = context.find(part, after) == first
        written.append(part if is_found_there else f"{part}{AT}{first}")
        after = last + 1
    return GAP.join(written)


def write_by_occurrence(mark: Mark, context: str) -> str:
    """Return a mark's span as a model should write it; `locate` converts it back.

    As `write_plainly`, except that a part that would be ambiguous is followed by `#` and the number of its
    occurrence, which is easier to count than characters.
    """
    span = mark.span
    if span is None or not span.positions or span.read_in(context) is None:
        return write_plainly(mark, context)
    written, after = [], 0
    for first, last in runs(span.positions):
        part = context[first : last + 1]
        is_found_there = context.find(part, after) == first
        before = sum(context.startswith(part, place) for place in range(first))
        written.append(part if is_found_there else f"{part}{NUMBER}{before + 1}")
        after = last + 1
    typed = GAP.join(written)
    return typed if locate(typed, context).positions == span.positions else write_plainly(mark, context)


def locate(typed: str, context: str) -> Span:
    """Locate a typed fragment, and return its span.

    Its parts are separated by `…`; a part may end with `@` and its first position, or with `#` and the number
    of the occurrence that it is. Other parts are searched for after the previous part, then from the
    beginning. If a part does not occur, the span has the typed text without positions, so that no input is
    lost.
    """
    positions: list[int] = []
    parts = [part for part in typed.split(GAP) if part.strip()]
    for part in parts:
        found = _find(part, context, positions[-1] + 1 if positions else 0)
        if found is None:
            return Span(typed.strip(), ())
        positions += found
    return Span("".join(context[one] for one in positions), tuple(positions))


def _find(part: str, context: str, after: int) -> range | None:
    words, at, number = part.rpartition(AT)
    if at and words and number.strip().isdecimal():
        start = int(number)
        return range(start, start + len(words)) if context.startswith(words, start) else None
    for words in (part, part.strip()):
        start = context.find(words, after)
        start = start if start >= 0 else context.find(words)
        if start >= 0:
            return range(start, start + len(words))
    return _occurrence(part, context)


def _occurrence(part: str, context: str) -> range | None:
    """Return the positions of a part that ends with `#` and a number; occurrences may overlap."""
    words, sign, number = part.replace("＃", NUMBER).rpartition(NUMBER)
    words, number = words.strip(), number.strip()
    if not (sign and words and number.isdecimal() and len(number) <= _LONGEST_NUMBER):
        return None
    start = -1
    for _time in range(min(int(number), len(context) + 1)):
        start = context.find(words, start + 1)
        if start < 0:
            return None
    return range(start, start + len(words)) if start >= 0 else None


def read_marks(groups: Iterable[Iterable[Mark]], context: str) -> Groups:
    """Update the `text` of each mark from its positions, unless a position is outside the context."""
    return tuple(tuple(_spelled(mark, context) for mark in group) for group in groups)


def _spelled(mark: Mark, context: str) -> Mark:
    found = Span("", mark.positions).read_in(context) if mark.positions else None
    return mark if found is None else replace(mark, text=found)
