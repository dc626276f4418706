"""Accuracy of examinees by task, type and style; outcomes of unreadable answers are counted separately."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from parable.formats.records import HUMAN, MACHINE
from parable.kinds import score_weights
from parable.psychometrics.results.clusters import Part, combination, share
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import OUTCOMES, Floats, Items, Mask, ResponseColumns


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Number and proportion of right answers, by lenient and by strict parsing, with other counts.

    `asked` is the number of answers, `items` and `stories` the number of different items and stories;
    `outcomes` counts answers by outcome.
    """

    asked: int
    items: int
    stories: int
    right: int
    accuracy: Estimate
    strict: Estimate
    outcomes: Mapping[str, int]


def accuracy(sheet: ResponseColumns, items: Items, chosen: Mask) -> Accuracy:
    """Return the accuracy on the items of a mask.

    An answer that names no single option counts as wrong.
    """
    rows = chosen[sheet.item]
    of_items = sheet.item[rows]
    stories = items.story[of_items]
    counts = np.bincount(sheet.outcome[rows], minlength=len(OUTCOMES))
    return Accuracy(
        asked=int(rows.sum()),
        items=len(np.unique(of_items)),
        stories=len(np.unique(stories)),
        right=int(sheet.right[rows].sum()),
        accuracy=share(sheet.right[rows].astype(np.float64), stories, of_items),
        strict=share(sheet.strictly_right[rows].astype(np.float64), stories, of_items),
        outcomes={name: int(count) for name, count in zip(OUTCOMES, counts, strict=True)},
    )


def error(sheet: ResponseColumns, items: Items, chosen: Mask) -> Estimate:
    """Return the proportion of wrong answers on the items of a mask."""
    of_items = sheet.item[chosen[sheet.item]]
    wrong = ~sheet.right[chosen[sheet.item]]
    return share(wrong.astype(np.float64), items.story[of_items], of_items)


def mean_score(sheet: ResponseColumns, items: Items, chosen: Mask, *, least: float = -1.0) -> Estimate:
    """Return the mean score on the items of a mask; the interval starts at `least` or above."""
    rows = chosen[sheet.item]
    return combination([Part(sheet.score[rows], items.story[sheet.item[rows]])], least=least)


LEAST: Final[Mapping[str, float]] = MappingProxyType({"tau": -1.0})
"""The lowest possible score of measures whose lowest score is not 0, by measure."""


def score(sheet: ResponseColumns, items: Items) -> Estimate:
    """Return the score: the weighted mean accuracy over tasks; no value if a weighted task has no answers."""
    return combination(
        [part_of(sheet, items, items.of_task(task), weight) for task, weight in score_weights().items()],
        least=0.0,
    )


def style_difference(sheet: ResponseColumns, items: Items, chosen: Mask) -> Estimate:
    """Return accuracy on human-style items minus accuracy on machine-style items, clustered by story."""
    return combination(
        [
            part_of(sheet, items, chosen & items.of_style(HUMAN), 1.0),
            part_of(sheet, items, chosen & items.of_style(MACHINE), -1.0),
        ]
    )


def part_of(sheet: ResponseColumns, items: Items, chosen: Mask, weight: float) -> Part:
    """Return the right answers on the items of a mask as a weighted term for `combination`."""
    rows = chosen[sheet.item]
    return Part(sheet.right[rows].astype(np.float64), items.story[sheet.item[rows]], weight)


def chance(items: Items, chosen: Mask) -> float | None:
    """Return the mean probability of guessing right on the items of a mask; None if there are no items."""
    found: Floats = items.chance[chosen]
    return float(found.mean()) if len(found) else None


def chance_score(items: Items) -> float | None:
    """Return the score expected from guessing; None if a weighted task has no items."""
    return weighted(chance(items, items.of_task(task)) for task in score_weights())


def weighted(accuracies: Iterable[float | None]) -> float | None:
    """Return the score from the accuracies of the weighted tasks, in their order; None if one is None."""
    found = list(accuracies)
    if any(one is None for one in found):
        return None
    return sum(weight * (one or 0.0) for weight, one in zip(score_weights().values(), found, strict=True))
