"""Whether models, items and examinees fit: against figures of mirt, brute force, and simulated answers."""

from itertools import product

import numpy as np
import pytest

from parable.psychometrics.fit import pairs, scores
from parable.psychometrics.fit.models import Criteria, borne_model, compare_models, criteria
from parable.psychometrics.fit.pairs import pair_fit
from parable.psychometrics.fit.people import lz_star, person_fit, weighted_ability
from parable.psychometrics.fit.scores import expected_shares, score_fit
from parable.psychometrics.fit.whole import whole_fit
from parable.psychometrics.irt import Model, calibrate
from parable.psychometrics.irt.curves import curves
from parable.psychometrics.items.upper_lower import tail_weights, upper_lower
from parable.psychometrics.responses import ResponseMatrix, make_matrix
from tests.parable.response_matrices import published_cells, simulate, with_testlets


@pytest.fixture
def lsat7() -> ResponseMatrix:
    """LSAT section 7 (Bock and Lieberman 1970), 1,000 examinees and five items."""
    return make_matrix(published_cells("lsat7.csv"))


def test_aic_and_bic_are_those_that_mirt_prints_for_lsat7(lsat7: ResponseMatrix) -> None:
    found = compare_models(lsat7, calibrate(lsat7, "2pl"))
    assert [one.parameters for one in found] == [6, 10, 15]
    assert found[1].aic == pytest.approx(5337.61, abs=0.01)
    assert found[1].bic == pytest.approx(5386.69, abs=0.01)
    assert borne_model(found) == "1pl"


def test_s_x2_is_that_of_mirts_own_tests_for_lsat7(lsat7: ResponseMatrix) -> None:
    found = score_fit(lsat7, calibrate(lsat7, "2pl"))
    assert found is not None
    assert found.chi_square == pytest.approx([4.7494, 14.4511, 1.2704, 5.2374, 0.9411], abs=0.01)
    assert list(found.freedom) == [2] * 5
    assert found.p_value[0] == pytest.approx(0.093, abs=0.001)
    assert found.adjusted[1] == pytest.approx(5 * found.p_value[1])
    assert found.examinees == 1000


def test_m2_is_that_of_mirts_own_tests_for_lsat7(lsat7: ResponseMatrix) -> None:
    found = pair_fit(lsat7, calibrate(lsat7, "2pl"))
    assert found is not None
    assert found.m2 == pytest.approx(11.93769, abs=0.01)
    assert (found.freedom, found.examinees) == (5, 1000)
    assert found.p_value == pytest.approx(0.0357, abs=0.0005)
    assert found.rmsea == pytest.approx(0.0372, abs=0.0002)
    assert found.low < found.rmsea < found.high
    rest = pair_fit(lsat7, calibrate(lsat7, "1pl"))
    assert rest is not None
    assert rest.freedom == 9  # 15 moments, one slope and five intercepts


def test_the_covariance_of_moments_is_that_of_all_patterns() -> None:
    """All 16 patterns of four items, one by one."""
    parameters = np.array([[1.2, 0.3, 0.0], [0.7, -0.5, 0.2], [1.8, 1.0, 0.1], [0.9, 0.0, 0.0]])
    points, weights = np.array([-1.0, 0.2, 1.4]), np.array([0.3, 0.5, 0.2])
    chance = curves(parameters, points).right
    two = np.triu_indices(4, 1)
    patterns = np.array(list(product([0.0, 1.0], repeat=4)))
    likely = [weights @ np.prod(np.where(one[:, None] == 1, chance, 1 - chance), axis=0) for one in patterns]
    moments = np.column_stack([patterns, patterns[:, two[0]] * patterns[:, two[1]]])
    mean = np.array(likely) @ moments
    exact = (moments * np.array(likely)[:, None]).T @ moments - np.outer(mean, mean)
    assert pairs._covariance(chance, weights, two) == pytest.approx(exact, abs=1e-12)
    assert pairs._moments(chance, weights, two) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("model", ["1pl", "2pl", "3pl"])
