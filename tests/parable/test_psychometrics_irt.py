"""Item response theory: published estimates, an objective that never falls, signs, gaps, standard errors."""

import json
import tracemalloc
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from parable.psychometrics import responses
from parable.psychometrics.irt import (
    Calibration,
    Model,
    PriorChoice,
    calibrate,
    discriminations,
    standard_errors,
)
from parable.psychometrics.irt import calibration as calibration_module
from parable.psychometrics.items.chance import negative_share
from parable.psychometrics.responses import make_matrix, undefined_items
from tests.parable.response_matrices import published, published_cells, simulate

MODELS: tuple[Model, ...] = ("1pl", "2pl", "3pl")


def _lsat7(model: Model) -> tuple[Calibration, dict[str, Any]]:
    reference = json.loads(published("lsat7_reference.json").read_text(encoding="utf-8"))
    return calibrate(make_matrix(published_cells("lsat7.csv")), model, priors="none"), reference


@pytest.mark.parametrize(("model", "name"), [("1pl", "equal_slope_1PL"), ("2pl", "2PL")])
def test_it_finds_the_published_estimates(model: Model, name: str) -> None:
    found, reference = _lsat7(model)
    assert found.converged
    assert np.abs(found.discrimination - np.array(reference[name]["a"])).max() < 0.005
    assert np.abs(found.intercept - np.array(reference[name]["d"])).max() < 0.005
    assert np.allclose(found.difficulty, -found.intercept / found.discrimination)


def test_it_finds_the_published_rasch_estimates_with_one_slope() -> None:
    """A slope of 1 with a free spread of abilities is the same model as one free slope."""
    found, reference = _lsat7("1pl")
    assert np.abs(found.intercept - np.array(reference["Rasch"]["d"])).max() < 0.005


def test_it_climbs_as_high_as_the_published_3pl() -> None:
    found, reference = _lsat7("3pl")
    assert found.log_likelihood >= -2658.06
    assert found.guessing[1] == pytest.approx(reference["3PL"]["g_item2"], abs=0.01)


def cells(seed: int) -> Any:
    return simulate(seed, 5 + seed % 40, 3 + seed % 7, turned=0.3, missing=0.1 * (seed % 3)).matrix


CELLS = st.integers(0, 2**32 - 1).map(cells)
FINER = cells(3_787_244_939)
"""Here the objective falls by 1.8e-6 of itself where the quadrature grows finer; of 900 drawn, by 7e-7."""


@given(CELLS, st.sampled_from(MODELS), st.sampled_from(["none", "weak"]))
@example(matrix=FINER, model="2pl", priors="none")
@settings(max_examples=40, deadline=None)
def test_its_objective_never_falls(matrix: Any, model: Model, priors: PriorChoice) -> None:
    assume(not undefined_items(matrix).all())
    found = calibrate(matrix, model, priors=priors, most_cycles=60)
    # The quadrature grows finer on the way, which moves the objective by less than this.
    assert np.diff(found.objective).min(initial=0.0) > -1e-5 * max(1.0, abs(found.objective[-1]))


def test_many_items_settle_in_few_cycles() -> None:
    """A shift or stretch of all items is slow where abilities are sharp: 16 cycles without expansion."""
    found = calibrate(simulate(1, 200, 200).matrix, "2pl", tolerance=1e-5)
    assert found.converged
    assert len(found.objective) <= 8


def test_it_reports_each_cycle() -> None:
    reported: list[int] = []
    found = calibrate(simulate(1, 200, 20).matrix, "2pl", report=reported.append)
    assert reported == list(range(1, len(found.objective)))


@pytest.mark.parametrize("model", MODELS)
def test_its_priors_act_below_200_examinees_and_not_from_there(model: Model) -> None:
    assert calibrate(simulate(1, 199, 5).matrix, model).priors == "weak"
    assert calibrate(simulate(1, 200, 5).matrix, model).priors == "none"


def test_a_wrong_key_shows_as_negative_discrimination() -> None:
    simulated = simulate(3, 400, 40, turned=0.1)
    found = calibrate(simulated.matrix, "2pl")
    assert np.array_equal(found.discrimination < 0, simulated.turned)


def test_the_sign_of_everything_is_fixed_by_the_score() -> None:
    matrix = simulate(4, 300, 20, turned=0.4).matrix
    found = calibrate(matrix, "2pl")
    assert np.corrcoef(found.ability, np.nansum(matrix.cells, axis=1))[0, 1] > 0


