"""Short forms: what is chosen, what the score is, and how far it is off on models left out."""

import json

import numpy as np
import pytest

from parable.commands.matrices import read_matrix
from parable.psychometrics.responses import ResponseMatrix, make_matrix
from parable.psychometrics.short_forms.form import INFORMATIVE, STRATIFIED, make_form
from parable.psychometrics.short_forms.score import fit_rule, rule_from_json
from parable.psychometrics.short_forms.selection import (
    ALONE,
    LEAST_VARIANCE,
    Constraints,
    informative_items,
    quotas,
    select,
    stratified_items,
)
from tests.parable.response_matrices import published, simulate

NOTHING = Constraints()


def _covariance(cells: np.ndarray) -> np.ndarray:
    """The covariance that the selection works with, in one table."""
    found = np.cov(cells, rowvar=False)
    own = np.diagonal(found).copy()
    found *= 1 - ALONE
    np.fill_diagonal(found, np.maximum(own, LEAST_VARIANCE))
    return found


def test_each_item_taken_is_the_one_that_leaves_least_variance_of_the_score() -> None:
    """By brute force: for each candidate the conditional variance of the sum, by inverting."""
    cells = simulate(1, 40, 12).matrix.cells
    whole = _covariance(cells)
    taken: list[int] = []

    def left(items: list[int]) -> float:
        with_sum = whole[items].sum(axis=1)
        inverse = np.linalg.inv(whole[np.ix_(items, items)])
        return float(whole.sum() - with_sum @ inverse @ with_sum)

    for _ in range(5):
        taken.append(min((one for one in range(12) if one not in taken), key=lambda one: left([*taken, one])))
    assert informative_items(cells, 5, NOTHING).tolist() == taken


@pytest.mark.parametrize(
    ("strata", "size", "expected"),
    [
        ("aabb", 2, {"a": 1, "b": 1}),
        ("aaab", 2, {"a": 2, "b": 0}),
        ("aaabbbc", 3, {"a": 1, "b": 1, "c": 1}),
        ("aaaaaaabbc", 5, {"a": 4, "b": 1, "c": 0}),
        ("ab", 1, {"a": 1, "b": 0}),
    ],
)
def test_places_are_shared_out_by_largest_remainders(
    strata: str, size: int, expected: dict[str, int]
) -> None:
    assert quotas(strata, size) == expected