def test_moments_move_with_parameters_as_differences_say(model: Model) -> None:
    found = calibrate(simulate(3, 250, 4, model).matrix, model, priors="weak")
    points, weights = np.array([-1.0, 0.2, 1.4]), np.array([0.3, 0.5, 0.2])
    two, at = np.triu_indices(4, 1), found.slope_intercept
    exact = pairs._derivatives(found, at, points, weights, two)

    def moved(column: int, item: int | None) -> np.ndarray:
        ends = []
        for step in (1e-6, -1e-6):
            there = at.copy()
            there[slice(None) if item is None else item, column] += step
            ends.append(pairs._moments(curves(there, points).right, weights, two))
        return np.asarray((ends[0] - ends[1]) / 2e-6)

    columns = {"1pl": [], "2pl": [0], "3pl": [0]}[model]
    expected = [moved(0, None)] if model == "1pl" else [moved(0, item) for _ in columns for item in range(4)]
    expected += [moved(1, item) for item in range(4)]
    if model == "3pl":
        expected += [moved(2, item) for item in range(4)]
    assert exact == pytest.approx(np.column_stack(expected), abs=1e-6)


def test_expected_shares_by_score_are_those_of_all_patterns() -> None:
    parameters = np.array([[1.2, 0.3, 0.0], [0.7, -0.5, 0.2], [1.8, 1.0, 0.1], [0.9, 0.0, 0.0]])
    points = np.linspace(-6, 6, 241)
    weights = np.exp(-(points**2) / 2)
    chance = curves(parameters, points).right
    patterns = np.array(list(product([0.0, 1.0], repeat=4)))
    likely = np.array(
        [weights @ np.prod(np.where(one[:, None] == 1, chance, 1 - chance), axis=0) for one in patterns]
    )
    for item, shares in expected_shares(parameters):
        for score in (1, 2, 3):
            these = patterns.sum(axis=1) == score
            exact = likely[these] @ patterns[these, item] / likely[these].sum()
            assert shares[score - 1] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("expected", "sizes"),
    [
        ([1.0, 1.0, 1.0], [2, 2, 2]),
        ([0.99, 1.0, 1.0], [4, 2]),
        ([1.0, 1.0, 0.99], [2, 4]),
        ([1.01, 0.5, 0.5], [6]),
        ([0.2, 0.2, 0.2], []),
    ],
)
def test_scores_are_put_together_until_one_right_and_one_wrong_are_expected(
    expected: list[float], sizes: list[int]
) -> None:
    groups = scores._collapsed(np.zeros(3), np.full(3, 2.0), np.array(expected))
    assert list(groups[:, 1]) == sizes


def test_neither_is_shown_below_200_examinees_or_of_too_many_items(lsat7: ResponseMatrix) -> None:
    def first(rows: int) -> ResponseMatrix:
        return make_matrix(lsat7.cells[::5][:rows])

    enough, few = first(200), first(199)
    assert pair_fit(enough, calibrate(enough, "2pl", priors="weak")) is not None
    assert score_fit(enough, calibrate(enough, "2pl", priors="weak")) is not None
    found = calibrate(few, "2pl", priors="weak")
    assert (pair_fit(few, found), score_fit(few, found), compare_models(few, found)) == (None, None, [])
    wide = simulate(5, 200, 101).matrix
    assert pair_fit(wide, calibrate(wide, "1pl", tolerance=0.1)) is None


def test_who_left_out_an_item_counts_neither_for_pairs_nor_for_scores(lsat7: ResponseMatrix) -> None:
    cells = lsat7.cells.copy()
    cells[::3, 0] = np.nan
    with_gaps = make_matrix(cells)
    found = whole_fit(with_gaps, calibrate(with_gaps, "2pl")).as_json()
    assert (found["pairs"]["examinees"], found["items"]["examinees"]) == (666, 666)


