"""Wright map, test information and item curves as SVG that is the same byte for byte each time."""

from collections.abc import Mapping
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from parable.commands.svg import BLUE, GREY, STYLE, as_svg, plain
from parable.psychometrics.irt import Calibration
from parable.psychometrics.irt.curves import curves
from parable.psychometrics.items.fit import POINTS, whole_information

MOST_CURVES: Final = 12
"""Curves that one picture can show: those of the items with the lowest discrimination."""
_BINS: Final = np.linspace(-4.0, 4.0, 33)


def plots(found: Calibration) -> Mapping[str, str]:
    """Three pictures by the names of their files."""
    return {
        "wright_map.svg": wright_map(found),
        "test_information.svg": information_plot(found),
        "item_curves.svg": item_curves(found),
    }


def wright_map(found: Calibration) -> str:
    """Abilities above, difficulties below, on one scale."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        people, items = figure.subplots(2, 1, sharex=True)
        people.hist(np.clip(found.ability, -4, 4), bins=_BINS, color=BLUE)
        people.set_ylabel("examinees")
        items.hist(found.difficulty[~np.isnan(found.difficulty)], bins=_BINS, color=GREY)
        items.invert_yaxis()
        items.set_ylabel("items")
        items.set_xlabel("ability, difficulty")
        return as_svg(figure)


def information_plot(found: Calibration) -> str:
    """The information of all items together at each ability."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 2.2), layout="constrained")
        axes = figure.subplots()
        axes.plot(POINTS, whole_information(found), color=BLUE)
        axes.set_xlabel("ability")
        axes.set_ylabel("information")
        return as_svg(figure)


def item_curves(found: Calibration) -> str:
    """The chance of a right answer on the items that are most in doubt."""
    kept = np.flatnonzero(~found.left_out)
    shown = kept[np.argsort(found.discrimination[kept], kind="stable")[:MOST_CURVES]]
    right = curves(found.slope_intercept[shown], POINTS).right
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 3), layout="constrained")
        axes = figure.subplots()
        for row, item in enumerate(shown):
            axes.plot(POINTS, right[row], label=plain(found.items[item]), lw=1.2)
        axes.set_ylim(0, 1)
        axes.set_xlabel("ability")
        axes.set_ylabel("chance of a right answer")
        figure.legend(frameon=False, loc="outside right upper", fontsize=7)
        return as_svg(figure)
