"""Item fit by S-X²: test whether an item's curve fits at each total score.

For the examinees with k right answers, the test compares the observed proportion correct of the item with the
proportion that the model expects, computed by the recursion of Lord and Wingersky. Sources: Orlando and
Thissen, Likelihood-based item-fit indices for dichotomous item response theory models (2000); Lord and
Wingersky, Comparison of IRT true-score and equipercentile observed-score "equatings" (1984).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.fit.models import PARAMETERS
from parable.psychometrics.irt import ENOUGH_EXAMINEES, Calibration
from parable.psychometrics.irt.curves import Array, curves
from parable.psychometrics.irt.quadrature import fitting_grid, make_grid
from parable.psychometrics.responses import ResponseMatrix
from parable.psychometrics.results.differences import holm

LEAST_EXPECTED: Final = 1.0
"""The fewest expected right and wrong answers of a score group; adjacent groups are merged to reach it."""
MOST_ITEMS: Final = 1000


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFit:
    """S-X² of each item, shape (items,); NaN for excluded items and without degrees of freedom.

    `adjusted` is the p-value with Holm's adjustment for all items; `examinees` is the number of examinees who
    answered every item.
    """

    chi_square: Array
    freedom: Array
    p_value: Array
    adjusted: Array
    examinees: int


def score_fit(matrix: ResponseMatrix, found: Calibration) -> ScoreFit | None:
    """Compute S-X² of all items from the examinees who answered every item; None if it does not apply.

    It does not apply to fewer than 200 such examinees or to more than 1,000 items.
    """
    included = np.flatnonzero(~found.left_out)
    cells = matrix.cells[:, included]
    cells = cells[~np.isnan(cells).any(axis=1)]
    if len(cells) < ENOUGH_EXAMINEES or len(included) > MOST_ITEMS:
        return None
    figures = np.full((3, len(matrix.items)), np.nan)
    scores = cells.sum(axis=1).astype(np.int64)
    counted = np.bincount(scores, minlength=len(included) + 1)[1:-1].astype(np.float64)
    for item, chance in expected_shares(found.slope_intercept[included]):
        right = np.asarray(np.bincount(scores, cells[:, item], len(included) + 1)[1:-1], dtype=np.float64)
        figures[:, included[item]] = _chi_square(right, counted, chance, PARAMETERS[found.model])
    adjusted = np.full(len(matrix.items), np.nan)
    known = ~np.isnan(figures[2])
    adjusted[known] = holm(figures[2][known].tolist())
    return ScoreFit(figures[0], figures[1], figures[2], adjusted, len(cells))


def expected_shares(parameters: Array) -> Iterator[tuple[int, Array]]:
    """Yield each item's number and its expected proportion correct at total scores 1 to (items - 1)."""
    grid = fitting_grid(parameters, make_grid())
    chance = curves(parameters, grid.points).right
    weights = np.exp(grid.log_weights)
    for item, others in _without_each(chance, np.arange(len(parameters)), np.ones((1, len(weights)))):
        right = (others[:-1] * chance[item]) @ weights
        wrong = (others[1:] * (1 - chance[item])) @ weights
        yield item, right / (right + wrong)


def _without_each(
    chance: Array, items: np.ndarray[tuple[int], np.dtype[np.int64]], others: Array
) -> Iterator[tuple[int, Array]]:
    """Yield each item with the distribution of the number correct on all others, (others + 1, points).

    The items are halved recursively: each half is added to the distribution for the other half, so that no
    item ever has to be divided out.
    """
    if len(items) == 1:
        yield int(items[0]), others
        return
    half = len(items) // 2
    for inside, outside in ((items[:half], items[half:]), (items[half:], items[:half])):
        yield from _without_each(chance, inside, _with_items(others, chance[outside]))


def _with_items(others: Array, chance: Array) -> Array:
    """Add items to a distribution of the number correct, shape (number correct + 1, points)."""
    for one in chance:
        longer = np.zeros((len(others) + 1, others.shape[1]))
        longer[:-1] = others * (1 - one)
        longer[1:] += others * one
        others = longer
    return others


def _chi_square(right: Array, counted: Array, chance: Array, parameters: int) -> tuple[float, float, float]:
    """Return chi-square, its degrees of freedom and p-value; NaN if there are no degrees of freedom."""
    groups = _collapsed(right, counted, counted * chance)
    freedom = len(groups) - parameters
    if freedom < 1:
        return np.nan, np.nan, np.nan
    found, n, expected = groups.T
    value = float(np.sum(np.square(found - expected) * n / (expected * (n - expected))))
    return value, freedom, float(scipy.stats.chi2.sf(value, freedom))


def _collapsed(right: Array, counted: Array, expected: Array) -> Array:
    """Merge adjacent score groups until each has `LEAST_EXPECTED` expected right and wrong answers.

    Return rows of right answers, examinees and expected right answers.
    """
    groups: list[Array] = []
    rest = np.zeros(3)
    for row in np.column_stack([right, counted, expected]):
        rest = rest + row
        if min(rest[2], rest[1] - rest[2]) >= LEAST_EXPECTED:
            groups.append(rest)
            rest = np.zeros(3)
    if groups:
        groups[-1] = groups[-1] + rest
    return np.array(groups).reshape(-1, 3)