def test_it_recovers_parameters_with_a_fifth_of_the_cells_missing() -> None:
    simulated = simulate(5, 1000, 30, missing=0.2)
    found = calibrate(simulated.matrix, "2pl")
    assert np.corrcoef(found.difficulty, simulated.difficulty)[0, 1] > 0.95
    assert np.corrcoef(found.discrimination, simulated.discrimination)[0, 1] > 0.9
    assert np.corrcoef(found.ability, simulated.ability)[0, 1] > 0.9


def test_an_examinee_without_answers_is_the_population() -> None:
    cells = simulate(6, 250, 10).matrix.cells.copy()
    cells[7] = np.nan
    found = calibrate(make_matrix(cells), "2pl")
    assert found.ability[7] == pytest.approx(0.0, abs=1e-9)
    assert found.ability_se[7] == pytest.approx(1.0, abs=1e-6)


def test_items_that_everybody_got_right_are_left_out_without_priors_only() -> None:
    cells = simulate(7, 250, 10).matrix.cells.copy()
    cells[:, 2], cells[:, 5] = 1.0, 0.0
    plain, guided = (calibrate(make_matrix(cells), "2pl", priors=priors) for priors in ("none", "weak"))
    assert list(np.flatnonzero(plain.left_out)) == [2, 5]
    assert np.isnan(plain.discrimination[[2, 5]]).all()
    assert not np.isnan(np.delete(plain.difficulty, [2, 5])).any()
    assert not guided.left_out.any()
    assert guided.difficulty[2] < -2 < 2 < guided.difficulty[5]


def test_it_refuses_a_matrix_that_says_nothing() -> None:
    with pytest.raises(ValueError, match="nothing can be estimated"):
        calibrate(make_matrix(np.ones((10, 3))), "2pl")


def test_a_test_of_thousands_of_items_is_measured_by_a_finer_grid() -> None:
    simulated = simulate(8, 12, 600)
    found = calibrate(simulated.matrix, "2pl", tolerance=1e-3)
    assert len(set(found.ability)) == 12
    assert found.ability_se.max() < 0.35
    assert np.corrcoef(found.ability, simulated.ability)[0, 1] > 0.95


def _log_likelihood(
    cells: npt.NDArray[np.float64], slope: npt.NDArray[np.float64], d: npt.NDArray[np.float64]
) -> float:
    """The marginal likelihood on a plain grid, written down once more."""
    points = np.linspace(-6, 6, 97)
    weights = np.exp(-(points**2) / 2)
    right = expit(slope[:, None] * points + d[:, None])
    likelihood = np.exp(cells @ np.log(right) + (1 - cells) @ np.log(1 - right)) @ (weights / weights.sum())
    return float(np.log(likelihood).sum())


@pytest.mark.parametrize("model", ["1pl", "2pl"])
def test_its_standard_errors_are_those_of_the_likelihoods_curvature(model: Model) -> None:
    cells = simulate(9, 800, 6, model).matrix.cells
    found = calibrate(make_matrix(cells), model, priors="none")
    shared = model == "1pl"
    best = np.concatenate([found.discrimination[:1] if shared else found.discrimination, found.intercept])

    def value(at: npt.NDArray[np.float64]) -> float:
        slope = np.full(6, at[0]) if shared else at[:6]
        return _log_likelihood(cells, slope, at[-6:])

    numeric = np.sqrt(np.diag(np.linalg.inv(-_hessian(value, best))))
    ours = np.sqrt(np.diagonal(found.covariance, axis1=1, axis2=2))
    expected = np.column_stack([np.full(6, numeric[0]) if shared else numeric[:6], numeric[-6:]])
    assert np.allclose(ours, expected, rtol=0.02)


def _hessian(value: Any, best: npt.NDArray[np.float64], step: float = 1e-3) -> npt.NDArray[np.float64]:
    moves = np.eye(len(best)) * step
    found = np.empty((len(best), len(best)))
    for i, one in enumerate(moves):
        for j, other in enumerate(moves):
            found[i, j] = (
                value(best + one + other) - value(best + one - other)
                - value(best - one + other) + value(best - one - other)
            ) / (4 * step**2)  # fmt: skip
    return found


