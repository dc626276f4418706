"""Items that the answers show to be probably faulty.

Each has its reasons; the most suspect comes first.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from parable.psychometrics.classical import item_statistics
from parable.psychometrics.irt import FEW_EXAMINEES, Calibration
from parable.psychometrics.items.fit import residuals
from parable.psychometrics.responses import Array, ResponseMatrix

NEGATIVE: Final = "negative_discrimination"
VOTE: Final = "vote_against_key"
NOBODY: Final = "nobody_right"
DEPENDENT: Final = "depends_on_sibling"

MOST_Q3: Final = 0.4
"""The correlation of residuals above which two items of a story are suspect."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspect item with the reasons; `item` and `sibling` are columns of the response matrix.

    `sibling` is the item of the same story on which this item depends; None if there is none.
    """

    item: int
    reasons: tuple[str, ...]
    sibling: int | None = None


def suspects(
    matrix: ResponseMatrix,
    found: Calibration | None,
    votes: Array | None,
    stories: npt.ArrayLike | None,
) -> list[Suspect]:
    """Return all suspect items, most suspect first.

    `votes` are the leads of keys (`weighted_vote`); `found` is None without a calibration. The list is
    ordered by discrimination. With fewer than 30 examinees, discrimination is too imprecise: then the list is
    ordered by votes, if given, and dependence is not tested.
    """
    statistics = item_statistics(matrix)
    slopes = found.discrimination if found is not None else np.full(len(matrix.items), np.nan)
    leads = votes if votes is not None else np.full(len(matrix.items), np.nan)
    siblings = {} if found is None or stories is None else dependent_siblings(matrix, found, stories)
    reasons = (
        (NEGATIVE, slopes < 0),
        (VOTE, leads < 0),
        (NOBODY, statistics.nobody),
        (DEPENDENT, np.isin(np.arange(len(matrix.items)), list(siblings))),
    )
    named = [tuple(name for name, holds in reasons if holds[item]) for item in range(len(matrix.items))]
    by_vote = votes is not None and len(matrix.examinees) < FEW_EXAMINEES
    first, second = (leads, slopes) if by_vote else (slopes, leads)
    order = np.lexsort((np.nan_to_num(second, nan=np.inf), np.nan_to_num(first, nan=np.inf)))
    return [Suspect(int(item), named[item], siblings.get(int(item))) for item in order if named[item]]


def dependent_siblings(matrix: ResponseMatrix, found: Calibration, stories: npt.ArrayLike) -> dict[int, int]:
    """Map each item to the item of its story with the highest Q3, if this is above 0.4.

    Return {} for fewer than 30 examinees, as Q3 of a single pair is then too imprecise.
    """
    if len(matrix.examinees) < FEW_EXAMINEES:
        return {}
    apart, _variance = residuals(matrix, found)
    labels = np.asarray(stories)
    siblings: dict[int, int] = {}
    for story in np.unique(labels):
        columns = np.flatnonzero((labels == story) & ~found.left_out)
        if len(columns) < 2:
            continue
        together = _correlations(apart[:, columns])
        np.fill_diagonal(together, -1.0)
        closest = together.argmax(axis=1)
        siblings |= {
            int(item): int(columns[closest[row]])
            for row, item in enumerate(columns)
            if together[row, closest[row]] > MOST_Q3
        }
    return siblings


def _correlations(columns: Array) -> Array:
    apart = np.nan_to_num(columns - np.nanmean(columns, axis=0))
    length = np.sqrt(np.square(apart).sum(axis=0))
    apart = apart / np.where(length > 0, length, 1.0)
    return np.asarray(apart.T @ apart)
