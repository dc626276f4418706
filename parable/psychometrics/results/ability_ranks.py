"""Ranks of models by ability and by accuracy, for each task."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.irt import abilities
from parable.psychometrics.responses import ResponseMatrix, connected_parts
from parable.psychometrics.results.differences import first_askings
from parable.psychometrics.results.sheets import Floats, Items, Mask, ResponseColumns

FEWEST: Final = 3
"""The fewest models for which ranks are computed."""


@dataclass(frozen=True, slots=True)
class AbilityRank:
    """A model's accuracy and ability, from its first answer to each item, with ranks from 1.

    `accuracy` is a proportion. `accuracy_rank` is None if the model did not get the same items as the others;
    ability and its rank are None if no common items connect the model with the others.
    """

    sheet: ResponseColumns
    accuracy: float
    accuracy_rank: int | None
    ability: float | None
    ability_rank: int | None


def ability_ranks(sheets: Sequence[ResponseColumns], items: Items, chosen: Mask) -> list[AbilityRank]:
    """Return models with their ranks by 3PL ability, highest first; [] for fewer than three models.

    Ranks by accuracy compare the largest group of models that got the same items. Also return [] if abilities
    cannot be estimated.
    """
    asked = [sheet for sheet in sheets if bool(chosen[sheet.item].any())]
    if len(asked) < FEWEST:
        return []
    cells = np.stack([first_askings(sheet, items, chosen)[chosen] for sheet in asked])
    names = tuple(fact.id for fact, is_in in zip(items.facts, chosen, strict=True) if is_in)
    matrix = ResponseMatrix(tuple(sheet.name for sheet in asked), names, cells)
    try:
        ability = abilities(matrix, "3pl")
    except ValueError:  # nothing distinguishes these models
        return []
    accuracy = np.nanmean(cells, axis=1)
    ability = np.where(connected_parts(matrix.answered).examinees == 0, ability, np.nan)
    comparable = np.where(same_items(matrix.answered), accuracy, np.nan)
    columns = (accuracy.tolist(), _ranks(comparable), _known(ability), _ranks(ability))
    found = [AbilityRank(*row) for row in zip(asked, *columns, strict=True)]
    return sorted(found, key=lambda one: (one.ability_rank or len(found) + 1, one.sheet.name))


def same_items(asked: Mask) -> Mask:
    """Return a mask of the largest group of examinees with the same items, shape (examinees,).

    `asked` has the shape (examinees, items). All are False if no two examinees have the same items.
    """
    sets, of_row, sizes = np.unique(asked, axis=0, return_inverse=True, return_counts=True)
    largest = max(range(len(sets)), key=lambda one: (sizes[one], sets[one].sum()))
    return np.asarray((of_row == largest) & (sizes[largest] > 1))


def _ranks(values: Floats) -> list[int | None]:
    """Return ranks from 1 for the highest value; None for missing values."""
    ranks = scipy.stats.rankdata(-np.round(values, 9), method="min", nan_policy="omit")
    return [int(rank) if rank is not None else None for rank in _known(ranks)]


def _known(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]
