"""The charts of a calibration: items and examinees on one scale, information, and the curve of an item."""

import math
from itertools import pairwise
from typing import Any, Final

from django.utils.translation import gettext as _

from web import charts
from web.charts import Chart

LOWEST: Final = -4.0
HIGHEST: Final = 4.0


def wright_plot(summary: dict[str, Any]) -> Chart | None:
    """How many items have which difficulty, and where examinees are on the same scale."""
    counts = summary.get("difficulties")
    if not counts:
        return None
    most = max(counts)
    bins = list(zip(pairwise(summary["bins"]), counts, strict=True))
    return charts.plane(
        _("Item difficulties (bars) and examinee abilities (dots) on one scale"),
        charts.Scale(LOWEST, HIGHEST, _("Ability, difficulty")),
        top=str(most),
        bars=((low, high, n / most) for (low, high), n in bins if n),
        people=_people(summary["people"]),
        rows=[["b", "n"], *([f"{low:g} … {high:g}", n] for (low, high), n in bins)],
    )


def _people(people: list[dict[str, Any]]) -> list[tuple[float, str]]:
    return [(one["ability"], one["name"]) for one in people if one.get("ability") is not None]


def information_plot(summary: dict[str, Any]) -> Chart | None:
    """How finely the whole test measures at each ability."""
    values = summary.get("information")
    if not values:
        return None
    most = max([*values, 1e-9])
    found = list(zip(summary["points"], values, strict=True))
    return charts.plane(
        _("Precision of the whole set at each ability (information)"),
        charts.Scale(LOWEST, HIGHEST, _("Ability")),
        top=f"{most:.1f}",
        curve=[(point, value / most) for point, value in found],
        rows=[["θ", "I"], *([f"{point:g}", f"{value:.2f}"] for point, value in found[::10])],
    )


def curve_plot(row: dict[str, Any], people: list[dict[str, Any]]) -> Chart | None:
    """The chance of a right answer by ability; None where nothing was estimated."""
    slope, intercept = row.get("discrimination"), row.get("intercept")
    if slope is None or intercept is None:
        return None
    guessing = row.get("guessing") or 0.0
    steps = [LOWEST + (HIGHEST - LOWEST) * step / 80 for step in range(81)]
    found = [(at, guessing + (1 - guessing) / (1 + math.exp(-(slope * at + intercept)))) for at in steps]
    return charts.plane(
        _("Probability of a correct answer by ability; dots are examinees"),
        charts.Scale(LOWEST, HIGHEST, _("Ability")),
        top="1",
        curve=found,
        people=_people(people),
        half=True,
        rows=[["θ", "P"], *([f"{at:g}", f"{chance:.2f}"] for at, chance in found[::10])],
    )
