"""Linking by common items, drift and errata against exact lines, another optimum and counts by hand."""

import math

import numpy as np
import pytest
import scipy

from parable.formats.records import ItemRecord
from parable.psychometrics.irt import calibrate
from parable.psychometrics.linking.drift import linked
from parable.psychometrics.linking.errata import Rescored, corrected, erratum
from parable.psychometrics.linking.transformation import (
    Common,
    common_items,
    link,
    mean_sigma,
    score,
    stocking_lord,
)
from tests.parable.response_matrices import two_versions

A, B = 1.25, -0.6


def _exact(n: int = 30) -> Common:
    """Parameters that differ by a line exactly; three items a story."""
    rng = np.random.default_rng(4)
    slope, difficulty = np.exp(rng.normal(0, 0.3, n)), rng.normal(0, 1, n)
    before = np.column_stack([slope, -slope * difficulty, np.zeros(n)])
    after = np.column_stack([slope * A, -slope * A * (difficulty - B) / A, np.zeros(n)])
    return Common(tuple(f"i{row}" for row in range(n)), before, after, tuple(row // 3 for row in range(n)))


def test_both_methods_find_an_exact_line() -> None:
    common = _exact()
    for method in (mean_sigma, stocking_lord):
        assert method(common.before, common.after) == pytest.approx((A, B), abs=1e-6)
    found = link(common)
    assert found is not None
    assert (found.items, found.stories, found.method) == (30, 10, "stocking_lord")
    assert found.parameters(common.after) == pytest.approx(common.before, abs=1e-6)
    assert found.variance == pytest.approx((0, 0, 0), abs=1e-9)
    assert found.ability(2.0) == pytest.approx(2 * A + B)
    assert found.error(2.0, 0.4) == pytest.approx(A * 0.4, abs=1e-6)


def test_they_are_the_published_criteria() -> None:
    """Independent: moments by hand, and the criterion written out and minimised by another optimiser."""
    common = _noisy()
    old, new = (-of[:, 1] / of[:, 0] for of in (common.before, common.after))
    stretch = old.std() / new.std()
    assert mean_sigma(common.before, common.after) == pytest.approx(
        (stretch, old.mean() - stretch * new.mean())
    )
    points = np.linspace(-4, 4, 41)
    weights = np.exp(-(points**2) / 2) / np.exp(-(points**2) / 2).sum()

    def criterion(line: np.ndarray) -> float:
        slope, difficulty = common.after[:, 0] / line[0], line[0] * new + line[1]
        expected = (1 / (1 + np.exp(-slope[:, None] * (points - difficulty[:, None])))).sum(axis=0)
        wanted = 1 / (1 + np.exp(-common.before[:, [0]] * points - common.before[:, [1]]))
        return float(weights @ np.square(wanted.sum(axis=0) - expected))

    best = scipy.optimize.minimize(
        criterion, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-14}
    ).x
    assert stocking_lord(common.before, common.after) == pytest.approx(tuple(best), abs=1e-4)


def _noisy() -> Common:
    common, rng = _exact(), np.random.default_rng(8)
    after = common.after.copy()
    after[:, 1] += rng.normal(0, 0.15, 30)
    return Common(common.names, common.before, after, common.stories)


def test_the_error_is_that_of_leaving_out_one_story_at_a_time() -> None:
    common = _noisy()
    found = link(common, "mean_sigma")
    assert found is not None
    assert found.variance is not None
    of = np.array(common.stories)
    lines = np.array([mean_sigma(common.before[of != one], common.after[of != one]) for one in range(10)])
    spread = 0.9 * np.square(lines - lines.mean(axis=0)).sum(axis=0)
    assert found.variance[:2] == pytest.approx(spread.tolist())
    at_two = 4 * found.variance[0] + found.variance[1] + 4 * found.variance[2]
    assert found.error(2.0, 0.3) == pytest.approx(math.sqrt((found.stretch * 0.3) ** 2 + at_two))


def test_too_few_common_items_bear_no_link() -> None:
    common = _exact()
    assert link(common.selected(np.arange(30) < 4)) is None
    assert link(common.selected(np.arange(30) < 5)) is not None
    flat = common.before.copy()
    flat[4:, 0] = 0.09
    assert mean_sigma(flat, common.after) is None
    flat[4:, 0] = 0.1
    assert mean_sigma(flat, common.after) is not None
    one_story = Common(common.names, common.before, common.after, ("s",) * 30)
    found = link(one_story)
    assert found is not None
    assert found.variance is None
    assert found.error(1.0, 0.5) == pytest.approx(A * 0.5, abs=1e-6)


def test_common_items_are_those_with_parameters_in_both() -> None:
    row = np.array([[1.0, 0.0, 0.0]] * 3)
    gone = np.array([[np.nan, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.0, 0.0]])
    found = common_items((["a", "b", "c"], row), (["a", "c", "b"], gone), {"b": "s"})
    assert found.names == ("b", "c")
    assert found.after[:, 1].tolist() == [0.0, 0.5]
    assert found.stories == ("s", ("item", "c"))


def test_two_populations_come_onto_one_scale_and_drifted_items_are_named() -> None:
    before, after, (stretch, shift) = two_versions(3, examinees=1000, drifted=4)
    one, other = calibrate(before, "2pl"), calibrate(after, "2pl")
    common = common_items((one.items, one.slope_intercept), (other.items, other.slope_intercept))
    assert len(common.names) == 30
    errors = [of.difficulty_se[[of.items.index(name) for name in common.names]] for of in (one, other)]
    found = linked(common, (errors[0], errors[1]))
    assert found is not None
    moved = {row.item for row in found.items if row.moved}
    assert moved == {"common0", "common1", "common2", "common3"}
    assert all(row.harder == pytest.approx(0.8, abs=0.45) for row in found.items if row.moved)
    assert found.link.stretch == pytest.approx(stretch, abs=0.12)
    assert found.link.shift == pytest.approx(shift, abs=0.12)
    assert abs(found.of_all.shift - shift) > abs(found.link.shift - shift)
    assert (found.of_all.items, found.link.items) == (30, 26)


def test_without_errors_nothing_is_tested() -> None:
    common = _noisy()
    none = np.full(30, np.nan)
    found = linked(common, (none, none))
    assert found is not None
    assert all(one.p_value is None and not one.moved for one in found.items)
    small = linked(common, (np.full(30, 0.001), np.full(30, 0.001)))
    assert small is not None
    assert any(one.p_adjusted is not None and one.p_adjusted < 0.05 and not one.moved for one in small.items)
    assert linked(common.selected(np.arange(30) < 4), (none[:4], none[:4])) is None


def test_expected_accuracy_is_the_mean_of_the_curves() -> None:
    parameters = np.array([[1.0, 0.0, 0.0], [2.0, 1.0, 0.2]])
    assert score(parameters, 0.5) == pytest.approx(
        (1 / (1 + math.exp(-0.5)) + 0.2 + 0.8 / (1 + math.exp(-2))) / 2
    )


def test_an_erratum_says_what_it_changes_for_each_model() -> None:
    items = [Rescored(f"i{n}", n // 2, (1.0, 0.0), (1.0, 0.0)) for n in range(8)]
    items += [
        Rescored("rekeyed", 4, (1.0, 0.0), (0.0, 1.0)),
        Rescored("withdrawn", 4, (1.0, 0.0), None),
        Rescored("half", 5, (0.5, 1.0), (0.5, 1.0)),
    ]
    found = erratum(["one", "two"], items)
    assert found is not None
    assert (found.items_before, found.items_after, found.changed) == (11, 10, ("rekeyed", "withdrawn"))
    one, two = found.changes
    assert one.before.value == pytest.approx(10.5 / 11)
    assert one.after.value == pytest.approx(8.5 / 10)
    assert one.difference.value == pytest.approx(8.5 / 10 - 10.5 / 11)
    assert two.difference.value == pytest.approx(2 / 10 - 1 / 11)
    assert two.difference.low is not None
    assert two.difference.high is not None
    assert (one.rank_before, one.rank_after, two.rank_before, two.rank_after) == (1, 1, 2, 2)
    assert erratum(["one"], [Rescored("a", 0, (1.0,), None)]) is None


def _item(name: str, options: str, key: int, **more: object) -> ItemRecord:
    return ItemRecord(
        id=name, task="commonsense", story_id="s", title="", story="A story.", question=f"Question {name}?",
        choices=tuple(options), answer=key, **more,  # type: ignore[arg-type]  # fields of the record
    )  # fmt: skip


def test_answers_count_by_later_keys_where_the_words_are_the_same() -> None:
    before = [
        _item("same", "wxyz", 0),
        _item("key", "wxyz", 1),
        _item("moved", "wxyz", 2),
        _item("gone", "wxyz", 3),
    ]
    before += [_item("reworded", "wxyz", 0)]
    later = [
        _item("same", "wxyz", 0),
        _item("key", "wxyz", 3),
        _item("moved", "zyxw", 0),
        _item("new", "wxyz", 0),
    ]
    later += [_item("reworded", "wxya", 0)]
    assert {one.id: one.answer for one in corrected(before, later)} == {"same": 0, "key": 3, "moved": 3}