def test_a_slope_of_nothing_leaves_difficulty_without_an_error() -> None:
    """Where items go with nothing their common slope is next to none, and difficulty may be anywhere."""
    cells = [[1, 0, 1, np.nan], [0, 1, np.nan, np.nan], [1, 1, 0, np.nan]]
    found = calibrate(make_matrix(cells), "1pl", priors="none")
    assert np.isnan(found.difficulty_se).all()
    assert np.isfinite(found.discrimination_se[:3]).all()


LSAT6 = """
00000 3 00001 6 00010 2 00011 11 00100 1 00101 1 00110 3 00111 4 01000 1 01001 8 01011 16 01101 3 01110 2
01111 15 10000 10 10001 29 10010 14 10011 81 10100 3 10101 28 10110 15 10111 80 11000 16 11001 56 11010 21
11011 173 11100 11 11101 61 11110 28 11111 298
"""
"""How many of 1,000 examinees gave each pattern of answers (Bock and Lieberman 1970)."""


@pytest.mark.parametrize(("model", "least"), [("2pl", -2466.66), ("3pl", -2466.65)])
def test_a_model_with_guessing_fits_no_worse_than_the_one_within_it(model: Model, least: float) -> None:
    """Started at some guessing alone, the 3PL stops at -2470.01."""
    words = LSAT6.split()
    patterns = zip(words[::2], map(int, words[1::2]), strict=True)
    cells = [[int(cell) for cell in pattern] for pattern, times in patterns for _ in range(times)]
    found = calibrate(make_matrix(cells), model, priors="none")
    assert found.converged
    assert found.log_likelihood >= least


@pytest.mark.parametrize("seed", range(4))
def test_guessing_never_lowers_the_likelihood(seed: int) -> None:
    matrix = simulate(seed, 250, 6).matrix
    plain, guessing = (calibrate(matrix, model, priors="none").log_likelihood for model in ("2pl", "3pl"))
    assert guessing >= plain - 1e-3


def test_a_parameter_at_its_bound_has_no_standard_error() -> None:
    cells = simulate(10, 400, 8).matrix.cells.copy()
    cells[:, 3] = cells.sum(axis=1) >= 5  # as steep as an item can be
    found = calibrate(make_matrix(cells), "2pl", priors="none")
    assert found.discrimination[3] == pytest.approx(12.0)
    assert np.isnan(found.discrimination_se[3])
    assert np.isnan(found.difficulty_se[3])
    others = np.arange(8) != 3
    assert (found.discrimination_se[others] > 0).all()
    assert (found.difficulty_se[others] > 0).all()


@pytest.mark.parametrize("priors", ["none", "weak"])
def test_difficulty_has_no_standard_error_where_items_can_be_guessed(priors: PriorChoice) -> None:
    found = calibrate(simulate(11, 250, 6, "3pl").matrix, "3pl", priors=priors)
    assert np.isnan(found.difficulty_se).all()
    assert (found.discrimination_se > 0).all()


def test_samples_are_estimated_without_standard_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 398 items they take nineteen twentieths of the time."""
    simulated = simulate(12, 40, 12, turned=0.2)
    found = calibrate(simulated.matrix, "2pl")
    monkeypatch.setattr(calibration_module, "covariances", None)
    again = discriminations(simulated.matrix, "2pl", priors="weak", tolerance=1e-5, most_cycles=1000)
    assert np.array_equal(again, found.discrimination)
    assert negative_share(simulated.matrix, found, seed=1, draws=3).share == (again < 0).mean()


def test_it_makes_no_more_than_a_few_tables_of_the_size_of_the_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (responses, standard_errors):
        monkeypatch.setattr(module, "_CHUNK_CELLS", 20_000)
    matrix = simulate(1, 500, 900).matrix
    tracemalloc.start()
    try:
        calibrate(matrix, "2pl", priors="none", most_cycles=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6 * matrix.cells.nbytes


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_it_correlates_items_alike_whether_in_parts_or_at_once(
    missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = simulate(3, 40, 30, missing=missing).matrix
    whole = responses.item_rest_correlation(matrix)
    monkeypatch.setattr(responses, "_CHUNK_CELLS", 40 * 7)
    assert np.allclose(responses.item_rest_correlation(matrix), whole, equal_nan=True)
    rest = [np.corrcoef(matrix.cells[:, 0], np.delete(matrix.cells, 0, axis=1).mean(axis=1))[0, 1]]
    assert missing or np.isclose(whole[0], rest[0])