@pytest.mark.parametrize("examinees", [29, 30])
def test_a_form_keeps_types_in_proportion_and_one_item_a_story(examinees: int) -> None:
    cells = simulate(2, examinees, 60).matrix.cells
    kept = Constraints(tuple("aab" * 20), tuple(f"s{n // 3}" for n in range(60)))
    taken = select(cells, 12, kept, seed=1)
    assert len(set(taken.tolist())) == 12
    assert sorted("aab"[one % 3] for one in taken) == ["a"] * 8 + ["b"] * 4
    assert len({one // 3 for one in taken.tolist()}) == 12


def test_constraints_that_leave_too_few_items_give_a_shorter_form() -> None:
    cells = simulate(3, 40, 20).matrix.cells
    kept = Constraints(stories=tuple(f"s{n // 5}" for n in range(20)))
    assert len(informative_items(cells, 6, kept)) == 4
    assert len(stratified_items(cells, 6, kept, seed=1)) == 4


def test_a_stratified_draw_has_an_item_of_each_step_of_difficulty() -> None:
    cells = np.tril(np.ones((20, 20)))  # item 0 is the easiest
    for seed in range(5):
        taken = sorted(stratified_items(cells, 5, NOTHING, seed=seed).tolist())
        assert [one // 4 for one in taken] == [4, 3, 2, 1, 0][::-1]


def test_the_rule_is_ridge_regression_on_answers_and_their_products() -> None:
    """The same by its features written out: a constant, each answer and each product of two."""
    rng = np.random.default_rng(4)
    answers, shares = (rng.random((35, 3)) < 0.5).astype(float), rng.random(35)
    rule = fit_rule(answers, shares)

    def features(rows: np.ndarray) -> np.ndarray:
        z = (rows - rule.means) / np.sqrt(rule.scale)
        products = np.einsum("ij,ik->ijk", z, z).reshape(len(rows), -1)
        return np.hstack([np.full((len(rows), 1), 0.5), z, products])  # (1/2 + z.w)² = 1/4 + z.w + (z.w)²

    x, best = features(answers), np.inf
    for penalty in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0):
        hat = x @ np.linalg.inv(x.T @ x + penalty * np.eye(x.shape[1])) @ x.T
        wanted = shares - shares.mean()
        error = np.square((wanted - hat @ wanted) / (1 - np.diagonal(hat))).mean()
        if error < best:
            best, expected = error, shares.mean() + hat @ wanted
    assert rule.scores(answers) == pytest.approx(np.clip(expected, 0, 1), abs=1e-9)


def test_below_30_examinees_the_score_is_a_difference_from_the_mean() -> None:
    answers = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    rule = fit_rule(answers, np.array([0.5, 0.4, 0.8, 0.7, 0.6]))
    assert rule.scores(np.array([[1.0, 0.0]]))[0] == pytest.approx(0.6 + (1 - 0.6) / 2 + (0 - 0.4) / 2)
    assert rule.scores(np.array([[1.0, 1.0], [0.0, 0.0]])) == pytest.approx([1.0, 0.1])


@pytest.mark.parametrize("examinees", [12, 40])
def test_a_rule_that_was_written_gives_the_same_scores(examinees: int) -> None:
    cells = simulate(5, examinees, 20).matrix.cells
    rule = fit_rule(cells[:, :6], cells.mean(axis=1))
    read = rule_from_json(json.loads(json.dumps(rule.as_json())))
    assert read.scores(cells[:, :6]) == pytest.approx(rule.scores(cells[:, :6]), abs=1e-12)


def test_an_examinee_left_out_has_no_part_in_its_score() -> None:
    matrix = simulate(6, 32, 30).matrix
    units = [f"m{n // 2}" for n in range(32)]
    found = make_form(matrix, 5, units=units, seed=1)
    assert found is not None
    assert (found.method, found.error.n, found.error.units) == (INFORMATIVE, 32, 16)
    cells = matrix.cells[2:]  # without the first model
    items = select(cells, 5, NOTHING, seed=1)
    rule = fit_rule(cells[:, items], cells.mean(axis=1))
    assert found.left_out[0][2] == pytest.approx(rule.scores(matrix.cells[:1, items])[0])
    assert found.left_out[0][1] == pytest.approx(matrix.cells[0].mean())
    apart = np.array([abs(share - score) for _row, share, score in found.left_out])
    assert found.error.mean == pytest.approx(apart.mean())
    assert found.error.root == pytest.approx(np.sqrt(np.square(apart).mean()))
    assert found.error.low < found.error.mean < found.error.high


def test_it_needs_five_examinees_who_answered_everything_and_two_models() -> None:
    cells = simulate(7, 6, 20).matrix.cells.copy()
    cells[0, 0] = np.nan
    found = make_form(make_matrix(cells), 4, units=list("abcdef"), seed=1)
    assert found is not None
    assert (found.method, found.error.n) == (STRATIFIED, 5)
    assert make_form(make_matrix(cells), 4, units=["a"] * 6, seed=1) is None
    cells[1, 0] = np.nan
    assert make_form(make_matrix(cells), 4, units=list("abcdef"), seed=1) is None


@pytest.mark.parametrize("size", [1, 20])
def test_a_form_of_one_item_or_of_all_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="at least 2"):
        make_form(simulate(8, 10, 20).matrix, size, units=list("abcdefghij"), seed=1)


@pytest.mark.drill
def test_a_tenth_of_a_real_set_is_off_by_less_than_two_points() -> None:
    """611 items of CommonsenseQA: each of 90 checkpoints left out in turn, then each of 18 models."""
    matrix: ResponseMatrix = read_matrix(published("nlu_commonsenseqa.csv"))
    found = make_form(matrix, 61, units=matrix.examinees, seed=7)
    assert found is not None
    assert found.error.n == 90
    assert found.error.mean <= 0.02
    assert found.error.high < min(found.random.low, found.stratified.low)
    models = [name.rpartition("_")[0] for name in matrix.examinees]
    whole = make_form(matrix, 61, units=models, seed=7)
    assert whole is not None
    assert whole.error.units == 18
    assert whole.error.mean < min(whole.random.mean, whole.stratified.mean) - 0.005
