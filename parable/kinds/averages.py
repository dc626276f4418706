"""Precision, recall and F1 of items, and their averages over a set, as the published scorers print them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

Gold = TypeVar("Gold")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Score:
    """How well one answer agrees with its gold."""

    precision: float
    recall: float
    f1: float


NOTHING: Final = Score(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Averages:
    """The figures of a set. `macro_f1`, the mean of the items' F1, is the one that ranks.

    `micro_f1` is the harmonic mean of the two averages, and no micro average: the published name.
    """

    n: int
    avg_precision: float
    avg_recall: float
    macro_f1: float
    micro_f1: float


def f1_of(precision: float, recall: float) -> float:
    """The harmonic mean, computed as the published scorers do: ties between items depend on the order."""
    total = precision + recall
    return 2 * (precision * recall) / total if total else 0.0


def score_of(matched: float, predicted: float, gold: float) -> Score:
    """The score of so much that matches, among all that was predicted and all that is right."""
    if not matched:
        return NOTHING
    precision, recall = matched / predicted, matched / gold
    return Score(precision, recall, f1_of(precision, recall))


def score_all(
    gold: Mapping[str, Gold], answers: Mapping[str, Answer], score: Callable[[Gold, Answer], Score]
) -> dict[str, Score]:
    """The score of each gold item by id; an item without an answer scores 0, answers to others are unread."""
    return {name: score(right, answers[name]) if name in answers else NOTHING for name, right in gold.items()}


def average(scores: Iterable[Score]) -> Averages:
    """The averages of a set; all are 0 where it is empty."""
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
