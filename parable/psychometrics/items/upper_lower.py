"""Discrimination as the difference in proportion correct between the best and worst 27 % of examinees.

Tails of 27 % maximise the difference of the means relative to its standard error. Sources: Kelley, The
selection of upper and lower groups for the validation of test items (1939); Newcombe, Interval estimation for
the difference between independent proportions (1998), method 10, for the interval.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.responses import Array, ResponseMatrix

TAIL: Final = 0.27
LEAST: Final = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class UpperLower:
    """The proportion correct in the upper minus the lower group, with its interval, shape (items,).

    `size` is 27 % of all examinees, not rounded: examinees tied at the border each count as a fraction.
    """

    difference: Array
    low: Array
    high: Array
    size: float


def upper_lower(matrix: ResponseMatrix) -> UpperLower | None:
    """Return the upper-lower difference of all items; None for fewer than four examinees."""
    asked = matrix.answered.sum(axis=1)
    share = matrix.right.sum(axis=1) / np.maximum(asked, 1)
    size = TAIL * int((asked > 0).sum())
    if size < LEAST:
        return None
    share, cells = share[asked > 0], matrix.cells[asked > 0]
    known, right = ~np.isnan(cells), np.nan_to_num(cells)
    upper, lower = tail_weights(-share, size), tail_weights(share, size)
    ends = []
    for weights in (upper, lower):
        n = weights @ known
        with np.errstate(invalid="ignore", divide="ignore"):
            ends.append((np.where(n > 0, weights @ right / n, np.nan), n))
    low, high = _interval(*ends[0], *ends[1])
    return UpperLower(ends[0][0] - ends[1][0], low, high, size)


def tail_weights(values: Array, size: float) -> Array:
    """Return each examinee's weight, from 0 to 1, in the group of the `size` lowest values.

    Weights add up to `size`; examinees tied at the border of the group have equal fractions.
    """
    weights = np.zeros(len(values))
    left = size
    for value in np.unique(values):
        tied = values == value
        weights[tied] = min(1.0, left / int(tied.sum()))
        left -= float(weights[tied].sum())
        if left <= 0:
            break
    return weights


def _interval(upper: Array, upper_n: Array, lower: Array, lower_n: Array) -> tuple[Array, Array]:
    """Return Newcombe's interval of a difference of two proportions, from their Wilson intervals."""
    low_1, high_1 = _wilson(upper, upper_n)
    low_2, high_2 = _wilson(lower, lower_n)
    below = np.sqrt(np.square(upper - low_1) + np.square(high_2 - lower))
    above = np.sqrt(np.square(high_1 - upper) + np.square(lower - low_2))
    return upper - lower - below, upper - lower + above


def _wilson(share: Array, n: Array) -> tuple[Array, Array]:
    z = float(scipy.stats.norm.ppf((1 + LEVEL) / 2))
    n = np.maximum(n, 1e-9)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half
