"""Chances of ratings given what each unit got in all: the unit's own quality drops out of them.

A rater of severity s gives a unit of quality q the rating k with a chance proportional to
exp(k (q - s) - t_k); t are sums of the scale's thresholds. Given the sum of a unit's ratings, q is no longer
in the chance of any of them. Sources: Linacre, Many-Facet Rasch Measurement (1989); Andersen (1973) for
conditioning; the sums over all ways to come to a total are products of polynomials.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from parable.psychometrics.raters.ratings import Numbers, Ratings

Array = npt.NDArray[np.float64]
_CHUNK_CELLS: Final = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Units with equally many raters; `rater`, `value` and `row` have the shape (units, raters)."""

    unit: Numbers
    rater: Numbers
    value: Numbers
    row: Numbers


def blocks(ratings: Ratings) -> list[Block]:
    """The units by how many rated them; `row` is the place of each rating among the ratings."""
    order = np.argsort(ratings.unit, kind="stable")
    sizes = np.bincount(ratings.unit, minlength=len(ratings.units))
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    found = []
    for size in np.unique(sizes[sizes > 0]):
        units = np.flatnonzero(sizes == size)
        most = max(1, _CHUNK_CELLS // int(size * size * ratings.categories**2))
        for begin in range(0, len(units), most):
            part = units[begin : begin + most]
            rows = order[first[part][:, None] + np.arange(size)]
            found.append(Block(part, ratings.rater[rows], ratings.value[rows], rows))
    return found


def conditional(block: Block, weights: Array) -> tuple[Array, Array]:
    """The chance of each rating given the unit's total, and the log likelihood of the units' ratings.

    `weights`: how each rater weighs each rating, shape (raters, categories). Shapes: (units, raters,
    categories) and (units,).
    """
    of = weights[block.rater]  # units, raters, categories
    units, raters, categories = of.shape
    before, after = [np.ones((units, 1))], [np.ones((units, 1))]
    for place in range(raters):
        before.append(_product(before[-1], of[:, place]))
        after.append(_product(after[-1], of[:, raters - 1 - place]))
    total = block.value.sum(axis=1)
    rows = np.arange(units)
    ways = before[-1][rows, total]
    chances = np.empty_like(of)
    for place in range(raters):
        others = _product(before[place], after[raters - 1 - place])
        for rating in range(categories):
            left = total - rating
            possible = (left >= 0) & (left < others.shape[1])
            here = others[rows, np.clip(left, 0, others.shape[1] - 1)]
            chances[:, place, rating] = np.where(possible, of[:, place, rating] * here / ways, 0.0)
    given = np.take_along_axis(of, block.value[:, :, None], axis=2)[:, :, 0]
    return chances, np.log(given).sum(axis=1) - np.log(ways)


def _product(first: Array, second: Array) -> Array:
    """Products of polynomials row by row: shapes (units, m) and (units, n) give (units, m + n - 1)."""
    found = np.zeros((len(first), first.shape[1] + second.shape[1] - 1))
    for power in range(second.shape[1]):
        found[:, power : power + first.shape[1]] += first * second[:, [power]]
    return found
