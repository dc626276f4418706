"""Ratings as arrays, for models of raters, and checks of which raters are comparable."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

Numbers = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

NOT_CONNECTED: Final = "not_connected"
"""Code of a rater whose units do not connect them with the other raters, not even through third raters."""
ONE_SIDED: Final = "one_sided"
"""Code of a rater whose severity has no limit on one side, given the units shared with other raters."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings as columns: the number of the unit, the number of the rater, and the value from 0.

    `units` and `raters` have the names by number.
    """

    units: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    unit: Numbers
    rater: Numbers
    value: Numbers
    categories: int

    def chosen(self, rows: Mask) -> Ratings:
        """Return the ratings that a mask selects; names and numbers are unchanged."""
        return Ratings(
            self.units, self.raters, self.unit[rows], self.rater[rows], self.value[rows], self.categories
        )

    def together(self) -> Mask:
        """Return a mask of the ratings whose unit has at least two raters, shape (ratings,)."""
        return np.asarray(np.bincount(self.unit, minlength=len(self.units))[self.unit] >= 2)


def make_ratings(rows: Iterable[tuple[Hashable, Hashable, int]], categories: int) -> Ratings:
    """Make ratings from (unit, rater, value); if a rater rated a unit twice, the last rating counts.

    Raise ValueError if a value is not from 0 to `categories` - 1.
    """
    last = {(unit, rater): value for unit, rater, value in rows}
    if any(not 0 <= value < categories for value in last.values()):
        raise ValueError(f"A rating is a whole number from 0 to {categories - 1}.")
    units = {name: number for number, name in enumerate(dict.fromkeys(unit for unit, _ in last))}
    raters = {name: number for number, name in enumerate(dict.fromkeys(rater for _, rater in last))}
    return Ratings(
        tuple(units),
        tuple(raters),
        np.array([units[unit] for unit, _ in last], dtype=np.intp),
        np.array([raters[rater] for _, rater in last], dtype=np.intp),
        np.array(list(last.values()), dtype=np.intp),
        categories,
    )


def in_parts(ratings: Ratings, most: int) -> Ratings:
    """Split units with more than `most` ratings into parts of similar size.

    Parts have the name of their unit. Raters are assigned to parts at random (seeded by unit), so that over
    many units each rater is with every other.
    """
    sizes = np.bincount(ratings.unit, minlength=len(ratings.units))
    order, ends = np.argsort(ratings.unit, kind="stable"), np.cumsum(sizes)
    names, unit = list(ratings.units), ratings.unit.copy()
    for large in np.flatnonzero(sizes > most).tolist():
        rows = order[ends[large] - sizes[large] : ends[large]]
        parts = -(-len(rows) // most)
        numbers = np.array([large, *range(len(names), len(names) + parts - 1)])
        unit[np.random.default_rng(large).permutation(rows)] = numbers[np.arange(len(rows)) % parts]
        names += [ratings.units[large]] * (parts - 1)
    return Ratings(tuple(names), ratings.raters, unit, ratings.rater, ratings.value, ratings.categories)


def incomparable(ratings: Ratings) -> dict[int, str]:
    """Return the reason codes of raters whose severity is not determined, by rater number.

    Severities are determined within a set of raters if points can be moved between any two of them, in both
    directions, through shared units: one rating one point higher, another one lower (Fischer 1981). Only the
    raters in the largest such set have no code.
    """
    shared = ratings.chosen(ratings.together())
    links = _links(shared)
    _, weak = scipy.sparse.csgraph.connected_components(links, directed=False)
    _, strong = scipy.sparse.csgraph.connected_components(links, directed=True, connection="strong")
    kept = strong == np.bincount(strong).argmax() if len(strong) else np.zeros(0, dtype=np.bool_)
    group = weak[kept][0] if kept.any() else -1
    alone = int(kept.sum()) < 2
    return {
        rater: NOT_CONNECTED if alone or weak[rater] != group else ONE_SIDED
        for rater in range(len(ratings.raters))
        if alone or not kept[rater]
    }


def _links(shared: Ratings) -> scipy.sparse.csr_array:
    """Return links between raters of the same unit, as a sparse array of shape (raters, raters).

    A link leads from a rater who could have given less to a rater who could have given more. The array is a
    product of two sparse (raters, units) arrays, which needs no list of pairs.
    """
    raters, units = len(shared.raters), len(shared.units)
    low, high = (int(f(shared.value)) if len(shared.value) else 0 for f in (np.min, np.max))
    gives, takes = shared.value > low, shared.value < high
    shape = (raters, units)
    to_unit = scipy.sparse.csr_array(
        (np.ones(int(gives.sum())), (shared.rater[gives], shared.unit[gives])), shape=shape
    )
    from_unit = scipy.sparse.csr_array(
        (np.ones(int(takes.sum())), (shared.rater[takes], shared.unit[takes])), shape=shape
    )
    links = scipy.sparse.csr_array(to_unit @ from_unit.T)
    # csgraph of SciPy 1.11 requires 32-bit indices; with longer ones it returns uninitialised labels
    return scipy.sparse.csr_array(
        (links.data, links.indices.astype(np.int32), links.indptr.astype(np.int32)), shape=links.shape
    )
