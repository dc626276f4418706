"""Classical item analysis against figures worked out by hand, by SciPy, and by planting."""

import numpy as np
import pytest

from parable.psychometrics.classical import (
    distractors,
    item_statistics,
    kr20,
    score,
    story_dependence,
    weighted_vote,
)
from parable.psychometrics.responses import make_matrix
from tests.parable.response_matrices import published_cells, simulate

NAN = np.nan


def test_it_counts_items_that_everybody_or_nobody_gets_right_apart() -> None:
    found = item_statistics(make_matrix([[1, 0, 1, NAN], [1, 0, 0, NAN], [1, NAN, 1, NAN]]))
    assert list(found.everybody) == [True, False, False, False]
    assert list(found.nobody) == [False, True, False, False]
    assert list(found.answered) == [3, 2, 3, 0]
    assert found.proportion_correct[2] == pytest.approx(2 / 3)
    assert np.isnan(found.item_rest_correlation[[0, 1, 3]]).all()


def test_its_item_rest_correlation_is_pearsons() -> None:
    cells = simulate(1, 80, 6).matrix.cells
    found = item_statistics(make_matrix(cells)).item_rest_correlation
    for item in range(6):
        rest = np.delete(cells, item, axis=1).sum(axis=1)
        assert found[item] == pytest.approx(np.corrcoef(cells[:, item], rest)[0, 1])


def test_its_item_rest_correlation_looks_at_those_who_answered() -> None:
    cells = simulate(2, 80, 6).matrix.cells.copy()
    cells[:10, 0] = NAN
    found = item_statistics(make_matrix(cells)).item_rest_correlation
    assert found[0] == pytest.approx(np.corrcoef(cells[10:, 0], cells[10:, 1:].sum(axis=1))[0, 1])


def test_it_finds_the_reliability_worked_out_by_hand() -> None:
    # Item variances 1/3, 1/4, 1/4 and score variance 5/3: 3/2 (1 - (5/6) / (5/3)) = 3/4.
    found = kr20(make_matrix(np.array([[1, 1, 1], [1, 1, 0], [0, 1, 0], [0, 0, 0], [1, NAN, 1]])))
    assert found.examinees == 4
    assert found.value == pytest.approx(0.75)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.75 < found.high <= 1


def test_its_interval_of_reliability_holds_the_truth_as_often_as_it_says() -> None:
    truth = kr20(simulate(0, 200_000, 10, "1pl").matrix).value
    assert truth is not None
    difficulty = simulate(0, 200_000, 10, "1pl").difficulty
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        chance = 1 / (1 + np.exp(-(rng.standard_normal((100, 1)) - difficulty)))
        found = kr20(make_matrix(rng.random(chance.shape) < chance))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.91 <= held / 300 <= 0.99


@pytest.mark.parametrize("cells", [[[1, 0]], [[1], [0]], [[1, 0], [0, 1]]])
def test_it_has_no_reliability_where_scores_do_not_vary(cells: list[list[int]]) -> None:
    assert kr20(make_matrix(cells)).value is None


def test_it_tables_how_options_were_chosen() -> None:
    choices = np.array([[0, 1, 2], [0, 1, -1], [1, 1, 2], [1, 0, 0]])
    keys = np.array([0, 1, 2])
    found = distractors(choices, keys, 3)
    assert found.counts.tolist() == [[2, 2, 0], [1, 3, 0], [1, 0, 2]]
    assert found.correlation[0, 0] > 0 > found.correlation[0, 1]
    assert np.isnan(found.correlation[:2, 2]).all()
    assert np.array_equal(score(choices, keys)[1], [1, 1, NAN], equal_nan=True)


def test_able_examinees_vote_against_a_wrong_key() -> None:
    simulated = simulate(3, 12, 60)
    rng = np.random.default_rng(3)
    keys = rng.integers(4, size=60)
    choices = np.where(simulated.matrix.right, keys, (keys + rng.integers(1, 4, (12, 60))) % 4)
    easy = int(np.argmin(simulated.difficulty))
    wrong = keys.copy()
    wrong[easy] = (keys[easy] + 1) % 4
    found = weighted_vote(choices, wrong, 4)
    assert found[easy] < 0
    assert int(np.argmin(found)) == easy


def test_items_nobody_answered_have_no_vote() -> None:
    assert np.isnan(weighted_vote(np.array([[0, -1], [1, -1]]), np.array([0, 1]), 2)[1])


def test_it_sees_items_of_one_story_go_together() -> None:
    rng = np.random.default_rng(4)
    stories = np.repeat(np.arange(20), 3)
    noise = rng.standard_normal((50, 60))
    shared = rng.standard_normal((50, 20))[:, stories]
    together, apart = (story_dependence(noise + w * shared, stories, seed=1) for w in (1.0, 0.0))
    assert together is not None
    assert apart is not None
    assert together.q3 == pytest.approx(0.5, abs=0.1)
    assert together.p_value == pytest.approx(0.001)
    assert apart.p_value > 0.05
    assert together.pairs == 60


def test_its_pooled_q3_is_the_mean_of_the_pairs() -> None:
    residuals = np.random.default_rng(6).standard_normal((30, 5))
    found = story_dependence(residuals, [1, 1, 1, 2, 2], seed=1, permutations=9)
    r = np.asarray(np.corrcoef(residuals.T))
    assert found is not None
    assert found.q3 == pytest.approx(np.mean([r[0, 1], r[0, 2], r[1, 2], r[3, 4]]))
    assert story_dependence(residuals, range(5), seed=1) is None


def test_real_distractors_go_with_lower_scores_than_keys() -> None:
    raw = published_cells("sat12_raw.csv").astype(np.int64)
    keys = published_cells("sat12_key.csv")[:, 0].astype(np.int64) - 1
    choices = np.where(raw == 8, -1, raw - 1)
    found = distractors(choices, keys, 5)
    of_key = found.correlation[np.arange(32), keys]
    assert np.mean(of_key > 0) > 0.9
    assert np.mean(of_key >= np.nanmax(found.correlation, axis=1)) > 0.8
