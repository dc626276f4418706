"""Spans of a text that is still being written: where they are once it has changed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from parable.kinds.marks import Groups, Mark
from parable.kinds.spans import Span


def anchored(groups: Iterable[Iterable[Mark]], texts: Mapping[str, str]) -> Groups:
    """Marks with positions at which their wording is found in its text, by target.

    One that is right stays where it is; else the wording's first occurrence counts, and a wording that is not
    found keeps no position.
    """
    return tuple(tuple(_anchored(mark, texts.get(mark.target, "")) for mark in group) for group in groups)


def _anchored(mark: Mark, text: str) -> Mark:
    if Span(mark.text, mark.positions).read_in(text) == mark.text:
        return mark
    start = text.find(mark.text) if mark.text else -1
    found = range(start, start + len(mark.text)) if start >= 0 else ()
    return replace(mark, positions=tuple(found))
