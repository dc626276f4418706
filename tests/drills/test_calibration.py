"""Items with known or planted properties: what item response theory and the votes find of them."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import rankdata

from parable.psychometrics.classical import score, weighted_vote
from parable.psychometrics.irt import Calibration, Model, calibrate
from parable.psychometrics.irt.curves import curves, multipliers
from parable.psychometrics.responses import item_rest_correlation, make_matrix
from tests.parable.response_matrices import published_cells, simulate

pytestmark = pytest.mark.drill

Array = npt.NDArray[np.float64]
Z = 1.96
FIRST = 0.06
"""The share of items that a suspect list shows first."""


def _covered(estimates: Array, errors: Array, truth: Array) -> Array:
    return np.asarray(np.abs(estimates - truth) < Z * errors, dtype=np.float64)


def _curves_of(found: Calibration, abilities: Array) -> tuple[Array, Array]:
    """The chance of a right answer with its standard error, shape (items, abilities) each."""
    at = curves(found.slope_intercept, abilities)
    by_logit, by_guessing = multipliers(found.slope_intercept, at, found.covariance.shape[1])
    parts = [by_logit * abilities, by_logit] + ([] if by_guessing is None else [by_guessing])
    slopes = np.stack(parts) * at.right * (1 - at.right)
    variance = np.einsum("kjq,jkl,ljq->jq", slopes, found.covariance, slopes)
    return at.right, np.sqrt(np.maximum(variance, 0.0))


def test_the_2pl_is_as_sure_as_it_says() -> None:
    held: dict[str, list[float]] = {"discrimination": [], "difficulty": [], "ability": []}
    for seed in range(20):
        simulated = simulate(100 + seed, 1000, 50)
        found = calibrate(simulated.matrix, "2pl")
        for name, values in held.items():
            truth = getattr(simulated, name)
            values.append(float(_covered(getattr(found, name), getattr(found, f"{name}_se"), truth).mean()))
    shares = {name: float(np.mean(values)) for name, values in held.items()}
    print(shares)
    assert all(0.92 <= share <= 0.98 for share in shares.values()), shares


def test_the_3pl_is_as_sure_of_its_curves_as_it_says() -> None:
    points, held = np.array([-1.0, 0.0, 1.0]), []
    for seed in range(20):
        simulated = simulate(200 + seed, 1000, 50, "3pl")
        chance, error = _curves_of(calibrate(simulated.matrix, "3pl"), points)
        held.append(_covered(chance, error, simulated.chance_right(points)).mean(axis=0))
    shares = np.mean(held, axis=0)
    print(shares)
    assert np.all((shares >= 0.92) & (shares <= 0.98)), shares


@pytest.mark.parametrize(("model", "least"), [("2pl", (0.98, 0.9, 0.93)), ("3pl", (0.75, 0.6, 0.88))])
def test_it_recovers_what_was_simulated(model: Model, least: tuple[float, float, float]) -> None:
    found_r = []
    for seed in range(10):
        simulated = simulate(300 + seed, 1000, 50, model)
        found = calibrate(simulated.matrix, model)
        pairs = (
            (found.difficulty, simulated.difficulty),
            (found.discrimination, simulated.discrimination),
            (found.ability, simulated.ability),
        )
        found_r.append([float(np.corrcoef(one, other)[0, 1]) for one, other in pairs])
    print(np.mean(found_r, axis=0))
    assert np.all(np.mean(found_r, axis=0) >= least)


def test_ten_examinees_are_placed_and_wrong_keys_stand_low() -> None:
    figures = []
    for seed in range(5):
        simulated = simulate(400 + seed, 10, 3400, turned=0.02)
        found = calibrate(simulated.matrix, "2pl")
        line = np.polyfit(found.ability, simulated.ability, 1)
        error = simulated.ability - np.polyval(line, found.ability)
        assert len(set(found.ability)) == 10
        figures.append(
            [
                np.corrcoef(found.ability, simulated.ability)[0, 1],
                np.corrcoef(found.difficulty, simulated.difficulty)[0, 1],
                _area(-found.discrimination, simulated.turned),
                found.ability_se.mean() * abs(line[0]) / np.sqrt(np.mean(error**2)),
            ]
        )
    ability, difficulty, area, ratio = np.mean(figures, axis=0)
    print(ability, difficulty, area, ratio)
    assert ability >= 0.96
    assert area >= 0.85
    assert 0.7 <= ratio <= 1.4
    # Who knew all abilities and how items were drawn would come to 0.775 on the mean of these seeds.
    assert difficulty >= 0.77


def _area(suspicion: Array, wrong: npt.NDArray[np.bool_]) -> float:
    """The chance that a wrong item looks more suspect than a sound one."""
    ranks, n = rankdata(suspicion), int(wrong.sum())
    return float((ranks[wrong].sum() - n * (n + 1) / 2) / (n * (len(wrong) - n)))


def test_wrong_keys_planted_in_a_real_matrix_are_found() -> None:
    cells = published_cells("nlu_commonsenseqa.csv")
    cells = cells[:, np.nan_to_num(item_rest_correlation(make_matrix(cells))) > 0]
    share, items = cells.mean(axis=0), cells.shape[1]
    candidates = np.flatnonzero((share >= 0.35) & (share <= 0.95))
    listed, negative = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        wrong = rng.choice(candidates, round(0.03 * items), replace=False)
        planted = cells.copy()
        planted[:, wrong] = np.where(cells[:, wrong] == 1, 0, rng.random((len(cells), len(wrong))) < 0.25)
        found = calibrate(make_matrix(planted), "2pl").discrimination
        first = np.argsort(found)[: int(FIRST * items)]
        listed.append(np.isin(wrong, first).mean())
        negative.append(np.mean(found[wrong] < 0))
    print(np.mean(listed), np.mean(negative))
    assert np.mean(listed) >= 0.8
    assert np.mean(negative) >= 0.7


def test_each_item_of_a_real_test_stands_low_when_its_key_is_wrong() -> None:
    raw = published_cells("sat12_raw.csv").astype(np.int64)
    keys = published_cells("sat12_key.csv")[:, 0].astype(np.int64)
    choices = np.where(raw == 8, -1, raw)
    low = 0
    for item, key in enumerate(keys):
        options = [option for option in range(1, 6) if option != key]
        changed = keys.copy()
        changed[item] = max(options, key=lambda option: int((choices[:, item] == option).sum()))
        found = calibrate(make_matrix(score(choices, changed)), "2pl").discrimination
        low += item in np.argsort(found)[:2]
    print(low / len(keys))
    assert low / len(keys) >= 0.9


@pytest.mark.parametrize(("model", "least"), [("3pl", 0.75), ("2pl", 0.72)])
def test_the_weighted_vote_of_ten_models_finds_wrong_keys(model: Model, least: float) -> None:
    """Where nobody guesses, half of all answers are wrong and who knows every parameter finds 0.75."""
    listed = []
    for seed in range(10):
        simulated = simulate(500 + seed, 10, 3400, model)
        rng = np.random.default_rng(seed)
        truth = rng.integers(4, size=3400)
        others = (truth + rng.integers(1, 4, size=(10, 3400))) % 4
        choices = np.where(simulated.matrix.right, truth, others)
        wrong = rng.choice(3400, round(0.03 * 3400), replace=False)
        keys = truth.copy()
        keys[wrong] = (truth[wrong] + rng.integers(1, 4, size=len(wrong))) % 4
        first = np.argsort(weighted_vote(choices, keys, 4))[: int(FIRST * 3400)]
        listed.append(np.isin(wrong, first).mean())
    print(np.mean(listed))
    assert np.mean(listed) >= least
