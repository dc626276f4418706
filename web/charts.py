"""Charts of pages: marks in the units of a picture, which the style sheet colours.

`{{ chart }}` draws one in a page; `svg_file` gives the same as a file of its own. Nothing here needs a
library, a worker or a script. What a chart shows is also in its `rows`, for readers who cannot see it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final
from unicodedata import east_asian_width

from django.http import HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from web.numbers import percent

NARROW: Final = 356
"""The width of charts of rows: on a phone as it is, so that their letters are not made smaller."""
_SMALL: Final = (200, 26)
_NO_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What a name may contain, and XML may not."""
_FILE_STYLE: Final = SafeString(
    "text{fill:#554e45}.axis,.span,.curve,.chance{stroke:#221e19;fill:none}.axis{stroke:#8a8173}"
    ".span{stroke-width:2}.curve{stroke-width:1.6}.chance{stroke:#6a6258;stroke-dasharray:2 3}"
    ".dot{fill:#221e19}.bar{fill:#8a8173}.part{fill:#221e19}.n0{fill:#7c5000}.n1{fill-opacity:.25}"
    ".n2{fill-opacity:.5}.n3{fill-opacity:.85}"
)
"""The colours of light paper, for a file that no style sheet reaches."""

Number = float | int
Share = float | None
Rows = Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that is drawn: an element of SVG, its class, its position, and its text."""

    tag: str
    kind: str
    at: Mapping[str, Number | str]
    says: str = ""

    def as_svg(self) -> SafeString:
        """The element; what a shape says is its title, shown where a pointer rests."""
        where = format_html_join(
            "", ' {}="{}"', ((name.replace("_", "-"), at) for name, at in self.at.items())
        )
        said = _NO_XML.sub("", self.says)
        if said and self.tag != "text":
            said = format_html("<title>{}</title>", said)
        kind = format_html(' class="{}"', self.kind) if self.kind else ""
        return format_html("<{0}{1}{2}>{3}</{0}>", self.tag, kind, where, said)


@dataclass(frozen=True, slots=True)
class Chart:
    """Marks in their order, with what they show in words and the table behind them, its heading first.

    `width` and `height` are those of the picture in its own units; a page shows it `shown` pixels wide.
    """

    caption: str
    width: int
    height: int
    marks: tuple[Mark, ...]
    rows: Rows = ()
    tone: str = ""
    shown: int = 0

    def __str__(self) -> SafeString:
        return format_html(
            '<svg class="{}" viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">{}</svg>',
            f"drawn {self.tone}".strip(), self.width, self.height, self.shown or self.width, self.caption,
            self.drawn(),
        )  # fmt: skip

    __html__ = __str__

    def drawn(self) -> SafeString:
        """The marks alone."""
        return format_html_join("", "{}", ((mark.as_svg(),) for mark in self.marks))


def svg_file(chart: Chart, name: str, title: str = "") -> HttpResponse:
    """A chart as a file to take away, in the reader's language: the same figures give the same bytes."""
    above = 28
    picture = format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" xml:lang="{lang}" viewBox="0 -{above} {width} {height}"'
        ' width="{width}" height="{height}" role="img" font-family="sans-serif" font-size="11">'
        '<style>{style}</style><title>{title}</title>'
        '<rect fill="#ffffff" y="-{above}" width="100%" height="100%"/>'
        '<text x="4" y="-10" font-size="13">{title}</text>{drawn}</svg>\n',
        lang=get_language() or "en", above=above, width=chart.width, height=chart.height + above,
        style=_FILE_STYLE, title=title or chart.caption, drawn=chart.drawn(),
    )  # fmt: skip
    response = HttpResponse(picture, content_type="image/svg+xml")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.svg"'
    return response


def line(kind: str, x1: Number, y1: Number, x2: Number, y2: Number) -> Mark:
    """A straight line."""
    return Mark("line", kind, {"x1": _round(x1), "x2": _round(x2), "y1": _round(y1), "y2": _round(y2)})


