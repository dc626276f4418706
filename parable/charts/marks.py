"""SVG elements, charts that consist of them, and the width of text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Final
from unicodedata import east_asian_width

_NO_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that names may contain but XML forbids."""
LETTER: Final = 5.8
"""The width of a Latin letter in SVG units; a Chinese character is twice as wide."""

Number = float | int
Share = float | None
Rows = Sequence[Sequence[object]]


class Svg(str):
    """SVG markup, which page templates do not escape."""

    __slots__ = ()

    def __html__(self) -> "Svg":
        return self


def escaped(words: str) -> str:
    """Return a text escaped for XML, without characters that XML forbids."""
    return escape(_NO_XML.sub("", words))


@dataclass(frozen=True, slots=True)
class Mark:
    """An SVG element: its tag, class (`kind`), attributes (`at`) and text (`says`)."""

    tag: str
    kind: str
    at: Mapping[str, Number | str]
    says: str = ""

    def as_svg(self) -> str:
        """Return the element as SVG; the text of a shape is its title, shown on hover."""
        where = "".join(f' {name.replace("_", "-")}="{at}"' for name, at in self.at.items())
        said = escaped(self.says)
        if said and self.tag != "text":
            said = f"<title>{said}</title>"
        kind = f' class="{self.kind}"' if self.kind else ""
        return f"<{self.tag}{kind}{where}>{said}</{self.tag}>"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: SVG elements in drawing order, a caption, and the data as a table (`rows`) with a heading.

    `width` and `height` are in SVG units; `shown` is the width on a page in pixels, or 0 for `width`.
    """

    caption: str
    width: int
    height: int
    marks: tuple[Mark, ...]
    rows: Rows = ()
    tone: str = ""
    shown: int = 0

    def __str__(self) -> Svg:
        return Svg(
            f'<svg class="{f"drawn {self.tone}".strip()}" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.shown or self.width}" role="img" aria-label="{escaped(self.caption)}">'
            f"{self.drawn()}</svg>"
        )

    __html__ = __str__

    def drawn(self) -> str:
        """Return the elements as SVG, without the enclosing `svg` element."""
        return "".join(mark.as_svg() for mark in self.marks)


def line(kind: str, x1: Number, y1: Number, x2: Number, y2: Number) -> Mark:
    """Return the SVG element of a straight line."""
    return Mark("line", kind, {"x1": rounded(x1), "x2": rounded(x2), "y1": rounded(y1), "y2": rounded(y2)})


def rect(kind: str, x: Number, y: Number, width: Number, height: Number, says: str = "") -> Mark:
    """Return the SVG element of a bar or cell."""
    at = {"x": rounded(x), "y": rounded(y), "width": rounded(width), "height": rounded(height)}
    return Mark("rect", kind, at, says)


def dot(kind: str, x: Number, y: Number, r: Number = 4, says: str = "") -> Mark:
    """Return the SVG element of a dot or ring."""
    return Mark("circle", kind, {"cx": rounded(x), "cy": rounded(y), "r": r}, says)


def text(says: str, x: Number, y: Number, anchor: str = "start", kind: str = "") -> Mark:
    """Return the SVG element of a text."""
    return Mark("text", kind, {"x": rounded(x), "y": rounded(y), "text_anchor": anchor}, says)


def rounded(value: Number) -> Number:
    """Return a coordinate rounded to a tenth of a unit."""
    return round(value, 1)


def letters(words: str) -> int:
    """Return the width of a text, counted in Latin letters."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in words)


def fit(words: str, room: float) -> str:
    """Return a text, shortened if it is wider than `room`, which is counted in Latin letters."""
    if letters(words) <= room:
        return words
    widths = accumulate(map(letters, words))
    return "".join(char for char, width in zip(words, widths, strict=True) if width < room) + "…"


def lines_of(words: str, room: float) -> list[str]:
    """Return a text as lines of at most `room` Latin letters, broken after a space or sign if possible."""
    lines, line = [], ""
    for char in words:
        if line and letters(line + char) > room:
            at = max(line.rfind(sign) for sign in " -_/") + 1 or len(line)
            lines.append(line[:at].rstrip())
            line = line[at:]
        line += char
    return [*lines, line]


def legend_of(
    legend: Sequence[tuple[str, str]], left: Number, top: Number, width: Number
) -> tuple[Mark, ...]:
    """Return the elements of a legend, three entries to a row; `legend` has the class and label of each."""
    marks: list[Mark] = []
    for index, (kind, words) in enumerate(legend):
        x, y = left + index % 3 * width / 3, top + index // 3 * 18
        is_dot = kind in {"dot", "open"}
        marks += (
            dot(kind, x + 5, y - 4) if is_dot else rect(kind, x, y - 9, 10, 10),
            text(words, x + 15, y),
        )
    return tuple(marks)
