"""M2: test whether an IRT model fits the proportions correct of single items and of pairs of items.

Sources: Maydeu-Olivares and Joe, Limited information goodness-of-fit testing in multidimensional contingency
tables (2006); for RMSEA2 and its interval, Maydeu-Olivares and Joe, Assessing approximate fit in categorical
data analysis (2014).
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.irt import ENOUGH_EXAMINEES, Calibration
from parable.psychometrics.irt.curves import GUESSING, SLOPE, Array, curves
from parable.psychometrics.irt.quadrature import fitting_grid, make_grid
from parable.psychometrics.responses import ResponseMatrix

MOST_ITEMS: Final = 100
LEAST_ITEMS: Final = 3
LEVEL: Final = 0.90
"""Confidence level of the interval of RMSEA2; 90 % is the convention."""
_LEAST: Final = 1e-10

Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class PairFit:
    """M2 with its degrees of freedom and p, RMSEA2 with its 90 % interval, and the number of examinees."""

    m2: float
    freedom: int
    p_value: float
    rmsea: float
    low: float
    high: float
    examinees: int


def pair_fit(matrix: ResponseMatrix, found: Calibration) -> PairFit | None:
    """Compute M2 from the examinees who answered every item; return None if the test does not apply.

    It does not apply to fewer than 200 such examinees, to fewer than 3 or more than 100 items, or without
    degrees of freedom.
    """
    included = ~found.left_out
    cells = matrix.cells[:, included]
    cells = cells[~np.isnan(cells).any(axis=1)]
    items = cells.shape[1]
    if len(cells) < ENOUGH_EXAMINEES or not LEAST_ITEMS <= items <= MOST_ITEMS:
        return None
    parameters = found.slope_intercept[included]
    grid = fitting_grid(parameters, make_grid())
    chance, weights = curves(parameters, grid.points).right, np.exp(grid.log_weights)
    pairs = np.triu_indices(items, 1)
    expected = _moments(chance, weights, pairs)
    observed = np.concatenate([cells.mean(axis=0), (cells.T @ cells)[pairs] / len(cells)])
    by_parameter = _derivatives(found, parameters, grid.points, weights, pairs)
    return _compared(observed - expected, _covariance(chance, weights, pairs), by_parameter, len(cells))


def _moments(chance: Array, weights: Array, pairs: Pairs) -> Array:
    together = (chance * weights) @ chance.T
    return np.concatenate([chance @ weights, together[pairs]])


def _derivatives(found: Calibration, parameters: Array, points: Array, weights: Array, pairs: Pairs) -> Array:
    """Return the derivatives of the moments by each parameter, shape (moments, parameters)."""
    at = curves(parameters, points)
    guessing = parameters[:, [GUESSING]]
    by_intercept = (1 - guessing) * at.knowing * (1 - at.knowing)
    kinds = [by_intercept * points, by_intercept]
    if found.model == "3pl":
        kinds.append(1 - at.knowing)
    blocks = [_of_kind(each, at.right, weights, pairs) for each in kinds]
    if found.model == "1pl":
        blocks[SLOPE] = blocks[SLOPE].sum(axis=1, keepdims=True)
    return np.concatenate(blocks, axis=1)


def _of_kind(slope: Array, chance: Array, weights: Array, pairs: Pairs) -> Array:
    """Return the derivatives of the moments by one kind of parameter, shape (moments, items).

    `slope` has the derivatives of the item curves by this parameter, shape (items, points).
    """
    items, (first, second) = len(chance), pairs
    together = (slope * weights) @ chance.T
    rows = items + np.arange(len(first))
    block = np.zeros((items + len(first), items))
    block[np.arange(items), np.arange(items)] = slope @ weights
    block[rows, first] = together[first, second]
    block[rows, second] = together[second, first]
    return block


def _covariance(chance: Array, weights: Array, pairs: Pairs) -> Array:
    """Return the covariance of the moments of one examinee, shape (moments, moments)."""
    items, (first, second) = len(chance), pairs
    products = np.concatenate([chance, chance[first] * chance[second]])
    whole = (products * weights) @ products.T
    members = [np.concatenate([[one], items + np.flatnonzero((first == one) | (second == one))])
               for one in range(items)]  # fmt: skip
    for one, rows in enumerate(members):
        # in a product of two moments, an item that both contain counts once
        others = np.concatenate([np.ones((1, len(weights))), np.delete(chance, one, axis=0)])
        whole[np.ix_(rows, rows)] = (others * (weights * chance[one])) @ others.T
    mean = products @ weights
    whole[np.arange(len(whole)), np.arange(len(whole))] = mean
    return np.asarray(whole - np.outer(mean, mean))


def _compared(apart: Array, covariance: Array, by_parameter: Array, examinees: int) -> PairFit | None:
    """Test the difference `apart` between observed and expected moments.

    Return None if the covariance is singular or there are no degrees of freedom.
    """
    try:
        root = scipy.linalg.cholesky(covariance, lower=True)
    except np.linalg.LinAlgError:
        return None
    scaled = scipy.linalg.solve_triangular(root, apart, lower=True)
    directions = scipy.linalg.solve_triangular(root, by_parameter, lower=True)
    left, values, _right = np.linalg.svd(directions, full_matrices=False)
    explained = left[:, values > _LEAST * values[0]]
    freedom = len(apart) - explained.shape[1]
    if freedom < 1:
        return None
    rest = scaled - explained @ (explained.T @ scaled)
    m2 = examinees * float(rest @ rest)
    low, high = (_rmsea(_noncentrality(m2, freedom, q), freedom, examinees)
                 for q in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))  # fmt: skip
    value = _rmsea(m2 - freedom, freedom, examinees)
    return PairFit(m2, freedom, float(scipy.stats.chi2.sf(m2, freedom)), value, low, high, examinees)


def _rmsea(excess: float, freedom: int, examinees: int) -> float:
    return math.sqrt(max(excess, 0.0) / (freedom * examinees))


def _noncentrality(m2: float, freedom: int, quantile: float) -> float:
    """Return the noncentrality at which M2 is this quantile of the chi-square distribution; at least 0."""

    def above(noncentrality: float) -> float:
        return float(scipy.stats.ncx2.cdf(m2, freedom, noncentrality)) - quantile

    if float(scipy.stats.chi2.cdf(m2, freedom)) <= quantile:
        return 0.0
    return float(scipy.optimize.brentq(above, _LEAST, (4 * m2 + 100.0)))
