"""Where the marks of a plot stand, in the units of its picture; the templates draw them.

A page and a file of its own (`item_plot.svg`) draw the same: `caption`, `axis`, `bars`, `points` of a curve,
`marks` of examinees, `ticks` below, `scale` at the left, `chance` where a line stands at one half; `rows` is
the table behind it.
"""

import math
import re
from itertools import pairwise
from typing import Any, Final

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

WIDTH: Final = 640
HEIGHT: Final = 220
LEFT: Final = 36
RIGHT: Final = 12
TOP: Final = 12
BASE: Final = 190
LOWEST: Final = -4.0
HIGHEST: Final = 4.0
PLOT: Final = "evaluation/item_plot.svg"
_NO_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What may stand in a name, and in no XML."""


def _x(ability: float) -> float:
    kept = min(max(ability, LOWEST), HIGHEST)
    return round(LEFT + (WIDTH - LEFT - RIGHT) * (kept - LOWEST) / (HIGHEST - LOWEST), 1)


def _y(share: float) -> float:
    return round(BASE - (BASE - TOP) * share, 1)


def _ticks() -> list[dict[str, float | str]]:
    return [{"x": _x(value), "label": f"{value:g}"} for value in range(-4, 5)]


def svg_file(plot: dict[str, Any], name: str, of: str = "") -> HttpResponse:
    """A plot as a file to take away, in the reader's language; `of` is the item it speaks of, if one.

    The same figures in the same language give the same bytes.
    """
    drawn = {**plot, "marks": [{**one, "name": _NO_XML.sub("", one["name"])} for one in plot["marks"]]}
    context = {"plot": drawn, "of": of, "lang": get_language() or "en"}
    response = HttpResponse(render_to_string(PLOT, context).strip() + "\n", content_type="image/svg+xml")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.svg"'
    return response


def wright_plot(summary: dict[str, Any]) -> dict[str, Any] | None:
    """How many items have which difficulty, and where examinees stand on the same scale."""
    counts = summary.get("difficulties")
    if not counts:
        return None
    most = max(counts)
    bins = list(zip(pairwise(summary["bins"]), counts, strict=True))
    bars = [_bar(low, high, n / most) for (low, high), n in bins if n]
    people = [one for one in summary["people"] if one.get("ability") is not None]
    marks = [{"x": _x(one["ability"]), "r": 4, "name": one["name"]} for one in people]
    rows = [["b", "n"], *([f"{low:g} … {high:g}", n] for (low, high), n in bins)]
    return {
        "caption": _("Difficulties of the items (bars) and abilities of the examinees (dots) on one scale"),
        "axis": _("Ability, difficulty"),
        "bars": bars,
        "marks": marks,
        "ticks": _ticks(),
        "scale": [{"y": 20, "label": str(most)}],
        "rows": rows,
    }


def _bar(low: float, high: float, share: float) -> dict[str, float]:
    y = _y(share)
    return {"x": _x(low), "width": round(_x(high) - _x(low) - 1, 1), "y": y, "height": round(BASE - y, 1)}


def information_plot(summary: dict[str, Any]) -> dict[str, Any] | None:
    """How finely the whole test measures at each ability."""
    values = summary.get("information")
    if not values:
        return None
    most = max([*values, 1e-9])
    points = " ".join(
        f"{_x(point)},{_y(value / most)}" for point, value in zip(summary["points"], values, strict=True)
    )
    rows = [["θ", "I"], *([f"{point:g}", f"{value:.2f}"] for point, value in
            list(zip(summary["points"], values, strict=True))[::10])]  # fmt: skip
    return {
        "caption": _("How finely all items together measure at each ability (information)"),
        "axis": _("Ability"),
        "points": points,
        "marks": [],
        "ticks": _ticks(),
        "scale": [{"y": 20, "label": f"{most:.1f}"}],
        "rows": rows,
    }


def curve_plot(row: dict[str, Any], people: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The chance of a right answer by ability; None where nothing was estimated."""
    slope, intercept = row.get("discrimination"), row.get("intercept")
    if slope is None or intercept is None:
        return None
    guessing = row.get("guessing") or 0.0
    steps = [LOWEST + (HIGHEST - LOWEST) * step / 80 for step in range(81)]
    found = [(at, guessing + (1 - guessing) / (1 + math.exp(-(slope * at + intercept)))) for at in steps]
    marks = [one for one in people if one.get("ability") is not None]
    return {
        "caption": _("The chance of a right answer by ability; dots are the examinees"),
        "axis": _("Ability"),
        "points": " ".join(f"{_x(at)},{_y(chance)}" for at, chance in found),
        "ticks": _ticks(),
        "marks": [{"x": _x(one["ability"]), "r": 3, "name": one["name"]} for one in marks],
        "scale": [{"y": 16, "label": "1"}, {"y": 105, "label": "0.5"}],
        "chance": True,
        "rows": [["θ", "P"], *([f"{at:g}", f"{chance:.2f}"] for at, chance in found[::10])],
    }
