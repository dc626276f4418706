"""Charts of labelled rows, one below the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from parable.charts.marks import (
    LETTER,
    Chart,
    Mark,
    Rows,
    Share,
    dot,
    legend_of,
    letters,
    line,
    lines_of,
    rect,
    text,
)
from parable.charts.scales import Scale

NARROW: Final = 356
"""Width of charts of rows; it fits a phone without scaling, so that text stays legible."""
ROW: Final = 40
LEFT: Final = 6
WIDE: Final = NARROW - 2 * LEFT
_WORDS_AT, _SHAPE_AT, _LINE = 14, 26, 14
_LEAST: Final = 12
"""The room of a label, in Latin letters, beside the longest value."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its label, its value as text, and its values as dots, as a span, or as parts of a bar."""

    label: str
    note: str = ""
    dots: Sequence[tuple[str, Share]] = ()
    span: tuple[Share, Share] = (None, None)
    parts: Sequence[tuple[str, float, str]] = ()


def by_row(
    caption: str,
    found: Sequence[Row],
    scale: Scale,
    *,
    chance: Share = None,
    legend: Sequence[tuple[str, str]] = (),
    rows: Rows = (),
) -> Chart:
    """Return a chart of rows on a common x axis.

    The legend explains the kinds of dots or of bar parts.
    """
    tops = [*accumulate((ROW + _LINE * (len(_label(one)) - 1) for one in found), initial=0)]
    bottom = tops[-1] + 6
    marks = [mark for top, one in zip(tops, found, strict=False) for mark in _row(one, top, scale, chance)]
    marks.append(line("axis", LEFT, bottom, LEFT + WIDE, bottom))
    for tick, words in scale.ticks:
        anchor = {scale.low: "start", scale.high: "end"}.get(tick, "middle")
        marks.append(text(words, _along(scale, tick), bottom + 14, anchor))
    marks += legend_of(legend, LEFT, bottom + 34, WIDE)
    height = bottom + 22 + 18 * -(-len(legend) // 3) + (8 if legend else 0)
    return Chart(caption, NARROW, height, tuple(marks), rows)


def _along(scale: Scale, value: float) -> float:
    return scale.along(value, LEFT, LEFT + WIDE)


def _label(one: Row) -> list[str]:
    """Return the whole label as lines beside the value."""
    return lines_of(one.label, max(WIDE / LETTER - letters(one.note) - 2, _LEAST))


def _row(one: Row, top: int, scale: Scale, chance: Share) -> Iterator[Mark]:
    label = _label(one)
    y = top + _SHAPE_AT + _LINE * (len(label) - 1)
    if chance is not None:
        yield line("chance", _along(scale, chance), y - 8, _along(scale, chance), y + 8)
    if not one.parts:
        ticks = (_along(scale, tick) for tick, _words in scale.ticks)
        yield from (line("axis", x, y - 3, x, y + 3) for x in ticks)
    yield from (text(words, LEFT, top + _WORDS_AT + _LINE * at) for at, words in enumerate(label))
    yield text(one.note, LEFT + WIDE, top + _WORDS_AT, "end")
    low, high = one.span
    if low is not None and high is not None:
        yield line("span", _along(scale, low), y, _along(scale, high), y)
    yield from (dot(kind, _along(scale, value), y) for kind, value in one.dots if value is not None)
    starts = accumulate((value for _kind, value, _says in one.parts), initial=0.0)
    for start, (kind, value, says) in zip(starts, one.parts, strict=False):
        if value:
            x = _along(scale, start)
            yield rect(kind, x, y - 6, _along(scale, start + value) - x, 10, says)


# --- days: a strip of bars for each series ---

_STRIP, _TALL = 68, 34


def by_day(
    caption: str, days: Sequence[str], found: Sequence[tuple[str, str, Sequence[int]]], *, rows: Rows = ()
) -> Chart:
    """Return a chart with a strip of daily bars for each series; each strip has its own scale.

    `found` has the label, the note and the daily counts of each series.
    """
    marks = []
    step = WIDE / len(days)
    for index, (label, note, counts) in enumerate(found):
        top, most = _STRIP * index, max(counts) or 1
        base = top + _WORDS_AT + 8 + _TALL
        marks.append(text(label, LEFT, top + _WORDS_AT))
        marks.append(text(note, LEFT + WIDE, top + _WORDS_AT, "end"))
        for place, (day, count) in enumerate(zip(days, counts, strict=True)):
            tall = _TALL * count / most
            marks.append(rect("bar", LEFT + place * step + 1, base - tall, step - 2, tall, f"{day}: {count}"))
        marks.append(line("axis", LEFT, base + 0.5, LEFT + WIDE, base + 0.5))
    bottom = _STRIP * len(found)
    marks += (text(days[0], LEFT, bottom + 6), text(days[-1], LEFT + WIDE, bottom + 6, "end"))
    return Chart(caption, NARROW, bottom + 12, tuple(marks), rows)
