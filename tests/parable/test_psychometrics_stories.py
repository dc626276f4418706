"""Abilities with whole stories as units, against leaving out stories one by one and simulated abilities."""

import numpy as np
import pytest

from parable.psychometrics.irt import abilities_by_story, by_story, calibrate
from parable.psychometrics.irt.curves import curves, information
from tests.parable.response_matrices import simulate, with_testlets


def test_they_are_the_calibrations_where_stories_say_nothing() -> None:
    simulated = simulate(1, 100, 12)
    found = calibrate(simulated.matrix, "2pl")
    assert abilities_by_story(simulated.matrix, found, ["one"] * 12) is None
    assert abilities_by_story(simulated.matrix, found, list(range(12))) is None
    assert by_story(found, None) is found


def test_items_that_go_no_further_together_change_next_to_nothing() -> None:
    simulated = simulate(2, 400, 40)
    found = calibrate(simulated.matrix, "2pl")
    told = abilities_by_story(simulated.matrix, found, np.repeat(range(8), 5))
    assert told is not None
    assert told.correlation < 0.02
    assert told.stories == 8
    assert told.ability == pytest.approx(found.ability, abs=0.05)
    assert told.ability_se == pytest.approx(found.ability_se, rel=0.05)


@pytest.mark.drill
def test_their_variance_is_that_of_leaving_out_one_story_at_a_time() -> None:
    """The jackknife, done by hand: each ability anew by Newton's method without each story in turn."""
    simulated, stories = with_testlets(3, 300, [5] * 30, 1.0)
    found = calibrate(simulated.matrix, "2pl")
    told = abilities_by_story(simulated.matrix, found, stories)
    assert told is not None
    right, parameters = simulated.matrix.cells, found.slope_intercept
    kept = [stories != one for one in range(30)]
    without = np.stack([_most_likely(right[:, these], parameters[these]) for these in kept])
    jackknife = 29 / 30 * np.square(without - without.mean(axis=0)).sum(axis=0)
    likely = _most_likely(right, parameters)
    plain = 1 / information(parameters, likely).sum(axis=0)
    inner = np.abs(likely) < 2
    assert told.design_effect.mean() == pytest.approx((jackknife / plain)[inner].mean(), rel=0.08)


def _most_likely(right: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    ability = np.zeros(len(right))
    for _ in range(30):
        at = curves(parameters, ability)
        step = ((right - at.right.T) * parameters[:, 0]).sum(axis=1)
        ability = np.clip(ability + step / information(parameters, ability).sum(axis=0), -4, 4)
    return ability


def test_an_examinee_who_answered_one_item_a_story_is_as_sure_as_ever() -> None:
    simulated, stories = with_testlets(4, 300, [5] * 20, 1.2)
    cells = simulated.matrix.cells.copy()
    cells[0, np.arange(100) % 5 != 0] = np.nan
    matrix = type(simulated.matrix)(simulated.matrix.examinees, simulated.matrix.items, cells)
    told = abilities_by_story(matrix, calibrate(matrix, "2pl"), stories)
    assert told is not None
    assert told.design_effect[0] == 1
    assert told.design_effect[1:].min() > 1.4
