"""Choices of options by ability group: lower, middle and upper third."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.classical import Choices
from parable.psychometrics.irt import FEW_EXAMINEES
from parable.psychometrics.responses import Array, Mask

THIRDS: Final = 3
_DIGITS: Final = 9
"""Abilities that agree so far are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Thirds:
    """Choices of each item by third of ability, the lower first.

    `counts` has the shape (items, 3, options), `answered` (items, 3): who answered without naming an option
    is in the latter alone. Items that fewer than 30 examinees answered are not `shown`, shape (items,).
    """

    counts: npt.NDArray[np.int64]
    answered: npt.NDArray[np.int64]

    @property
    def shares(self) -> Array:
        """Return the counts as shares of a group's answers; NaN without answers."""
        found = np.full(self.counts.shape, np.nan)
        n = self.answered[:, :, None]
        np.divide(self.counts, n, out=found, where=n > 0)
        return found

    @property
    def shown(self) -> Mask:
        """Which items enough examinees answered."""
        return np.asarray(self.answered.sum(axis=1) >= FEW_EXAMINEES)


def third_of(ability: Array) -> npt.NDArray[np.int64]:
    """Return each examinee's third: 0, 1 or 2. Equal abilities share one, by their mean rank."""
    rank = scipy.stats.rankdata(np.round(ability, _DIGITS), method="average") - 0.5
    return np.asarray(rank * THIRDS / len(ability), dtype=np.int64)


def ability_thirds(choices: Choices, answered: Mask, ability: Array, options: int) -> Thirds | None:
    """Return the distractor tables by third of all examinees; None with fewer than 30 of them.

    `choices` (-1: none) and `answered` have the shape (examinees, items), `ability` (examinees,). An examinee
    is in the same third for all items.
    """
    if len(ability) < FEW_EXAMINEES:
        return None
    of_third = third_of(ability)[:, None] == np.arange(THIRDS)
    chosen = [(choices == option) & answered for option in range(options)]
    counts = np.stack([_by_third(one, of_third) for one in chosen], axis=2)
    return Thirds(counts, _by_third(answered, of_third))


def _by_third(marked: Mask, of_third: Mask) -> npt.NDArray[np.int64]:
    """Return the number of marked cells of each item in each third, shape (items, 3)."""
    return np.asarray(marked.T.astype(np.int64) @ of_third.astype(np.int64))
