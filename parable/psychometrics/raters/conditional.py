"""Conditional probabilities of ratings, given the sum of the unit's ratings.

A rater of severity s gives a unit of quality q the rating k with probability proportional to exp(k (q - s) -
t_k), where t_k are sums of the scale's thresholds. Conditional on the sum of a unit's ratings, the
probabilities do not depend on q. Sources: Linacre, Many-Facet Rasch Measurement (1989); Andersen (1973) for
conditioning. The sums over all combinations of ratings with the same total are computed as products of
polynomials.
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
    """Units with the same number of raters: `rater`, `value` and `row` have the shape (units, raters).

    `unit` has the units' numbers; `row` is the index of each rating in `Ratings`.
    """

    unit: Numbers
    rater: Numbers
    value: Numbers
    row: Numbers


def blocks(ratings: Ratings) -> list[Block]:
    """Group units by their number of raters, smallest number first; split large groups."""
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
    """Return the probability of each rating given the unit's total, and the units' log likelihoods.

    `weights`: each rater's unnormalised probability of each rating, shape (units, raters, categories). The
    probabilities have the same shape, the log likelihoods (units,). The run time grows with the square of the
    number of raters.
    """
    units, raters, categories = weights.shape
    # ways[p]: by total, the summed weights of all ratings by the first p raters with this total, scaled.
    ways, logarithm = [np.ones((units, 1))], np.zeros(units)
    for place in range(raters):
        product = np.zeros((units, ways[-1].shape[1] + categories - 1))
        for rating in range(categories):
            product[:, rating : rating + ways[-1].shape[1]] += ways[-1] * weights[:, place, [rating]]
        top = product.max(axis=1, keepdims=True)
        ways.append(product / top)
        logarithm += np.log(top[:, 0])
    total = block.value.sum(axis=1)
    logarithm += np.log(ways[-1][np.arange(units), total])
    # rest: by total of the first p raters, the weights of the others' ratings that give the unit's total.
    rest = np.zeros_like(ways[-1])
    rest[np.arange(units), total] = 1.0
    chances = np.empty_like(weights)
    for place in reversed(range(raters)):
        first = ways[place]
        before = np.zeros_like(first)
        for rating in range(categories):
            onwards = rest[:, rating : rating + first.shape[1]] * weights[:, place, [rating]]
            chances[:, place, rating] = (first * onwards).sum(axis=1)
            before += onwards
        rest = before / before.max(axis=1, keepdims=True)
    chances /= chances.sum(axis=2, keepdims=True)
    given = np.take_along_axis(weights, block.value[:, :, None], axis=2)[:, :, 0]
    return chances, np.log(given).sum(axis=1) - logarithm
