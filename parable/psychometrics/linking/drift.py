"""Drift: common items that became easier or harder from one version to the next.

Each change in difficulty is tested (Wald, Holm's adjustment). An item has drifted if its change is
significant and the mean difference between its two curves, over the earlier population, is at least
`MATTERS`. The link is then estimated once more without the drifted items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.irt.curves import INTERCEPT, SLOPE, Array, curves
from parable.psychometrics.linking.transformation import (
    LEAST_SLOPE,
    POINTS,
    WEIGHTS,
    Common,
    Link,
    Method,
    link,
)
from parable.psychometrics.results.differences import holm

CERTAIN: Final = 0.05
MATTERS: Final = 0.05
"""The mean difference of two item curves below which scores hardly change."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The change in a common item's difficulty, with its test.

    Difficulties are on the earlier ability scale. `harder` is the change: positive if the item became
    harder. `apart` is the mean difference between the two item curves over the earlier population, as a
    proportion of right answers. Error and p-values are None if either version has no standard error.
    """

    item: str
    harder: float
    error: float | None
    p_value: float | None
    p_adjusted: float | None
    apart: float

    @property
    def moved(self) -> bool:
        """Whether the item has drifted."""
        return self.p_adjusted is not None and self.p_adjusted < CERTAIN and self.apart >= MATTERS


@dataclass(frozen=True, slots=True)
class Linked:
    """The link without drifted items, the link by all items, and the drift of every common item."""

    link: Link
    of_all: Link
    items: tuple[Drift, ...]


def linked(common: Common, errors: tuple[Array, Array], method: Method = "stocking_lord") -> Linked | None:
    """Link two calibrations, leaving out drifted items; return None if there are too few common items.

    `errors` are the standard errors of the difficulties in both calibrations. If too few items remain without
    the drifted items, the link is that of all common items.
    """
    of_all = link(common, method)
    if of_all is None:
        return None
    moved = np.array([one.moved for one in _drift(common, errors, of_all)])
    again = link(common.selected(~moved), method) if moved.any() else of_all
    last = again or of_all
    return Linked(last, of_all, tuple(_drift(common, errors, last)))


def _drift(common: Common, errors: tuple[Array, Array], line: Link) -> list[Drift]:
    over = line.parameters(common.after)
    informative = (common.before[:, SLOPE] >= LEAST_SLOPE) & (over[:, SLOPE] >= LEAST_SLOPE / line.stretch)
    harder = _difficulty(over) - _difficulty(common.before)
    error = np.sqrt(np.square(errors[0]) + np.square(line.stretch * errors[1]))
    tested = informative & np.isfinite(error) & (error > 0)
    p_values = np.full(len(harder), np.nan)
    p_values[tested] = 2 * scipy.stats.norm.sf(np.abs(harder[tested] / error[tested]))
    adjusted = np.full(len(harder), np.nan)
    adjusted[tested] = holm(p_values[tested].tolist())
    difference = curves(common.before, POINTS).right - curves(over, POINTS).right
    apart = np.asarray(np.abs(difference) @ WEIGHTS)
    return [
        Drift(
            item=name,
            harder=float(harder[row]),
            error=_known(error[row]),
            p_value=_known(p_values[row]),
            p_adjusted=_known(adjusted[row]),
            apart=float(apart[row]),
        )
        for row, name in enumerate(common.names)
    ]


def _difficulty(parameters: Array) -> Array:
    slope = parameters[:, SLOPE]
    safe = np.where(np.abs(slope) < 1e-6, 1e-6, slope)
    return np.asarray(np.clip(-parameters[:, INTERCEPT] / safe, -20, 20))


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
