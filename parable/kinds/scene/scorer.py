"""Grading of subtask 3: a wrong judgement scores 0, a right one what two raters gave its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

HIGHEST_GRADE: Final = 5
"""Grades run from 0, no reason, to 5, one that retells the scene by knowledge from outside the text."""
RATERS: Final = 2
FULL: Final = 100.0

Grades = Sequence[int]


@dataclass(frozen=True, slots=True)
class SceneScores:
    """The figures of a set: the share of right judgements and, of graded reasons, the score to 100."""

    n: int
    correct: int
    accuracy: float
    score: float | None


def is_graded(grades: Grades) -> bool:
    """Whether two raters gave a grade of the scale."""
    return len(grades) == RATERS and all(0 <= grade <= HIGHEST_GRADE for grade in grades)


def score_item(*, is_right: bool, grades: Grades) -> float:
    """The mean of the raters' grades, scaled to 100; 0 for a wrong judgement.

    Raises ValueError where there are not two grades, or one is none of 0 to 5.
    """
    if not is_right:
        return 0.0
    if not is_graded(grades):
        raise ValueError(f"Two grades of 0 to {HIGHEST_GRADE} are needed, not {list(grades)}.")
    return sum(grades) / RATERS / HIGHEST_GRADE * FULL


def score_all(
    gold: Mapping[str, bool], judged: Mapping[str, bool], grades: Mapping[str, Grades] | None = None
) -> SceneScores:
    """Score every gold item; one without a judgement is wrong. Without grades there is no score.

    A right judgement without grades raises KeyError where grades are given.
    """
    right = [name for name, is_same in gold.items() if judged.get(name) == is_same]
    count = len(gold) or 1
    total = (
        None
        if grades is None
        else sum(score_item(is_right=True, grades=grades[name]) for name in right) / count
    )
    return SceneScores(len(gold), len(right), len(right) / count, total)
