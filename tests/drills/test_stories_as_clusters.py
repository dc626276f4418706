"""What stories as clusters promise, by simulation: coverage of intervals and error rates of tests."""

import numpy as np
import pytest

from parable.psychometrics.agreement import FIGURES, agreement
from parable.psychometrics.irt import abilities_by_story, calibrate
from parable.psychometrics.results.differences import clustered_mcnemar, sign_flips
from tests.parable.response_matrices import with_testlets

pytestmark = pytest.mark.drill

Z = 1.96
SETS = 3000


@pytest.mark.parametrize("spread", [0.8, 1.2])
@pytest.mark.parametrize(("examinees", "stories"), [(1000, 20), (500, 40)])
def test_abilities_are_as_sure_as_they_say_where_stories_go_together(
    examinees: int, stories: int, spread: float
) -> None:
    held, plain = [], []
    for seed in range(5):
        simulated, of_story = with_testlets(500 + seed, examinees, [5] * stories, spread)
        found = calibrate(simulated.matrix, "2pl")
        told = abilities_by_story(simulated.matrix, found, of_story)
        assert told is not None
        held.append(np.mean(np.abs(told.ability - simulated.ability) < Z * told.ability_se))
        plain.append(np.mean(np.abs(found.ability - simulated.ability) < Z * found.ability_se))
    print(examinees, stories, spread, np.mean(held), np.mean(plain))
    assert 0.93 <= np.mean(held) <= 0.97
    assert np.mean(plain) < 0.92


def test_twelve_models_are_as_sure_of_each_other_as_they_say() -> None:
    """Of so few the zero and the unit of the scale are their own: abilities are aligned first."""
    held = []
    for seed in range(12):
        simulated, of_story = with_testlets(700 + seed, 12, [5] * 100, 0.8)
        told = abilities_by_story(simulated.matrix, calibrate(simulated.matrix, "2pl"), of_story)
        assert told is not None
        line = np.polyfit(told.ability, simulated.ability, 1)
        error = np.abs(np.polyval(line, told.ability) - simulated.ability)
        held.append(np.mean(error < Z * told.ability_se * abs(line[0])))
    print(np.mean(held))
    assert 0.92 <= np.mean(held) <= 0.98


@pytest.mark.parametrize(("stories", "spread"), [(20, 0.8), (60, 0.8), (60, 1.2)])
def test_equal_models_are_told_apart_in_five_of_a_hundred(stories: int, spread: float) -> None:
    """Two models as able, each with its own effect of every story: rejected at 5 %, and by plain McNemar."""
    rng = np.random.default_rng(stories)
    of_story = np.repeat(np.arange(stories), 5)
    flips, clustered, plain = [], [], []
    for _ in range(SETS):
        easy = rng.normal(0.5, 1, (stories, 5)) + rng.normal(0, 0.3)
        chances = [1 / (1 + np.exp(-easy - rng.normal(0, spread, (stories, 1)))) for _model in range(2)]
        one, two = (rng.random((stories, 5)) < chance for chance in chances)
        apart = (one.astype(np.float64) - two).ravel()
        flips.append(sign_flips(apart.reshape(stories, 5).sum(axis=1)) < 0.05)
        clustered.append(clustered_mcnemar(apart, of_story) < 0.05)
        plain.append(clustered_mcnemar(apart, np.arange(len(apart))) < 0.05)
    print(stories, spread, np.mean(flips), np.mean(clustered), np.mean(plain))
    assert 0.04 <= np.mean(flips) <= 0.06
    assert 0.035 <= np.mean(clustered) <= 0.06
    assert np.mean(plain) > 0.065


@pytest.mark.parametrize("thresholds", [(-0.8, 0.3), (-2.0, -1.0)])
def test_intervals_of_agreement_hold_at_ten_stories(thresholds: tuple[float, float]) -> None:
    """Ten stories of ten items, two reviewers, ratings 0 to 2; truth is that of 5,000 stories."""
    rng = np.random.default_rng(11)
    truth = agreement(_rated(rng, 5000, thresholds), [0] * 50_000)
    held: dict[str, list[bool]] = {figure.code: [] for figure in FIGURES}
    for _ in range(300):
        found = agreement(_rated(rng, 10, thresholds), np.repeat(np.arange(10), 10).tolist())
        for name, values in held.items():
            one, true = found.figures[name], truth.figures[name].value
            assert true is not None
            values.append(one.low is not None and one.high is not None and one.low <= true <= one.high)
    shares = {name: float(np.mean(values)) for name, values in held.items()}
    print(thresholds, shares)
    assert all(0.92 <= share <= 0.985 for share in shares.values()), shares


def _rated(rng: np.random.Generator, stories: int, thresholds: tuple[float, float]) -> np.ndarray:
    of_story = np.repeat(np.arange(stories), 10)
    quality = rng.normal(0, 0.6, stories)[of_story] + rng.normal(0, 0.8, len(of_story))
    noise = 0.7 * np.exp(rng.normal(0, 0.5, stories))[of_story]
    counts = np.zeros((len(of_story), 3), dtype=np.int64)
    for severity in (-0.2, 0.2):
        ratings = np.searchsorted(thresholds, quality - severity + noise * rng.normal(0, 1, len(of_story)))
        np.add.at(counts, (np.arange(len(of_story)), ratings), 1)
    return counts
