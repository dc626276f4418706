"""What changed between two texts, word by word or line by line, as parts that a page can show. Pure."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

SAME: Final = "equal"
INS: Final = "insert"
DEL: Final = "delete"

# A Chinese character stands for itself; Latin letters, digits and spaces hold together.
_PIECE: Final = re.compile(r"[^\W\d_\u2e80-\u9fff\uf900-\ufaff]+|\d+|\s+|.", re.DOTALL)

# Finding what two texts share takes time with the product of their lengths; beyond this they are shown
# whole, one after the other.
_MOST_PAIRS: Final = 4_000_000


class Part(NamedTuple):
    """A stretch of text that stayed, came or went."""

    op: str
    text: str


class Line(NamedTuple):
    """A line of a longer text: `op` is that of the whole line, or `change` where a part of it changed.

    `skipped` stands for that many lines that stayed and are far from any change; it has no parts.
    """

    op: str
    parts: list[Part]
    skipped: int = 0


CHANGE: Final = "change"


def word_diff(before: str, after: str) -> list[Part]:
    """The parts of both texts in reading order: what stayed, what went, what came in its place."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    parts: list[Part] = []
    for op, old_start, old_end, new_start, new_end in _steps(old, new):
        if op == SAME:
            parts.append(Part(SAME, "".join(old[old_start:old_end])))
            continue
        if gone := "".join(old[old_start:old_end]):
            parts.append(Part(DEL, gone))
        if come := "".join(new[new_start:new_end]):
            parts.append(Part(INS, come))
    return parts


def _steps(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    if len(old) * len(new) > _MOST_PAIRS and old != new:
        return [("replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()


def line_diff(before: str, after: str, *, around: int = 2) -> list[Line]:
    """The lines of both texts in reading order, with changed lines word by word.

    Of lines that stayed, `around` are kept on either side of a change; the others are counted.
    """
    old, new = before.splitlines(), after.splitlines()
    lines: list[Line] = []
    for op, old_start, old_end, new_start, new_end in _steps(old, new):
        if op == SAME:
            at_end = old_end == len(old) and new_end == len(new)
            lines += _stayed(old[old_start:old_end], around if lines else 0, 0 if at_end else around)
        else:
            lines += _replaced(old[old_start:old_end], new[new_start:new_end])
    return lines


def _stayed(lines: list[str], head: int, tail: int) -> Iterator[Line]:
    """The first and last of lines that stayed, and between them how many are left out."""
    left_out = len(lines) - head - tail
    if left_out <= 1:
        head, tail, left_out = len(lines), 0, 0
    yield from (Line(SAME, [Part(SAME, line)]) for line in lines[:head])
    if left_out:
        yield Line(SAME, [], left_out)
    yield from (Line(SAME, [Part(SAME, line)]) for line in lines[len(lines) - tail :])


def _replaced(old: list[str], new: list[str]) -> Iterator[Line]:
    """Lines that took the place of others: one for one word by word, the rest as wholes."""
    both = min(len(old), len(new))
    for gone, come in zip(old, new, strict=False):
        yield Line(CHANGE, word_diff(gone, come))
    yield from (Line(DEL, [Part(DEL, line)]) for line in old[both:])
    yield from (Line(INS, [Part(INS, line)]) for line in new[both:])
