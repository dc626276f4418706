"""Charts with two axes: bars, columns, a curve or dots."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from parable.charts.marks import (
    LETTER,
    Chart,
    Mark,
    Rows,
    dot,
    legend_of,
    letters,
    line,
    rect,
    rounded,
    text,
)
from parable.charts.scales import Scale, counts

PLANE: Final = 400
_HEIGHT: Final = 212
_LEFT, _RIGHT, _TOP, _FOOT = 32, 8, 12, 40
_SHOWN: Final = 560
_LETTER_TALL: Final = 12


@dataclass(frozen=True, slots=True)
class Frame:
    """The axes of a chart: their scales, and the coordinates of their ends."""

    across: Scale
    up: Scale
    left: float
    right: float
    top: float
    base: float

    def x(self, value: float) -> float:
        """Return the x coordinate of a value."""
        return self.across.along(value, self.left, self.right)

    def y(self, value: float) -> float:
        """Return the y coordinate of a value."""
        return self.up.along(value, self.base, self.top)

    def axes(self) -> Iterator[Mark]:
        """Yield the elements of both axes, with ticks and names."""
        left, base = self.left, self.base
        yield line("axis", left, base + 0.5, self.right, base + 0.5)
        yield line("axis", left - 0.5, self.top, left - 0.5, base)
        for value, words in self.across.ticks:
            x = self.x(value)
            yield from (line("axis", x, base, x, base + 4), text(words, x, base + 17, "middle"))
        for value, words in self.up.ticks:
            y = self.y(value)
            yield from (line("axis", left - 4, y, left, y), text(words, left - 6, y + 4, "end"))
        yield text(self.across.name, (left + self.right) / 2, base + 34, "middle")
        if self.up.name:
            yield text(self.up.name, 0, _TOP)


def _frame(across: Scale, up: Scale, width: int = PLANE, height: int = _HEIGHT) -> Frame:
    widest = max((letters(words) for _value, words in up.ticks), default=0)
    top = _TOP + 16 if up.name else _TOP
    return Frame(across, up, max(_LEFT, 8 + LETTER * widest), width - _RIGHT, top, height - _FOOT)


def plane(
    caption: str,
    across: Scale,
    up: Scale,
    *,
    bars: Iterable[tuple[float, float, float]] = (),
    curve: Sequence[tuple[float, float]] = (),
    people: Iterable[tuple[float, str]] = (),
    chance: float | None = None,
    width: int = PLANE,
    rows: Rows = (),
) -> Chart:
    """Return a chart of bars and a curve, with people as dots on the x axis and a line at chance level.

    `bars` are (start, end, height), `curve` has (x, y) of its points, `people` are (x, name).
    """
    frame = _frame(across, up, width)
    marks = []
    if chance is not None:
        marks.append(line("chance", frame.left, frame.y(chance), frame.right, frame.y(chance)))
    for low, high, tall in bars:
        x, y = frame.x(low), frame.y(tall)
        marks.append(rect("bar", x, y, frame.x(high) - x - 1, frame.base - y))
    if curve:
        points = " ".join(f"{rounded(frame.x(at))},{rounded(frame.y(value))}" for at, value in curve)
        marks.append(Mark("polyline", "curve", {"points": points}))
    marks += (dot("dot", frame.x(at), frame.base - 4, 4, name) for at, name in people)
    marks += frame.axes()
    return Chart(caption, width, _HEIGHT, tuple(marks), rows, shown=_SHOWN if width == PLANE else 0)


_KINDS: Final = ("part", "part refused", "part n1", "part n2")
_GROUP: Final = 0.8
"""Share of a group's width that its columns take."""


def groups(
    caption: str, labels: Sequence[str], found: Sequence[tuple[str, Sequence[int]]], unit: str
) -> Chart:
    """Return a chart with a group of up to four columns for each label.

    `found` has the name of each column of a group, and its count in every group. `unit` is the name of the y
    axis.
    """
    most = max((count for _name, numbers in found for count in numbers), default=0)
    across = Scale(0, len(labels), ticks=tuple((index + 0.5, words) for index, words in enumerate(labels)))
    frame = _frame(across, counts(most, unit))
    step = _GROUP / max(len(found), 1)
    marks = []
    for number, (kind, (name, numbers)) in enumerate(zip(_KINDS, found, strict=False)):
        for index, count in enumerate(numbers):
            x, y = frame.x(index + (1 - _GROUP) / 2 + step * number), frame.y(count)
            wide = frame.x(index + (1 - _GROUP) / 2 + step * (number + 1)) - x
            says = f"{name} {labels[index]}: {count}".strip()
            marks.append(rect(kind, x, y, wide - 1, frame.base - y, says))
    marks += frame.axes()
    if len(found) > 1:
        legend = [(kind, name) for kind, (name, _numbers) in zip(_KINDS, found, strict=False)]
        marks += legend_of(legend, frame.left, _HEIGHT - 4, frame.right - frame.left)
    return Chart(caption, PLANE, _HEIGHT, tuple(marks), shown=_SHOWN)


@dataclass(frozen=True, slots=True)
class Dot:
    """A dot at two values; `name` is written beside it if there is room, `says` is shown on hover."""

    x: float
    y: float
    name: str = ""
    says: str = ""
    kind: str = "dot"


def scatter(caption: str, across: Scale, up: Scale, dots: Sequence[Dot], *, is_square: bool = False) -> Chart:
    """Return a chart of dots between two axes; if `is_square`, with a diagonal for equal values."""
    size = (PLANE, PLANE) if is_square else (PLANE, _HEIGHT + 60)
    frame = _frame(across, up, *size)
    marks = [line("chance", frame.left, frame.base, frame.right, frame.top)] if is_square else []
    marks += frame.axes()
    placed = [(frame.x(one.x), frame.y(one.y)) for one in dots]
    marks += (dot(one.kind, *at, 4, one.says) for one, at in zip(dots, placed, strict=True))
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in placed]
    for one, (x, y) in zip(dots, placed, strict=True):
        if one.name and (free := _free(one.name, x, y, taken, frame)):
            taken.append(free)
            marks.append(text(one.name, free[0], free[3] - 2))
    return Chart(caption, *size, tuple(marks))


Box = tuple[float, float, float, float]


def _free(name: str, x: float, y: float, taken: Sequence[Box], frame: Frame) -> Box | None:
    """Return a free box for a name beside, above or below its dot; None if there is no room."""
    wide = LETTER * letters(name)
    for left, top in ((x + 6, y - 6), (x - 6 - wide, y - 6), (x - wide / 2, y - 18), (x - wide / 2, y + 6)):
        right, base = left + wide, top + _LETTER_TALL
        is_within = frame.left <= left and right <= frame.right + _RIGHT and top > 0
        overlaps = (
            left < other[2] and other[0] < right and top < other[3] and other[1] < base for other in taken
        )
        if is_within and not any(overlaps):
            return left, top, right, base
    return None
