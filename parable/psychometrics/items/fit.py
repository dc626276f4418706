"""Item fit by residuals (infit and outfit), and the information of the whole test.

Infit and outfit are means of squared standardised residuals: 1 if answers vary as the model expects, above 1
if they vary more, below 1 if they vary less. Source: Wright and Masters, Rating Scale Analysis (1982),
chapter 5.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from parable.psychometrics.irt import FEW_EXAMINEES, Calibration
from parable.psychometrics.irt.curves import Array, curves, information
from parable.psychometrics.responses import ResponseMatrix

POINTS: Final = np.linspace(-4.0, 4.0, 81)
_LEAST_VARIANCE: Final = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Infit and outfit of each item, shape (items,); NaN if the item was not estimated."""

    infit: Array
    outfit: Array


def residuals(matrix: ResponseMatrix, found: Calibration) -> tuple[Array, Array]:
    """Return residuals (NaN if missing) and variances of answers, shape (examinees, items) each."""
    chance = curves(np.nan_to_num(found.slope_intercept), found.ability).right.T
    known = matrix.answered & ~found.left_out
    return np.where(known, matrix.cells - chance, np.nan), chance * (1 - chance)


def item_fit(matrix: ResponseMatrix, found: Calibration) -> Fit | None:
    """Return infit and outfit of each item; None for fewer than 30 examinees."""
    if len(matrix.examinees) < FEW_EXAMINEES:
        return None
    apart, variance = residuals(matrix, found)
    known = ~np.isnan(apart)
    square, variance = np.nan_to_num(np.square(apart)), np.where(known, variance, 0.0)
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        infit = np.where(n > 0, square.sum(axis=0) / variance.sum(axis=0), np.nan)
        each = np.where(known, square / np.maximum(variance, _LEAST_VARIANCE), 0.0)
        return Fit(infit, np.where(n > 0, each.sum(axis=0) / n, np.nan))


def whole_information(found: Calibration, points: Array = POINTS) -> Array:
    """Return the Fisher information of all items together at each ability, shape (points,)."""
    included = ~found.left_out
    return np.asarray(information(found.slope_intercept[included], points).sum(axis=0))
