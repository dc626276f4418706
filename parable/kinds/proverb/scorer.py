"""Scores of alignments."""

from itertools import zip_longest
from typing import Final

from parable.kinds.averages import NOTHING, Score, f1_of, score_of
from parable.kinds.proverb.content import Narrative, SpanPair
from parable.kinds.proverb.grams import split_at_spaces

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
