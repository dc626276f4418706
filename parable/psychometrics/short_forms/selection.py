"""Select the items of a short form that leave the least uncertainty about the score on the set.

Items are selected one at a time: each time the item that, given the items already selected, most lowers the
variance of the proportion correct on the whole set. The covariance of answers is estimated from the
examinees, with a tenth of each item's variance treated as specific to the item. Sources: Krause, Singh and
Guestrin, Near-optimal sensor placements in Gaussian processes (2008), for selecting one at a time; Schaefer
and Strimmer, A shrinkage approach to large-scale covariance matrix estimation (2005), for the tenth.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from parable.psychometrics.irt import FEW_EXAMINEES
from parable.psychometrics.responses import Array, Mask

Places = npt.NDArray[np.int64]

ALONE: Final = 0.1
"""The proportion of an item's variance that is specific to the item."""
LEAST_VARIANCE: Final = 0.05
"""The lowest variance of an item: a later examinee may miss an item that all examinees solved."""
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints of a form: strata in proportion to the set, and at most one item per story.

    `strata` and `stories` have one entry per item, or none if there is no such constraint.
    """

    strata: tuple[str, ...] = ()
    stories: tuple[str, ...] = ()

    def quotas(self, size: int) -> dict[str, int]:
        """Return the number of items of each stratum in a form of this size; {} if there are no strata."""
        return quotas(self.strata, size)


def quotas(strata: Sequence[str], size: int) -> dict[str, int]:
    """Distribute `size` items over strata in proportion, by largest remainders; ties are resolved by name."""
    counted = Counter(strata)
    exact = {name: size * n / len(strata) for name, n in sorted(counted.items())}
    found = {name: int(share) for name, share in exact.items()}
    by_rest = sorted(exact, key=lambda name: (found[name] - exact[name], name))
    for name in by_rest[: size - sum(found.values())]:
        found[name] += 1
    return found


class _Open:
    """A mask of the items that may still be selected under the constraints."""

    def __init__(self, constraints: Constraints, items: int, size: int) -> None:
        self.may: Mask = np.ones(items, dtype=np.bool_)
        self._strata, self._stories = np.asarray(constraints.strata), np.asarray(constraints.stories)
        self._left = constraints.quotas(size) if constraints.strata else {}
        for name, left in self._left.items():
            if not left:
                self.may &= self._strata != name

    def take(self, item: int) -> None:
        """Select an item, and exclude the items that the constraints then rule out."""
        self.may[item] = False
        if len(self._stories):
            self.may &= self._stories != self._stories[item]
        if self._left:
            name = str(self._strata[item])
            self._left[name] -= 1
            if not self._left[name]:
                self.may &= self._strata != name


def select(cells: Array, size: int, constraints: Constraints, *, seed: int) -> Places:
    """Return the selected items, fewer if constraints allow no more; `cells` must be complete.

    With 30 or more examinees, select the most informative items. With fewer examinees, it is not known which
    items are informative: draw items by strata of difficulty.
    """
    if len(cells) < FEW_EXAMINEES:
        return stratified_items(cells, size, constraints, seed=seed)
    return informative_items(cells, size, constraints)


def informative_items(cells: Array, size: int, constraints: Constraints) -> Places:
    """Return the items that minimise the remaining variance of the score, most informative first."""
    apart = (cells - cells.mean(axis=0)) / np.sqrt(max(len(cells) - 1, 1))
    own = np.square(apart).sum(axis=0)
    variance = np.maximum(own, LEAST_VARIANCE)
    alone = variance - (1 - ALONE) * own
    with_score = (1 - ALONE) * (apart.T @ apart.sum(axis=1)) + alone
    known = np.zeros((cells.shape[1], size))
    left, free, taken = variance.copy(), _Open(constraints, cells.shape[1], size), []
    for n in range(size):
        if not free.may.any():
            break
        gain = np.where(free.may, np.square(with_score) / np.maximum(left, _LEAST), -1.0)
        item = int(gain.argmax())
        with_item = (1 - ALONE) * (apart.T @ apart[:, item]) - known[:, :n] @ known[item, :n]
        with_item[item] += alone[item]
        known[:, n] = with_item / np.sqrt(max(with_item[item], _LEAST))
        left -= np.square(known[:, n])
        with_score -= known[:, n] * known[:, n].sum()
        taken.append(item)
        free.take(item)
    return np.array(taken, dtype=np.int64)


def stratified_items(cells: Array, size: int, constraints: Constraints, *, seed: int) -> Places:
    """Draw a random form with the set's spread of difficulty: one item from each of `size` strata.

    If no item of a stratum may be selected, the nearest item in difficulty is drawn.
    """
    drawn = np.random.default_rng(seed)
    items = cells.shape[1]
    order = np.lexsort((drawn.permutation(items), cells.mean(axis=0)))
    free = _Open(constraints, items, size)
    taken: list[int] = []
    steps = np.array_split(order, size)
    for step in drawn.permutation(size):
        if not free.may.any():
            break
        here = steps[step][free.may[steps[step]]]
        item = int(drawn.choice(here)) if len(here) else _nearest(order, free.may, steps[step])
        taken.append(item)
        free.take(item)
    return np.array(taken, dtype=np.int64)


def _nearest(order: Places, may: Mask, step: Places) -> int:
    """Return the item that may be selected and is closest in difficulty rank to a stratum's middle."""
    middle = int(np.flatnonzero(order == step[len(step) // 2])[0])
    places = np.flatnonzero(may[order])
    return int(order[places[np.argmin(np.abs(places - middle))]])


def random_items(items: int, size: int, *, seed: int) -> Places:
    """Draw `size` of `items` items at random, without constraints."""
    return np.asarray(np.random.default_rng(seed).choice(items, size, replace=False), dtype=np.int64)
