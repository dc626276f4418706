"""Cases: raters of equal severity, and raters of whom one is more severe, over few stories."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.coverage import Case
from parable.psychometrics.raters.facets import equal_severities
from parable.psychometrics.raters.ratings import make_ratings

UNITS_A_STORY = 5
THRESHOLDS = np.array([-1.0, 1.0])


def _rejected(
    generator: np.random.Generator, *, raters: int, stories: int, harder: float = 0.0, by_story: float = 0.0
) -> float | None:
    """Return whether the test of equal severities rejects at 5 %; None if it gives no result.

    Every rater rates every unit, with three ratings. `harder`: by how many logits the first rater is more
    severe; `by_story`: the standard deviation of a rater's severity over stories.
    """
    severity = np.zeros((raters, stories))
    severity[0] += harder
    severity += generator.normal(0, by_story, severity.shape)
    of_story = np.arange(UNITS_A_STORY * stories) // UNITS_A_STORY
    quality = generator.normal(0.3, 1.2, len(of_story))
    steps = (quality - severity[:, of_story])[:, :, None] - THRESHOLDS
    weights = np.exp(np.cumsum(np.pad(steps, ((0, 0), (0, 0), (1, 0))), axis=2))
    shares = np.cumsum(weights / weights.sum(axis=2, keepdims=True), axis=2)[:, :, :-1]
    given = (generator.random((raters, len(of_story), 1)) > shares).sum(axis=2)
    rows = [(unit, rater, int(one)) for (rater, unit), one in np.ndenumerate(given)]
    p_value = equal_severities(make_ratings(rows, 3), dict(enumerate(of_story.tolist())))
    return None if p_value is None else float(p_value < 0.05)


NULL: dict[str, Any] = {"draws": 1000, "least": 0.03, "most": 0.08}

CASES = [
    *(
        Case(f"{n} equal raters, {m} stories", "rejected", partial(_rejected, raters=n, stories=m), **NULL)
        for n in (3, 4, 6)
        for m in (5, 8, 10, 15, 30)
    ),
    *(
        Case(
            f"4 raters equal but by story (spread 0.6), {m} stories",
            "rejected",
            partial(_rejected, raters=4, stories=m, by_story=0.6),
            **NULL,
        )
        for m in (10, 30)
    ),
    *(
        Case(
            f"{n} raters, one {harder:g} logits harder, {m} stories",
            "rejected",
            partial(_rejected, raters=n, stories=m, harder=harder),
        )
        for n, m in ((3, 10), (4, 10), (6, 8), (4, 30))
        for harder in (0.5, 1.0)
    ),
]
