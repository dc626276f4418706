"""Models in the order of their abilities beside that of their accuracies, task by task."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.irt import abilities
from parable.psychometrics.responses import ResponseMatrix
from parable.psychometrics.results.differences import first_askings
from parable.psychometrics.results.sheets import Floats, Items, Mask, ResponseColumns

FEWEST: Final = 3
"""Models that are worth an order."""


@dataclass(frozen=True, slots=True)
class AbilityRank:
    """A model's accuracy (a share) and ability at its first asking of each item; ranks count from 1."""

    sheet: ResponseColumns
    accuracy: float
    accuracy_rank: int
    ability: float
    ability_rank: int


def ability_ranks(sheets: Sequence[ResponseColumns], items: Items, chosen: Mask) -> list[AbilityRank]:
    """Abilities by a response model of three parameters, highest first; none of fewer than three models."""
    asked = [sheet for sheet in sheets if bool(chosen[sheet.item].any())]
    if len(asked) < FEWEST:
        return []
    cells = np.stack([first_askings(sheet, items, chosen)[chosen] for sheet in asked])
    names = tuple(fact.id for fact, is_in in zip(items.facts, chosen, strict=True) if is_in)
    ability = _estimated(ResponseMatrix(tuple(sheet.name for sheet in asked), names, cells))
    if ability is None:
        return []
    accuracy = np.nanmean(cells, axis=1)
    columns = (accuracy.tolist(), _ranks(accuracy), ability.tolist(), _ranks(ability))
    found = [AbilityRank(*row) for row in zip(asked, *columns, strict=True)]
    return sorted(found, key=lambda one: (one.ability_rank, one.sheet.name))


def _estimated(matrix: ResponseMatrix) -> Floats | None:
    try:
        return abilities(matrix, "3pl")
    except ValueError:  # nothing distinguishes these models
        return None


def _ranks(values: Floats) -> list[int]:
    return [int(rank) for rank in scipy.stats.rankdata(-np.round(values, 9), method="min")]
