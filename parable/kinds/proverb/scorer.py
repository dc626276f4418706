"""Scores of alignments, and figures of ratings by several people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import numpy as np

from parable.kinds.averages import NOTHING, Score, f1_of, score_of
from parable.kinds.proverb.content import SCALE, Narrative, SpanPair
from parable.kinds.proverb.overlap import split_at_spaces
from parable.psychometrics.agreement import raw_agreement

LEAST_GOOD: Final = 3
"""From this rating on a narrative counts as good: the middle leans to the good side."""

_NO_PAIR: Final = SpanPair("", "")


def score_span(gold: str, predicted: str) -> Score:
    """Precision and recall of the sets of tokens of two spans."""
    right, given = set(split_at_spaces(gold)), set(split_at_spaces(predicted))
    return score_of(len(right & given), len(given), len(right))


def score_alignment(gold: Narrative, predicted: Narrative) -> Score:
    """The means over the pairs of a narrative, slot by slot, of its narrative spans.

    A pair that one side lacks scores 0. F1 is that of the two means.
    """
    slots = zip_longest(gold.slots, predicted.slots, fillvalue=_NO_PAIR)
    found = [
        score_span(right.narrative, given.narrative)
        for right, given in slots
        if right.is_used or given.is_used
    ]
    if not found:
        return NOTHING
    precision = sum(one.precision for one in found) / len(found)
    recall = sum(one.recall for one in found) / len(found)
    return Score(precision, recall, f1_of(precision, recall))


@dataclass(frozen=True, slots=True)
class RatingFigures:
    """Ratings by one criterion: their mean, and how far pairs of raters agree on good against poor.

    `agreement` is None where nothing was rated twice.
    """

    narratives: int
    ratings: int
    mean: float | None
    agreement: float | None


def rating_figures(ratings: Iterable[Sequence[int]]) -> RatingFigures:
    """The figures of the ratings of each narrative; raises ValueError for one that is not on the scale."""
    units = [unit for unit in ratings if unit]
    flat = [one for unit in units for one in unit]
    if any(one not in SCALE for one in flat):
        raise ValueError(f"A rating is one of {SCALE}.")
    poor = [sum(one < LEAST_GOOD for one in unit) for unit in units]
    counts = np.array([[few, len(unit) - few] for few, unit in zip(poor, units, strict=True)], dtype=np.int64)
    agreed = raw_agreement(counts) if units else float("nan")
    return RatingFigures(
        narratives=len(units),
        ratings=len(flat),
        mean=sum(flat) / len(flat) if flat else None,
        agreement=agreed if np.isfinite(agreed) else None,
    )