def test_an_item_of_another_shape_does_not_fit() -> None:
    rng = np.random.default_rng(8)
    simulated = simulate(8, 1000, 12)
    cells = simulated.matrix.cells.copy()
    cells[:, 0] = rng.random(1000) < np.where(np.abs(simulated.ability) < 0.7, 0.2, 0.8)  # a bowl
    matrix = make_matrix(cells)
    found = score_fit(matrix, calibrate(matrix, "2pl"))
    assert found is not None
    assert found.adjusted[0] < 0.001
    assert (found.adjusted[1:] > 0.05).all()


def test_the_model_is_borne_that_made_the_answers() -> None:
    rng = np.random.default_rng(9)
    ability, difficulty = rng.standard_normal((600, 1)), np.linspace(-1.5, 1.5, 10)
    for slopes, model in (([1.2, 1.2], "1pl"), ([0.5, 2.0], "2pl")):
        chance = 1 / (1 + np.exp(-np.tile(slopes, 5) * (ability - difficulty)))
        made = make_matrix((rng.random(chance.shape) < chance).astype(float))
        assert borne_model(compare_models(made, calibrate(made, "2pl"))) == model


def test_pairs_of_items_of_one_story_do_not_fit() -> None:
    simulated, _stories = with_testlets(3, 600, [3] * 4, 1.2)
    found = pair_fit(simulated.matrix, calibrate(simulated.matrix, "2pl"))
    assert found is not None
    assert found.p_value < 0.001
    assert found.low > 0.03


def test_under_the_model_m2_rejects_as_often_as_it_says() -> None:
    p_values = []
    for seed in range(40):
        matrix = simulate(300 + seed, 300, 8).matrix
        found = pair_fit(matrix, calibrate(matrix, "2pl", tolerance=1e-3))
        assert found is not None
        p_values.append(found.p_value)
    assert 0.4 < np.mean(p_values) < 0.6
    assert np.mean(np.array(p_values) < 0.05) <= 0.13


@pytest.mark.parametrize(
    ("bics", "borne"),
    [((10.0, 8.0, 20.0), "1pl"), ((10.1, 8.0, 20.0), "2pl"), ((30.0, 20.0, 17.9), "3pl")],
)
def test_a_simpler_model_is_borne_whose_bic_is_at_most_two_higher(
    bics: tuple[float, ...], borne: str
) -> None:
    models: tuple[Model, ...] = ("1pl", "2pl", "3pl")
    found = [
        Criteria(model, n, -(bic - n * np.log(100)) / 2, 100)
        for model, n, bic in zip(models, (3, 4, 6), bics, strict=True)
    ]
    assert borne_model(found) == borne
    assert borne_model([]) is None


def test_criteria_are_refused_where_priors_act(lsat7: ResponseMatrix) -> None:
    with pytest.raises(ValueError, match="priors"):
        criteria(calibrate(lsat7, "2pl", priors="weak"))


def test_lz_star_has_mean_0_and_spread_1_where_l_z_has_not() -> None:
    """Simulated answers to 40 items at one ability."""
    rng = np.random.default_rng(4)
    parameters = np.column_stack([np.exp(rng.normal(0, 0.3, 40)), rng.normal(0, 1.2, 40), np.full(40, 0.1)])
    chance = curves(parameters, np.array([0.3])).right[:, 0]
    figures = np.array([lz_star(parameters, one) for one in (rng.random((300, 40)) < chance).astype(float)])
    assert figures[:, 1].mean() == pytest.approx(0, abs=0.1)
    assert figures[:, 1].std() == pytest.approx(1, abs=0.07)
    assert np.mean(figures[:, 1] < -1.645) == pytest.approx(0.05, abs=0.03)
    assert figures[:, 0].std() < 0.95


