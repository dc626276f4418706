"""Choices of options by ability group: the lower, middle and upper third of examinees."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.classical import Choices
from parable.psychometrics.irt import FEW_EXAMINEES
from parable.psychometrics.responses import Array, Mask

ABILITY_GROUPS: Final = 3
_DIGITS: Final = 9
"""Abilities are compared after rounding to this many decimals."""


@dataclass(frozen=True, slots=True, eq=False)
class AbilityGroups:
    """How many examinees of each ability group chose each option, lowest group first.

    `counts` has the shape (items, 3, options), `answered` (items, 3). An answer that names no option counts
    in `answered` only.
    """

    counts: npt.NDArray[np.int64]
    answered: npt.NDArray[np.int64]

    @property
    def shares(self) -> Array:
        """The counts as proportions of the group's answers; NaN for a group without answers."""
        found = np.full(self.counts.shape, np.nan)
        n = self.answered[:, :, None]
        np.divide(self.counts, n, out=found, where=n > 0)
        return found

    @property
    def is_reported(self) -> Mask:
        """A mask of the items that at least `FEW_EXAMINEES` examinees answered."""
        return np.asarray(self.answered.sum(axis=1) >= FEW_EXAMINEES)


def ability_group_of(ability: Array) -> npt.NDArray[np.int64]:
    """Return in which third by ability each examinee is, from 0 to 2.

    Equal abilities are in the same third.
    """
    rank = scipy.stats.rankdata(np.round(ability, _DIGITS), method="average") - 0.5
    return np.asarray(rank * ABILITY_GROUPS / len(ability), dtype=np.int64)


def choices_by_ability(
    choices: Choices, answered: Mask, ability: Array, options: int
) -> AbilityGroups | None:
    """Count the choices of each option by ability group; None for fewer than 30 examinees.

    `choices` (-1: none) and `answered` have the shape (examinees, items), `ability` (examinees,). An examinee
    is in the same group for all items.
    """
    if len(ability) < FEW_EXAMINEES:
        return None
    in_group = ability_group_of(ability)[:, None] == np.arange(ABILITY_GROUPS)
    chosen = [(choices == option) & answered for option in range(options)]
    counts = np.stack([_by_group(one, in_group) for one in chosen], axis=2)
    return AbilityGroups(counts, _by_group(answered, in_group))


def _by_group(marked: Mask, in_group: Mask) -> npt.NDArray[np.int64]:
    """Count the true cells by item and ability group, shape (items, 3)."""
    return np.asarray(marked.T.astype(np.int64) @ in_group.astype(np.int64))
