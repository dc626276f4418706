"""Differences between two texts, by words or lines, as parts for display on a page."""

import re
from collections import Counter, deque
from collections.abc import Iterator
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import Final, NamedTuple

SAME: Final = "equal"
INS: Final = "insert"
DEL: Final = "delete"

# Each Chinese character is a token; runs of Latin letters, digits or spaces are one token.
_TOKEN: Final = re.compile(r"[^\W\d_\u2e80-\u9fff\uf900-\ufaff]+|\d+|\s+|.", re.DOTALL)

MOST_WORK: Final = 1_000_000
"""Maximum number of comparisons of tokens for one difference; the rest counts as replaced.

Repetitive texts could otherwise take time in proportion to the cube of their length.
"""


class _Budget:
    """The number of comparisons that are left; the lines of a text share it."""

    def __init__(self) -> None:
        self.left = MOST_WORK


class _Matcher(SequenceMatcher[str]):
    """Finds common parts of two sequences as difflib does, the largest first, within a budget."""

    def __init__(self, old: list[str], new: list[str], budget: _Budget) -> None:
        super().__init__(a=old, b=new, autojunk=False)
        self._old, self._new, self._budget = old, new, budget

    def get_matching_blocks(self) -> list[Match]:
        """Return the common blocks, in order, with an empty one at the end."""
        head, tail = self._ends()
        old, new = len(self._old), len(self._new)
        found = [Match(0, 0, head), Match(old - tail, new - tail, tail), Match(old, new, 0)]
        counts = Counter(self._new)
        costs = [0, *accumulate(counts[token] + 1 for token in self._old)]
        ranges = deque([(head, old - tail, head, new - tail)])
        while ranges:
            old_start, old_end, new_start, new_end = ranges.popleft()
            cost = costs[old_end] - costs[old_start]
            if old_start == old_end or new_start == new_end or cost > self._budget.left:
                continue
            self._budget.left -= cost
            match = self.find_longest_match(old_start, old_end, new_start, new_end)
            if match.size:
                found.append(match)
                ranges.append((old_start, match.a, new_start, match.b))
                ranges.append((match.a + match.size, old_end, match.b + match.size, new_end))
        return _joined(sorted(found))

    def _ends(self) -> tuple[int, int]:
        """Return the lengths of the common prefix and suffix."""
        old, new = self._old, self._new
        most = min(len(old), len(new))
        head = next((place for place in range(most) if old[place] != new[place]), most)
        back = range(1, most - head + 1)
        tail = next((place - 1 for place in back if old[-place] != new[-place]), most - head)
        return head, tail


def _joined(matches: list[Match]) -> list[Match]:
    """Return the matches with adjacent ones joined; the last match, which is empty, is kept."""
    joined: list[Match] = []
    for match in matches[:-1]:
        before = joined[-1] if joined else Match(0, 0, 0)
        if joined and before.a + before.size == match.a and before.b + before.size == match.b:
            joined[-1] = Match(before.a, before.b, before.size + match.size)
        elif match.size:
            joined.append(match)
    return [*joined, matches[-1]]


class Part(NamedTuple):
    """A part of the text that is unchanged, deleted or inserted."""

    op: str
    text: str


class Line(NamedTuple):
    """A line of a longer text; `op` applies to the whole line, or is `change` if only a part changed.

    A line with `skipped` stands for this number of omitted unchanged lines; it has no parts.
    """

    op: str
    parts: list[Part]
    skipped: int = 0


CHANGE: Final = "change"


def word_diff(before: str, after: str) -> list[Part]:
    """Return the parts of both texts in reading order: unchanged, deleted, inserted."""
    return _word_diff(before, after, _Budget())


def _word_diff(before: str, after: str, budget: _Budget) -> list[Part]:
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    parts: list[Part] = []
    for op, old_start, old_end, new_start, new_end in _Matcher(old, new, budget).get_opcodes():
        if op == SAME:
            parts.append(Part(SAME, "".join(old[old_start:old_end])))
            continue
        if gone := "".join(old[old_start:old_end]):
            parts.append(Part(DEL, gone))
        if come := "".join(new[new_start:new_end]):
            parts.append(Part(INS, come))
    return parts


def line_diff(before: str, after: str, *, around: int = 2) -> list[Line]:
    """Return the lines of both texts in reading order, changed lines split by words.

    Unchanged lines are omitted, except `around` lines before and after each change.
    """
    old, new, budget = before.splitlines(), after.splitlines(), _Budget()
    lines: list[Line] = []
    for op, old_start, old_end, new_start, new_end in _Matcher(old, new, budget).get_opcodes():
        if op == SAME:
            at_end = old_end == len(old) and new_end == len(new)
            lines += _stayed(old[old_start:old_end], around if lines else 0, 0 if at_end else around)
        else:
            lines += _replaced(old[old_start:old_end], new[new_start:new_end], budget)
    return lines


def _stayed(lines: list[str], head: int, tail: int) -> Iterator[Line]:
    """Yield the first and last of some unchanged lines and, between them, the number of omitted lines."""
    left_out = len(lines) - head - tail
    if left_out <= 1:
        head, tail, left_out = len(lines), 0, 0
    yield from (Line(SAME, [Part(SAME, line)]) for line in lines[:head])
    if left_out:
        yield Line(SAME, [], left_out)
    yield from (Line(SAME, [Part(SAME, line)]) for line in lines[len(lines) - tail :])


def _replaced(old: list[str], new: list[str], budget: _Budget) -> Iterator[Line]:
    """Yield replaced lines: lines that correspond are split by words, the others are whole."""
    both = min(len(old), len(new))
    for gone, come in zip(old, new, strict=False):
        yield Line(CHANGE, _word_diff(gone, come, budget))
    yield from (Line(DEL, [Part(DEL, line)]) for line in old[both:])
    yield from (Line(INS, [Part(INS, line)]) for line in new[both:])
