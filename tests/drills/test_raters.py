"""What models of raters promise, by simulation: severities found again, intervals that cover."""

import numpy as np
import pytest

from parable.psychometrics.raters.facets import severities
from parable.psychometrics.raters.keys import keys_by_answers
from parable.psychometrics.raters.ratings import make_ratings
from tests.parable.rating_sets import simulate_answers, simulate_ratings

pytestmark = pytest.mark.drill


@pytest.mark.parametrize(("raters", "each", "by_story"), [(8, 2, 0.0), (8, 2, 0.6), (12, 3, 0.4)])
def test_severities_are_found_again_and_as_sure_as_they_say(raters: int, each: int, by_story: float) -> None:
    held, fits, goes, slopes = [], [], [], []
    for seed in range(30):
        simulated = simulate_ratings(seed, raters=raters, stories=100, each=each, by_story=by_story)
        found = severities(make_ratings(simulated.rows, 3), simulated.stories)
        told = sorted(found.raters, key=lambda one: int(str(one.rater)))
        true = simulated.severity
        held += [one.low <= value <= one.high for one, value in zip(told, true, strict=True)]
        fits += [abs((one.infit or 0) - 1) <= (one.infit_high or 0) - 1 for one in told]
        own = np.array([one.severity for one in told], dtype=np.float64)
        goes.append(np.corrcoef(own, true)[0, 1])
        slopes.append(own @ true / (true @ true))
    print(raters, each, by_story, np.mean(goes), np.mean(held), np.mean(slopes), np.mean(fits))
    assert np.mean(goes) >= 0.9
    assert 0.93 <= np.mean(held) <= 0.97
    assert 0.88 <= np.mean(slopes) <= 1.08  # what differs by story flattens all


def test_people_are_as_often_right_as_their_answers_say() -> None:
    held, right, lines = [], [], []
    for seed in range(30):
        rows, stories, keys, accuracy = simulate_answers(seed, people=20, stories=60, each=5)
        found = keys_by_answers(rows, stories)
        assert found is not None
        held += [one.low <= accuracy[int(str(one.person))] <= one.high for one in found.people]
        right.append(np.mean([one.likeliest == keys[int(str(one.item))] for one in found.items]))
        lines.append(np.mean([max(one.probabilities) for one in found.items]))
    print(np.mean(held), np.mean(right), np.mean(lines))
    assert 0.93 <= np.mean(held) <= 0.98
    assert abs(np.mean(right) - np.mean(lines)) < 0.01
