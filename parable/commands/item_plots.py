"""Wright map, test information and item curves as SVG files."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from parable import charts
from parable.charts import Chart
from parable.commands.item_charts import curve_plot, histogram, information_plot
from parable.commands.wording import sentence
from parable.psychometrics.irt import Calibration
from parable.psychometrics.items.analysis import WRIGHT_BINS
from parable.psychometrics.items.fit import POINTS, whole_information

MOST_CURVES: Final = 12
"""Maximum number of item curves; the items with the lowest discrimination are drawn."""
_NARROW: Final = 240


def plots(found: Calibration, language: str) -> Mapping[str, str]:
    """Return the contents of three SVG files by file name."""
    drawn = {
        "wright_map": wright_map(found, language),
        "test_information": whole_test(found, language),
        "item_curves": item_curves(found, language),
    }
    return {
        f"{name}.svg": charts.as_file(panels, sentence(name, language), language)
        for name, panels in drawn.items()
    }


def wright_map(found: Calibration, language: str) -> list[Chart]:
    """Return charts of abilities above difficulties on one scale, one chart for each part."""
    panels = []
    for part in range(found.parts.count):
        difficulty = found.difficulty[found.parts.items == part]
        ability = found.ability[found.parts.examinees == part]
        values = {
            "examinees": np.clip(ability, WRIGHT_BINS[0], WRIGHT_BINS[-1]),
            "items": difficulty[~np.isnan(difficulty)],
        }
        panels += [
            histogram(
                _caption(found, part, language),
                WRIGHT_BINS.tolist(),
                [int(n) for n in np.histogram(each, WRIGHT_BINS)[0]],
                sentence(name, language),
                sentence(unit, language),
            )
            for (unit, each), name in zip(values.items(), ("ability", "difficulty"), strict=True)
        ]
    return panels


def _caption(found: Calibration, part: int, language: str) -> str:
    return sentence("part", language) % {"n": part + 1} if found.parts.count > 1 else ""


def whole_test(found: Calibration, language: str) -> list[Chart]:
    """Return charts of the information of all items by ability, one for each part."""
    panels = []
    for part in range(found.parts.count):
        of_part = replace(found, left_out=found.left_out | (found.parts.items != part))
        kept = {"information": whole_information(of_part).tolist(), "points": POINTS.tolist()}
        drawn = information_plot(kept, language)
        caption = _caption(found, part, language)
        if drawn is not None:
            panels.append(replace(drawn, caption=caption) if caption else drawn)
    return panels


def item_curves(found: Calibration, language: str) -> list[Chart]:
    """Return item curves of the items with the lowest discrimination, one chart each."""
    included = np.flatnonzero(~found.left_out)
    visible = included[np.argsort(found.discrimination[included], kind="stable")[:MOST_CURVES]].tolist()
    names = "discrimination", "intercept", "guessing"
    rows = [{name: float(getattr(found, name)[item]) for name in names} for item in visible]
    drawn = [curve_plot(row, [], language, _NARROW) for row in rows]
    return [replace(one, caption=found.items[item]) for item, one in zip(visible, drawn, strict=True) if one]