def test_lz_star_of_the_1pl_is_snijders_formula_by_hand() -> None:
    """With equal slopes a residual's weight is the slope, and Warm's estimate solves a sum in closed form."""
    parameters = np.column_stack([np.ones(10), -np.linspace(-2, 2, 10), np.zeros(10)])
    answers = np.array([1, 1, 1, 0, 1, 1, 0, 0, 1, 0], dtype=np.float64)
    theta = weighted_ability(parameters, answers)
    p = 1 / (1 + np.exp(-(theta - np.linspace(-2, 2, 10))))
    information = (p * (1 - p)).sum()
    warm = (p * (1 - p) * (1 - 2 * p)).sum() / (2 * information)
    assert (answers - p).sum() + warm == pytest.approx(0, abs=1e-9)
    w = np.log(p / (1 - p))
    c = (p * (1 - p) * w).sum() / information
    by_hand = ((answers - p) @ w + c * warm) / np.sqrt(np.square(w - c) @ (p * (1 - p)))
    assert lz_star(parameters, answers)[1] == pytest.approx(by_hand, abs=1e-9)


def test_answers_the_wrong_way_round_do_not_fit_and_regular_ones_do() -> None:
    simulated = simulate(11, 60, 80)
    cells = simulated.matrix.cells.copy()
    hard_first = np.argsort(-simulated.difficulty)
    cells[0] = 0.0
    cells[0, hard_first[:40]] = 1.0  # the hard half right, the easy half wrong
    matrix = make_matrix(cells)
    found = person_fit(matrix, calibrate(matrix, "2pl"))
    assert found is not None
    assert found.adjusted[0] < 1e-6
    assert (found.adjusted[1:] > 0.05).all()
    assert np.abs(found.lz_star[1:].mean()) < 0.6
    assert person_fit(make_matrix(cells[:29]), calibrate(make_matrix(cells[:29]), "2pl")) is None


def test_who_answered_fewer_than_ten_items_has_no_person_fit() -> None:
    cells = simulate(12, 40, 12).matrix.cells.copy()
    cells[0, 9:] = np.nan
    cells[1, 10:] = np.nan
    found = person_fit(make_matrix(cells), calibrate(make_matrix(cells), "1pl"))
    assert found is not None
    assert np.isnan(found.lz_star[0])
    assert np.isnan(found.adjusted[0])
    assert np.isfinite(found.lz_star[1])


@pytest.mark.parametrize(
    ("values", "size", "weights"),
    [
        ([1, 2, 3, 4], 1.0, [1, 0, 0, 0]),
        ([1, 2, 3, 4], 1.5, [1, 0.5, 0, 0]),
        ([2, 2, 1, 4], 2.0, [0.5, 0.5, 1, 0]),
        ([5, 5, 5, 5], 1.0, [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_equal_scores_share_the_places_that_are_left(
    values: list[float], size: float, weights: list[float]
) -> None:
    assert list(tail_weights(np.array(values, dtype=np.float64), size)) == weights


def test_upper_lower_is_the_difference_of_two_shares_of_27_in_100() -> None:
    cells = np.zeros((100, 4))
    cells[:50, 0] = 1.0
    cells[:20, 1:] = 1.0
    cells[20:27, 1] = 1.0
    found = upper_lower(make_matrix(cells))
    assert found is not None
    assert found.size == pytest.approx(27)
    assert found.difference == pytest.approx([1.0, 1.0, 20 / 27, 20 / 27])
    # Newcombe's method 10 by hand, from Wilson's intervals of 20 in 27 and 0 in 27
    z = 1.959964
    low, high = ((20 / 27 + z**2 / 54 + sign * z * np.sqrt(20 / 27 * 7 / 27 / 27 + z**2 / 2916))
                 / (1 + z**2 / 27) for sign in (-1, 1))  # fmt: skip
    none = (z**2 / 27) / (1 + z**2 / 27)
    assert found.low[2] == pytest.approx(20 / 27 - np.hypot(20 / 27 - low, none), abs=1e-6)
    assert found.high[2] == pytest.approx(20 / 27 + (high - 20 / 27), abs=1e-6)
    assert upper_lower(make_matrix(cells[:3])) is None
    assert upper_lower(make_matrix(cells[:4])) is not None
