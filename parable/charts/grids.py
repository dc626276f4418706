"""Grids of cells, one per value, with stronger colours for values further from 0."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from parable.charts.marks import LETTER, Chart, Rows, letters, rect, rounded, text

_FIELD: Final = (54, 24)
_FAINTEST, _STRONGEST = 0.04, 0.34
"""Opacity of the faintest and strongest cells; text on stronger cells would be hard to read."""


@dataclass(frozen=True, slots=True)
class Field:
    """A cell of a grid: its text, and its strength from -1 to 1, which sets the colour."""

    says: str
    strength: float


def grid(
    caption: str,
    heads: Sequence[str],
    found: Sequence[tuple[str, Sequence[Field | None]]],
    *,
    rows: Rows = (),
) -> Chart:
    """Return a chart of cells in labelled rows, under headings; all headings are vertical if one is too wide.

    `found` has the label and the cells of each row; the chart leaves a gap for None. `rows` is the table of
    the data.
    """
    width, height = _FIELD
    left = 8 + LETTER * max((letters(label) for label, _fields in found), default=0)
    is_upright = any(letters(head) * LETTER > width + 6 for head in heads)
    above = 8 + LETTER * max((letters(head) for head in heads), default=0) if is_upright else 18
    marks = []
    for index, head in enumerate(heads):
        x = left + index * width + width / 2
        if is_upright:
            turned = f"rotate(-90 {rounded(x + 4)} {rounded(above - 6)})"
            words = text(head, x + 4, above - 6)
            marks.append(replace(words, at={**words.at, "transform": turned}))
        else:
            marks.append(text(head, x, above - 6, "middle"))
    for at, (label, fields) in enumerate(found):
        y = above + at * height
        marks.append(text(label, left - 6, y + 16, "end"))
        for index, one in enumerate(fields):
            if one is None:
                continue
            x = left + index * width
            ink = _FAINTEST + (_STRONGEST - _FAINTEST) * min(abs(one.strength), 1)
            drawn = rect("field less" if one.strength < 0 else "field", x, y, width - 2, height - 2)
            marks.append(replace(drawn, at={**drawn.at, "fill_opacity": round(ink, 2)}))
            marks.append(text(one.says, x + width / 2 - 1, y + 15, "middle", "on-field"))
    size = round(left + width * len(heads)), round(above + height * len(found))
    return Chart(caption, *size, tuple(marks), rows)
