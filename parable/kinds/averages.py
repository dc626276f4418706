"""Precision, recall and F1 of items, and their averages over a set, computed as the published scorers do."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

Gold = TypeVar("Gold")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 of one answer."""

    precision: float
    recall: float
    f1: float


NOTHING: Final = Score(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Averages:
    """Mean precision, recall and F1 of a set of items; `macro_f1`, the mean of F1, is used for ranking.

    `micro_f1` is the published name of the harmonic mean of average precision and recall; it is not a micro
    average.
    """

    n: int
    avg_precision: float
    avg_recall: float
    macro_f1: float
    micro_f1: float


def f1_of(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall; 0 if both are 0.

    The order of operations is that of the published scorers.
    """
    total = precision + recall
    return 2 * (precision * recall) / total if total else 0.0


def score_of(matched: float, predicted: float, gold: float) -> Score:
    """Return the score from three amounts: matched, predicted, and in the gold answer."""
    if not matched:
        return NOTHING
    precision, recall = matched / predicted, matched / gold
    return Score(precision, recall, f1_of(precision, recall))


def score_all(
    gold: Mapping[str, Gold], answers: Mapping[str, Answer], score: Callable[[Gold, Answer], Score]
) -> dict[str, Score]:
    """Return the score of each gold item by id; 0 if it has no answer. Answers to other items are ignored."""
    return {name: score(right, answers[name]) if name in answers else NOTHING for name, right in gold.items()}


def average(scores: Iterable[Score]) -> Averages:
    """Return the averages of these scores; all are 0 if there are no scores."""
    found = tuple(scores)
    count = len(found) or 1
    precision = sum(one.precision for one in found) / count
    recall = sum(one.recall for one in found) / count
    return Averages(
        n=len(found),
        avg_precision=precision,
        avg_recall=recall,
        macro_f1=sum(one.f1 for one in found) / count,
        micro_f1=f1_of(precision, recall),
    )