def rect(kind: str, x: Number, y: Number, width: Number, height: Number, says: str = "") -> Mark:
    """A bar or a field."""
    at = {"x": _round(x), "y": _round(y), "width": _round(width), "height": _round(height)}
    return Mark("rect", kind, at, says)


def dot(kind: str, x: Number, y: Number, r: Number = 4, says: str = "") -> Mark:
    """A dot, or a ring."""
    return Mark("circle", kind, {"cx": _round(x), "cy": _round(y), "r": r}, says)


def text(says: str, x: Number, y: Number, anchor: str = "start", kind: str = "") -> Mark:
    """Words."""
    return Mark("text", kind, {"x": _round(x), "y": _round(y), "text_anchor": anchor}, says)


def _round(value: Number) -> Number:
    return round(value, 1)


# --- small charts, beside a figure ---


def interval(
    caption: str, *, at: Share, low: Share, high: Share, chance: Share = None, threshold: Share = None,
    tone: str = "",
) -> Chart:  # fmt: skip
    """A figure and its interval as a dot on a line from 0 to 100; chance, and where a gate closes."""
    width, height = _SMALL

    def x(share: float) -> float:
        return width * share / 100

    marks = [line("axis", 0, 20.5, width, 20.5)]
    if chance is not None:
        marks.append(line("chance", x(chance), 2, x(chance), 24))
    if threshold is not None:
        marks.append(line("axis", x(threshold), 15, x(threshold), 24))
    if low is not None and high is not None:
        marks.append(line("span", x(low), 10, x(high), 10))
    if at is not None:
        marks.append(dot("dot", x(at), 10))
    return Chart(caption, width, height, tuple(marks), tone=tone)


def columns(caption: str, counts: Sequence[int]) -> Chart:
    """How often each of a few things was counted."""
    width, height = _SMALL
    step, most = width / max(len(counts), 1), max(counts, default=0) or 1
    bars = (
        rect("bar", place * step + 2, height - 1 - tall, step - 4, tall)
        for place, tall in enumerate((height - 4) * count / most for count in counts)
    )
    return Chart(caption, width, height, (*bars, line("axis", 0, height - 0.5, width, height - 0.5)))


# --- charts by row: one below the other, each under its own words ---

ROW: Final = 40
LEFT: Final = 6
WIDE: Final = NARROW - 2 * LEFT
_WORDS_AT, _SHAPE_AT = 14, 26
_COLUMN: Final = 5.8
"""The width of a Latin letter; a Chinese one takes two of them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its words, its figure in words, and shares of one: dots, from where to where, or parts."""

    label: str
    note: str = ""
    dots: Sequence[tuple[str, Share]] = ()
    span: tuple[Share, Share] = (None, None)
    parts: Sequence[tuple[str, float, str]] = ()


