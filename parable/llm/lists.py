"""Reads lists in plain text: numbered, bulleted, as a table, or one item per line."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from parable.llm.marks import NEVER_ALONE, read_bullet, read_marks, split_inline
from parable.reading.chatter import drop_label, is_closer, is_explanation, is_lead_in

_BOLD_ALONE = re.compile(r"(?:\*\*)?(?P<text>.+?)\*\*[:：]?|\*\*(?P<inner>.+?)\*\*[:：]?")
# An introduction up to its colon, or all of it if it has none.
_LEAD_IN_HEAD = re.compile(r"[^:：]*(?:[:：]|$)")
_RULE = re.compile(r"[\s*_=~-]*|```.*")
_TABLE_RULE = re.compile(r"[\s|:-]+")
_TITLE_WORDS = 3
_TITLE_HAN = 7


@dataclass
class _Item:
    text: str
    heading: bool = False
    closed: bool = False
    below: list[str] = field(default_factory=list)

    def wording(self) -> str:
        """Return the text of the item: its line and the lines below that belong to it."""
        labelled = next(
            (line for line in self.below if drop_label(line.strip(" *_")) != line.strip(" *_")), None
        )
        if labelled:
            return labelled
        bold = _BOLD_ALONE.fullmatch(self.text.strip())
        is_title = self.heading or bold is not None
        if self.below and is_title and _is_short(self.text):
            return " ".join(self.below)
        if self.below and bold is not None:
            return self.text
        return " ".join([self.text, *self.below])

    def is_real(self) -> bool:
        """Return whether the item has text of its own and is not just a heading."""
        wording = self.wording().strip(" \t*_")
        return bool(wording) and not wording.endswith((":", "："))


@dataclass
class _Run:
    """List items with consecutive numbers."""

    kind: str
    items: list[_Item]

    def real(self) -> list[str]:
        return [item.wording() for item in self.items if item.is_real()]


def read_numbered(text: str, wanted: int | None) -> list[str]:
    """Return the items of the first numbered list with at least `wanted` items.

    If no list has so many, return those of the longest. Return [] if there is none.
    """
    runs = [run for run in _collect_runs(_lines(text)) if run.real()]
    runs = [run for run in runs if len(run.items) > 1 or run.kind not in NEVER_ALONE]
    if not runs:
        return []
    enough = [run for run in runs if wanted and len(run.real()) >= wanted]
    if enough:
        return enough[0].real()
    return max((*(run.real() for run in runs), *_joined_by_kind(runs, wanted)), key=len)


def read_bullets(text: str, wanted: int | None) -> list[str]:
    """Return the outermost items of the first bulleted list with at least `wanted` items, or of all lists."""
    groups: list[list[tuple[int, _Item]]] = [[]]
    after_blank = False
    for line in _lines(text):
        bullet = None if _RULE.fullmatch(line) else read_bullet(line)
        if bullet:
            groups[-1].append((bullet.indent, _Item(bullet.rest)))
        elif line.strip() and groups[-1]:
            if after_blank and not line.startswith((" ", "\t")):
                groups.append([])
            else:
                _add_below(groups[-1][-1][1], line, after_blank=after_blank)
        after_blank = not line.strip()
    read = []
    for group in groups:
        outermost = min((indent for indent, _item in group), default=0) + 1
        read.append([item.wording() for indent, item in group if indent <= outermost and item.is_real()])
    together = [text for group in read for text in group]
    return next((group for group in read if wanted and len(group) >= wanted), together)


def read_table(text: str) -> list[str]:
    """Return the longest cell of each row below the header of a table; [] if there is no table."""
    rows = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    rule = next((index for index, row in enumerate(rows) if _TABLE_RULE.fullmatch(row)), None)
    if rule is None:
        return []
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[rule + 1 :]]
    return [max(row, key=len) for row in cells if any(row)]


def read_lines(text: str) -> list[str]:
    """Return the lines of a text without introductions and closing remarks."""
    lines = [
        line for line in text.splitlines() if not _RULE.fullmatch(line) and not line.lstrip().startswith("#")
    ]
    kept: list[str] = []
    for line in lines:
        if is_closer(line) and kept:
            break
        said = _LEAD_IN_HEAD.sub("", line, count=1) if is_lead_in(line) else line
        if said.strip() and not is_explanation(line):
            kept.append(said)
    return kept or lines


def _lines(text: str) -> list[str]:
    return [part for line in text.splitlines() for part in split_inline(line)]


def _collect_runs(lines: list[str]) -> list[_Run]:
    runs: list[_Run] = []
    # The latest run that expects a number, by kind and number.
    waiting: dict[tuple[str, int], _Run] = {}
    last: _Item | None = None
    after_blank = False
    for line in lines:
        marks = read_marks(line)
        if marks:
            mark = next((mark for mark in marks if (mark.kind, mark.number) in waiting), marks[0])
            run = waiting.pop((mark.kind, mark.number), None)
            if run is None:
                run = _Run(mark.kind, [])
                runs.append(run)
            last = _Item(mark.rest, mark.heading)
            run.items.append(last)
            waiting[mark.kind, mark.number + 1] = run
        elif line.strip() and last is not None:
            _add_below(last, line, after_blank=after_blank)
        after_blank = not line.strip()
    return runs


def _add_below(item: _Item, line: str, *, after_blank: bool) -> None:
    """Append a line without a list mark to the item above, unless it is an explanation or ends the list."""
    empty = not item.text.strip(" \t*_:：") and not item.below
    awaited = empty or item.heading or item.text.rstrip(" *_").endswith((":", "："))
    if is_explanation(line) or is_closer(line) or _RULE.fullmatch(line) or (after_blank and not awaited):
        item.closed = True
    bullet = read_bullet(line)
    if bullet and not awaited:
        item.closed = True
    if not item.closed:
        item.below.append(bullet.rest if bullet else line.strip(" \t>"))


def _joined_by_kind(runs: list[_Run], wanted: int | None) -> list[list[str]]:
    """Join the items of lists of the same kind, for each kind whose lists seem to belong together.

    This is so if each list has one item, or all have `wanted` items in total: some models restart the numbers
    for each group, or number every item 1.
    """
    by_kind: dict[str, list[_Run]] = defaultdict(list)
    for run in runs:
        by_kind[run.kind].append(run)
    joined: list[list[str]] = []
    for alike in by_kind.values():
        together = [text for run in alike for text in run.real()]
        if all(len(run.items) == 1 for run in alike) or len(together) == wanted:
            joined.append(together)
    return joined


def _is_short(text: str) -> bool:
    bare = text.strip(" \t*_:：")
    return (
        len(bare.split()) <= _TITLE_WORDS and sum("\u4e00" <= char <= "\u9fff" for char in bare) <= _TITLE_HAN
    )
