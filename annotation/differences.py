"""What changed between two wordings, as parts that a page can show. Pure."""

import re
from difflib import SequenceMatcher
from typing import Final, NamedTuple

SAME: Final = "equal"
INS: Final = "insert"
DEL: Final = "delete"

# A Chinese character stands for itself; Latin letters, digits and spaces hold together.
_PIECE: Final = re.compile(r"[^\W\d_\u2e80-\u9fff\uf900-\ufaff]+|\d+|\s+|.", re.DOTALL)


class Part(NamedTuple):
    """A stretch of text that stayed, came or went."""

    op: str
    text: str


def word_diff(before: str, after: str) -> list[Part]:
    """The parts of both texts in reading order: what stayed, what went, what came in its place."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    parts: list[Part] = []
    for op, old_start, old_end, new_start, new_end in SequenceMatcher(
        a=old, b=new, autojunk=False
    ).get_opcodes():
        if op == "equal":
            parts.append(Part(SAME, "".join(old[old_start:old_end])))
            continue
        if gone := "".join(old[old_start:old_end]):
            parts.append(Part(DEL, gone))
        if come := "".join(new[new_start:new_end]):
            parts.append(Part(INS, come))
    return parts
