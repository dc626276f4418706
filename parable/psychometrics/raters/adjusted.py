"""Ratings adjusted for severity: as a rater of mean severity would give them, with the raw means.

Linacre's fair average (Many-Facet Rasch Measurement, 1989): a unit's quality is estimated by maximum
likelihood, given its raters' severities; the adjusted rating is the expected rating by a rater of severity 0.
A unit with only highest or only lowest ratings stays at that end of the scale. The interval is a likelihood
interval (Wilks 1938) that treats severities as known.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.raters.conditional import Array, Block, blocks
from parable.psychometrics.raters.facets import Facets
from parable.psychometrics.raters.ratings import Ratings

REACH: Final = 20.0
"""The largest distance between a unit's quality and a severity; beyond it, ratings are practically
certain."""
_HALVINGS: Final = 50


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A unit's mean of `n` ratings, raw and adjusted, with interval.

    The adjusted mean is that of a rater of mean severity.
    """

    unit: Hashable
    n: int
    raw: float
    adjusted: float
    low: float
    high: float


def adjusted_ratings(ratings: Ratings, found: Facets) -> list[Adjusted]:
    """Return the adjusted ratings of units, in unit order.

    Only ratings by raters with an estimated severity are used; units without such ratings are left out.
    """
    known = np.array([name in found.estimates for name in ratings.raters], dtype=np.bool_)
    if not known.any():
        return []
    severity = np.array([found.estimates.get(name, 0.0) for name in ratings.raters])
    counted = ratings.chosen(known[ratings.rater])
    rows: dict[int, Adjusted] = {}
    for block in blocks(counted):
        for row, *values in zip(block.unit.tolist(), *_of_block(block, severity, found.sums), strict=True):
            rows[row] = Adjusted(ratings.units[row], block.value.shape[1], *values)
    return [rows[row] for row in sorted(rows)]


def _of_block(block: Block, severity: Array, sums: Array) -> list[list[float]]:
    """Return raw means, adjusted ratings, and lower and upper ends of intervals: four lists over units."""
    apart, total = severity[block.rater], block.value.sum(axis=1).astype(np.float64)
    lowest, highest = np.full(len(total), -REACH), np.full(len(total), REACH)
    likely = _root(lambda q: total - _expected(q, apart, sums), lowest, highest)
    drop = float(scipy.stats.chi2.ppf(LEVEL, 1)) / 2
    best = _likelihood(likely, block, apart, sums)
    low = _root(lambda q: best - drop - _likelihood(q, block, apart, sums), lowest, likely)
    high = _root(lambda q: _likelihood(q, block, apart, sums) - best + drop, likely, highest)
    nobody = np.zeros((len(total), 1))
    return [
        block.value.mean(axis=1).tolist(),
        *(_expected(quality, nobody, sums).tolist() for quality in (likely, low, high)),
    ]


def _root(positive: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Find the zero of a decreasing function by bisection; without a zero, return the nearer end."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = positive(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)


def _chances(quality: Array, apart: Array, sums: Array) -> Array:
    """Return the probability of each rating by each rater, shape (units, raters, categories)."""
    logit = (quality[:, None] - apart)[:, :, None] * np.arange(len(sums)) - sums
    return np.asarray(scipy.special.softmax(logit, axis=2))


def _expected(quality: Array, apart: Array, sums: Array) -> Array:
    """Return the expected sum of the raters' ratings, shape (units,)."""
    return np.asarray((_chances(quality, apart, sums) @ np.arange(len(sums))).sum(axis=1))


def _likelihood(quality: Array, block: Block, apart: Array, sums: Array) -> Array:
    chances = _chances(quality, apart, sums)
    given = np.take_along_axis(chances, block.value[:, :, None], axis=2)[:, :, 0]
    return np.asarray(np.log(np.maximum(given, 1e-300)).sum(axis=1))
