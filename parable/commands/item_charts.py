"""Charts of a stored calibration, for pages and for files."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from parable import charts
from parable.charts import Chart
from parable.commands.results.numbers import figure
from parable.commands.wording import sentence

LOWEST: Final = -4.0
HIGHEST: Final = 4.0
_STEPS: Final = 80
"""The number of segments of an item curve."""

Json = Mapping[str, Any]


def wright_plot(summary: Json, language: str) -> Chart | None:
    """Return a chart of item difficulties and examinees on one scale; None if there are no difficulties."""
    counted = summary.get("difficulties")
    if not counted:
        return None
    caption, name = sentence("wright", language), sentence("ability_difficulty", language)
    return histogram(
        caption, summary["bins"], counted, name, sentence("items", language), _people(summary["people"])
    )


def histogram(
    caption: str,
    bins: Sequence[float],
    counted: Sequence[int],
    name: str,
    unit: str,
    people: Sequence[tuple[float, str]] = (),
) -> Chart:
    """Return a histogram of these counts, with examinees marked on the axis."""
    found = [(low, high, n) for (low, high), n in zip(pairwise(bins), counted, strict=True)]
    return charts.plane(
        caption,
        charts.numbers(LOWEST, HIGHEST, name),
        charts.counts(max(counted), unit),
        bars=(one for one in found if one[2]),
        people=people,
        rows=[["b", "n"], *([f"{low:g} … {high:g}", n] for low, high, n in found)],
    )


def _people(people: Sequence[Json]) -> list[tuple[float, str]]:
    return [(one["ability"], one["name"]) for one in people if one.get("ability") is not None]


def information_plot(summary: Json, language: str) -> Chart | None:
    """Return a chart of the whole test's information by ability; None if there is none."""
    values = summary.get("information")
    if not values:
        return None
    found = list(zip(summary["points"], values, strict=True))
    return charts.plane(
        sentence("test_information", language),
        charts.numbers(LOWEST, HIGHEST, sentence("ability", language)),
        charts.numbers(0, max([*values, 1e-9]), most=4),
        curve=found,
        rows=[["θ", "I"], *([f"{point:g}", figure(value)] for point, value in found[::10])],
    )


def curve_plot(row: Json, people: Sequence[Json], language: str, width: int = charts.PLANE) -> Chart | None:
    """Return a chart of the probability of a right answer by ability; None if nothing was estimated."""
    slope, intercept = row.get("discrimination"), row.get("intercept")
    if slope is None or intercept is None:
        return None
    guessing = row.get("guessing") or 0.0
    steps = [LOWEST + (HIGHEST - LOWEST) * step / _STEPS for step in range(_STEPS + 1)]
    found = [(at, guessing + (1 - guessing) / (1 + math.exp(-(slope * at + intercept)))) for at in steps]
    return charts.plane(
        sentence("item_curve", language),
        charts.numbers(LOWEST, HIGHEST, sentence("ability", language)),
        charts.numbers(0, 1, most=4),
        curve=found,
        people=_people(people),
        chance=0.5,
        width=width,
        rows=[["θ", "P"], *([f"{at:g}", figure(chance)] for at, chance in found[::10])],
    )