def by_row(
    caption: str,
    found: Sequence[Row],
    *,
    chance: Share = None,
    legend: Sequence[tuple[str, str]] = (),
    rows: Rows = (),
) -> Chart:
    """Each row on the same axis from 0 to 100 %; the legend names kinds of dots or parts."""
    bottom = ROW * len(found) + 6
    marks = [mark for place, one in enumerate(found) for mark in _row(one, ROW * place, chance)]
    marks += _axis(bottom)
    marks += _legend(legend, bottom + 34)
    height = bottom + 22 + 18 * -(-len(legend) // 3) + (8 if legend else 0)
    return Chart(caption, NARROW, height, tuple(marks), rows)


def _row(one: Row, top: int, chance: Share) -> Iterator[Mark]:
    y = top + _SHAPE_AT
    if chance is not None:
        yield line("chance", _along(chance), y - 8, _along(chance), y + 8)
    if not one.parts:
        yield from (line("axis", _along(share), y - 3, _along(share), y + 3) for share in _QUARTERS)
    yield text(fit(one.label, WIDE / _COLUMN - _columns(one.note) - 2), LEFT, top + _WORDS_AT)
    yield text(one.note, LEFT + WIDE, top + _WORDS_AT, "end")
    low, high = one.span
    if low is not None and high is not None:
        yield line("span", _along(low), y, _along(high), y)
    yield from (dot(kind, _along(share), y) for kind, share in one.dots if share is not None)
    starts = accumulate((share for _kind, share, _says in one.parts), initial=0.0)
    for start, (kind, share, says) in zip(starts, one.parts, strict=False):
        if share:
            yield rect(kind, _along(start), y - 6, share * WIDE, 10, says)


_QUARTERS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def _axis(y: int) -> Iterator[Mark]:
    yield line("axis", LEFT, y, LEFT + WIDE, y)
    for share in _QUARTERS:
        anchor = {0.0: "start", 1.0: "end"}.get(share, "middle")
        yield text(percent(share, 0), _along(share), y + 14, anchor)


def _legend(legend: Sequence[tuple[str, str]], top: int) -> Iterator[Mark]:
    for place, (kind, words) in enumerate(legend):
        x, y = LEFT + place % 3 * WIDE / 3, top + place // 3 * 18
        is_part = kind.startswith("part")
        yield rect(kind, x, y - 9, 10, 10) if is_part else dot(kind, x + 5, y - 4)
        yield text(words, x + 15, y)


def _along(share: float) -> float:
    return LEFT + share * WIDE


def _columns(words: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in words)


def fit(words: str, room: float) -> str:
    """Words that take no more room, counted in Latin letters."""
    if _columns(words) <= room:
        return words
    widths = accumulate(map(_columns, words))
    return "".join(char for char, width in zip(words, widths, strict=True) if width < room) + "…"


# --- days: a strip of bars for each of a few things ---

_STRIP, _TALL = 68, 34


def by_day(
    caption: str, days: Sequence[str], found: Sequence[tuple[str, str, Sequence[int]]], *, rows: Rows = ()
) -> Chart:
    """Strips of a bar a day, each under its words and its figure, to the scale of its highest day."""
    marks = [mark for place, one in enumerate(found) for mark in _strip(*one, days, _STRIP * place)]
    bottom = _STRIP * len(found)
    marks += (text(days[0], LEFT, bottom + 6), text(days[-1], LEFT + WIDE, bottom + 6, "end"))
    return Chart(caption, NARROW, bottom + 12, tuple(marks), rows)


def _strip(label: str, note: str, counts: Sequence[int], days: Sequence[str], top: int) -> Iterator[Mark]:
    base, step, most = top + _WORDS_AT + 8 + _TALL, WIDE / len(days), max(counts) or 1
    yield text(label, LEFT, top + _WORDS_AT)
    yield text(note, LEFT + WIDE, top + _WORDS_AT, "end")
    for place, (day, count) in enumerate(zip(days, counts, strict=True)):
        tall = _TALL * count / most
        yield rect("bar", LEFT + place * step + 1, base - tall, step - 2, tall, f"{day}: {count}")
    yield line("axis", LEFT, base + 0.5, LEFT + WIDE, base + 0.5)


# --- a grid: a field a figure, the stronger the further from nothing ---

_FIELD: Final = (54, 24)
_BESIDE: Final = 20
_FAINTEST, _STRONGEST = 0.04, 0.34
"""Of the ink of a field; past the latter its figure would be hard to read."""


@dataclass(frozen=True, slots=True)
class Field:
    """A figure in words, and how far it goes, from -1 to 1."""

    says: str
    strength: float


def grid(caption: str, heads: Sequence[str], found: Sequence[tuple[str, Sequence[Field | None]]], *,
         rows: Rows = ()) -> Chart:  # fmt: skip
    """A row of fields under heads; heads that are wider than a field stand upright."""
    width, height = _FIELD
    left = 8 + _COLUMN * max((min(_columns(label), _BESIDE) for label, _fields in found), default=0)
    is_upright = any(_columns(head) * _COLUMN > width + 6 for head in heads)
    above = (
        8 + _COLUMN * max((min(_columns(head), _BESIDE) for head in heads), default=0) if is_upright else 18
    )
    marks = []
    for place, head in enumerate(heads):
        x = left + place * width + width / 2
        words = text(fit(head, _BESIDE), x, above - 6, "start" if is_upright else "middle")
        turned = {
            **words.at,
            "transform": f"rotate(-90 {_round(x + 4)} {_round(above - 6)})",
            "x": _round(x + 4),
        }
        marks.append(replace(words, at=turned) if is_upright else words)
    for at, (label, fields) in enumerate(found):
        y = above + at * height
        marks.append(text(fit(label, _BESIDE), left - 6, y + 16, "end"))
        for place, one in enumerate(fields):
            if one is not None:
                x = left + place * width
                marks += _field(one, x, y)
    size = round(left + width * len(heads)), round(above + height * len(found))
    return Chart(caption, *size, tuple(marks), rows)


def _field(one: Field, x: float, y: float) -> Iterator[Mark]:
    width, height = _FIELD
    ink = _FAINTEST + (_STRONGEST - _FAINTEST) * min(abs(one.strength), 1)
    drawn = rect("field less" if one.strength < 0 else "field", x, y, width - 2, height - 2)
    yield replace(drawn, at={**drawn.at, "fill_opacity": round(ink, 2)})
    yield text(one.says, x + width / 2 - 1, y + 15, "middle", "on-field")


# --- a plane: shares over a scale, with people on the scale ---

_PLANE: Final = (400, 212)
_FROM, _TO, _TOP, _BASE = 32, 392, 12, 172


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale below a plane, from `low` to `high`, with its name."""

    low: float
    high: float
    name: str

    def x(self, value: float) -> float:
        """The position of a value; one beyond an end is drawn at that end."""
        kept = min(max(value, self.low), self.high)
        return _FROM + (_TO - _FROM) * (kept - self.low) / (self.high - self.low)


def plane(
    caption: str,
    scale: Scale,
    *,
    top: str,
    bars: Iterable[tuple[float, float, float]] = (),
    curve: Sequence[tuple[float, float]] = (),
    people: Iterable[tuple[float, str]] = (),
    half: bool = False,
    rows: Rows = (),
) -> Chart:
    """Bars from value to value and a curve, in shares of what `top` says; people as dots; a line at half."""

    def y(share: float) -> float:
        return _BASE - (_BASE - _TOP) * share

    marks = (
        [line("chance", _FROM, y(0.5), _TO, y(0.5)), text("0.5", _FROM - 6, y(0.5) + 4, "end")]
        if half
        else []
    )
    for low, high, share in bars:
        marks.append(rect("bar", scale.x(low), y(share), scale.x(high) - scale.x(low) - 1, _BASE - y(share)))
    if curve:
        points = " ".join(f"{_round(scale.x(at))},{_round(y(share))}" for at, share in curve)
        marks.append(Mark("polyline", "curve", {"points": points}))
    marks += (dot("dot", scale.x(at), _BASE - 4, 4, name) for at, name in people)
    marks += (line("axis", _FROM, _BASE + 0.5, _TO, _BASE + 0.5), text(top, _FROM - 6, _TOP + 4, "end"))
    for value in range(round(scale.low), round(scale.high) + 1):
        x = scale.x(value)
        marks += (line("axis", x, _BASE, x, _BASE + 4), text(f"{value:g}", x, _BASE + 17, "middle"))
    marks.append(text(scale.name, (_FROM + _TO) / 2, _BASE + 34, "middle"))
    return Chart(caption, *_PLANE, tuple(marks), rows, shown=560)
