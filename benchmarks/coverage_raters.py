"""Raters who are equally severe, and raters of whom one is harder, over few stories."""

from functools import partial

import numpy as np

from benchmarks.coverage import Case
from parable.psychometrics.raters.facets import severities
from parable.psychometrics.raters.ratings import make_ratings

UNITS_A_STORY = 5
THRESHOLDS = np.array([-1.0, 1.0])


def _rejected(
    generator: np.random.Generator, *, raters: int, stories: int, harder: float = 0.0, by_story: float = 0.0
) -> float | None:
    """Whether the test of equal severities rejects at 5 %; every rater rates every unit of three ratings.

    `harder`: by how many logits the first rater is harder; `by_story`: the spread of a rater's severity over
    stories.
    """
    severity = np.zeros((raters, stories))
    severity[0] += harder
    severity += generator.normal(0, by_story, severity.shape)
    rows = []
    for unit in range(UNITS_A_STORY * stories):
        story = unit // UNITS_A_STORY
        quality = generator.normal(0.3, 1.2)
        for rater in range(raters):
            steps = quality - severity[rater, story] - THRESHOLDS
            chances = np.exp([0.0, *np.cumsum(steps)])
            below = generator.random() > np.cumsum(chances / chances.sum())[:-1]
            rows.append((unit, rater, int(below.sum())))
    of_story = {unit: unit // UNITS_A_STORY for unit in range(UNITS_A_STORY * stories)}
    p_value = severities(make_ratings(rows, 3), of_story).p_equal
    return None if p_value is None else float(p_value < 0.05)


CASES = (
    [
        Case(
            f"{raters} equal raters, {stories} stories",
            "rejected",
            partial(_rejected, raters=raters, stories=stories),
            least=0.03,
            most=0.08,
        )
        for raters in (3, 4, 6)
        for stories in (5, 8, 10, 15, 30)
    ]
    + [
        Case(
            f"4 raters equal but by story (spread 0.6), {stories} stories",
            "rejected",
            partial(_rejected, raters=4, stories=stories, by_story=0.6),
            least=0.03,
            most=0.08,
        )
        for stories in (10, 30)
    ]
    + [
        Case(
            f"{raters} raters, one {harder:g} logits harder, {stories} stories",
            "rejected",
            partial(_rejected, raters=raters, stories=stories, harder=harder),
            draws=200,
        )
        for raters, stories in ((3, 10), (4, 10), (6, 8), (4, 30))
        for harder in (0.5, 1.0)
    ]
)
