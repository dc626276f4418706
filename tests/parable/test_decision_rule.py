"""When a gate speaks: the one rule of all tests of a run, at its edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import pytest

from parable.quality.gates import ERROR, NOT_APPLICABLE, OK, WARNING, ItemSet
from parable.quality.gates.decision_rule import (
    Measured,
    MeasuringGate,
    Trial,
    count_tests,
    decide,
    share_test,
    spread_of,
)


def trial(rule: str = "longest", **changes: Any) -> Trial:
    """A trial of 200 items that is far from anything, unless the changes say so."""
    values: dict[str, Any] = {
        "accuracy": 0.25,
        "low": 0.2,
        "high": 0.31,
        "chance": 0.25,
        "expected": 0.25,
        "spread": 0.03,
    }
    return Trial(rule, **(values | changes))


def measured(*trials: Trial, looked_at: int = 200, **more: Any) -> Measured:
    return Measured("length_artefact", "moral", looked_at, trials, **more)


@pytest.mark.parametrize(
    ("p", "tests", "verdict"),
    [
        (0.0019, 1, WARNING),
        (0.002, 1, OK),  # under 0.002, not at it
        (0.0021, 1, OK),
        (0.004, 1, OK),
        (0.0099, 1, OK),
        (0.0009, 2, WARNING),
        (0.001, 2, OK),
        (0.00019, 10, WARNING),
        (0.0002, 10, OK),
        (0.00021, 10, OK),
        (0.5, 1, OK),
    ],
)
def test_it_warns_under_two_in_a_thousand_over_all_tests(p: float, tests: int, verdict: str) -> None:
    assert decide(measured(trial(own_p=p)), tests).verdict == verdict


def at_p(p: float) -> float:
    """The accuracy whose normal tail is `p`."""
    return 0.25 + 0.03 * NormalDist().inv_cdf(1 - p)


@pytest.mark.parametrize(
    ("p", "tests", "verdict"),
    [(0.0019, 1, WARNING), (0.0021, 1, OK), (0.0009, 2, WARNING), (0.0011, 2, OK)],
)
def test_it_takes_the_normal_tail_of_z(p: float, tests: int, verdict: str) -> None:
    one = trial(accuracy=at_p(p))
    assert one.p == pytest.approx(p)
    assert decide(measured(one), tests).verdict == verdict


@pytest.mark.parametrize(
    ("low", "chance", "verdict"),
    [
        (0.299, 0.25, WARNING),
        (0.30, 0.25, ERROR),  # at least five points
        (0.31, 0.25, ERROR),
        (0.30, 0.26, WARNING),
        (0.37, 1 / 3, WARNING),
        (0.39, 1 / 3, ERROR),
    ],
)
def test_an_error_is_five_points_above_chance_at_least(low: float, chance: float, verdict: str) -> None:
    spoken = trial(own_p=0.0001, low=low, high=0.5, chance=chance)
    assert decide(measured(spoken), 1).verdict == verdict
    silent = trial(own_p=0.5, low=low, high=0.5, chance=chance)
    assert decide(measured(silent), 1).verdict == OK, "a large effect alone is none"


@pytest.mark.parametrize(
    ("looked_at", "verdict"), [(0, NOT_APPLICABLE), (99, NOT_APPLICABLE), (100, ERROR), (101, ERROR)]
)
def test_it_does_not_judge_fewer_than_a_hundred(looked_at: int, verdict: str) -> None:
    found = decide(measured(trial(own_p=0.0001, low=0.4), looked_at=looked_at), 1)
    assert found.verdict == verdict
    assert (found.figure, found.low, found.high, found.looked_at) == (0.25, 0.4, 0.31, looked_at)


def test_a_trial_counts_from_its_own_expectation() -> None:
    one = trial(accuracy=0.40, expected=0.28, spread=0.04)
    assert one.z == pytest.approx(3.0)
    assert one.p == pytest.approx(0.00135, abs=1e-5)
    assert (trial(accuracy=0.4, spread=0.0).z, trial(accuracy=0.4, spread=0.0).p) == (0.0, 0.5)
    assert trial(accuracy=0.4, own_p=0.0).p == 0.0


def test_it_counts_the_tests_that_are_large_enough() -> None:
    two, few, none = measured(trial(), trial()), measured(trial(), looked_at=99), measured()
    assert [one.is_tested for one in (two, few, none)] == [True, False, False]
    assert count_tests([two, few, none, measured(trial())]) == 3
    assert count_tests([]) == 0


RULES: list[tuple[str, Sequence[Trial], str, str]] = [
    # the gravest speaks; of equals the least probable; of those the first
    ("error before warning", [trial("a", own_p=1e-9, low=0.2), trial("b", own_p=1e-4, low=0.4)], "b", ERROR),
    ("warning before ok", [trial("a", own_p=0.5), trial("b", own_p=1e-4)], "b", WARNING),
    ("the least probable", [trial("a", own_p=0.4), trial("b", own_p=0.3), trial("c", own_p=0.5)], "b", OK),
    ("the first of equals", [trial("a", own_p=0.4), trial("b", own_p=0.4)], "a", OK),
]


@pytest.mark.parametrize(("trials", "rule", "verdict"), [row[1:] for row in RULES],
                         ids=[row[0] for row in RULES])  # fmt: skip
def test_it_answers_with_its_gravest_trial(trials: Sequence[Trial], rule: str, verdict: str) -> None:
    found = decide(measured(*trials), 3)
    assert (found.detail["rule"], found.verdict) == (rule, verdict)
    assert [one["rule"] for one in found.detail["tried"]] == [one.rule for one in trials]


MANY = tuple(f"i{number}" for number in range(60))


@pytest.mark.parametrize(
    ("changes", "found", "verdict", "items"),
    [
        # the gate's p, what is wrong for certain; the verdict, the items named
        ({"own_p": 0.5, "worst": MANY}, (), OK, ()),
        ({"own_p": 0.0001, "worst": MANY}, (), WARNING, MANY[:50]),
        ({"own_p": 0.0001, "low": 0.4, "worst": MANY}, (), ERROR, MANY[:50]),
        ({"own_p": 0.5, "worst": MANY}, ("x", "y"), WARNING, ("x", "y")),
        ({"own_p": 0.0001, "worst": MANY}, ("x", "y"), WARNING, ("x", "y")),
        ({"own_p": 0.0001, "low": 0.4, "worst": MANY}, ("x",), ERROR, ("x",)),
    ],
)
def test_it_names_the_worst_where_it_speaks_and_always_what_is_certain(
    changes: Mapping[str, Any], found: tuple[str, ...], verdict: str, items: tuple[str, ...]
) -> None:
    spoken = decide(measured(trial(**changes), found=found), 1)
    assert (spoken.verdict, spoken.items) == (verdict, items)


@pytest.mark.parametrize(("found", "verdict"), [((), NOT_APPLICABLE), (("x",), WARNING)])
def test_it_answers_without_a_trial(found: tuple[str, ...], verdict: str) -> None:
    answer = decide(measured(found=found, detail={"n": 4}), 0)
    assert (answer.verdict, answer.items, answer.figure, answer.looked_at) == (verdict, found, None, 200)
    assert (answer.id, answer.task, answer.threshold) == ("length_artefact", "moral", None)
    assert answer.detail == {"n": 4}


@pytest.mark.parametrize(("answers", "verdict"), [(1, WARNING), (2, OK)])
def test_a_gate_that_runs_alone_counts_its_own_tests(answers: int, verdict: str) -> None:
    """One test at 0.0015 is under 0.002; two of them are not."""
    given = ItemSet(())

    class Alone(MeasuringGate):
        def measure(self, items: ItemSet) -> list[Measured]:
            assert items is given
            return [measured(trial(own_p=0.0015))] * answers

    assert [found.verdict for found in Alone().judge(given)] == [verdict] * answers
    assert Alone().tests(given) is True
    assert Alone.reveals_keys is True


def test_it_answers_for_a_gate_that_has_measured_nothing() -> None:
    answer = decide(Measured("length_artefact", "moral", 200), 0)
    assert (answer.verdict, answer.items, answer.detail) == (NOT_APPLICABLE, (), {})


@pytest.mark.parametrize(
    ("looked_at", "low", "named"),
    [(99, 0.30, True), (99, 0.299, False), (99, 0.4, True), (100, 0.4, False)],
)
def test_it_shows_what_stands_out_among_few(looked_at: int, low: float, named: bool) -> None:
    found = decide(measured(trial(low=low, worst=MANY), looked_at=looked_at), 1)
    assert found.detail.get("stands_out") == (list(MANY[:50]) if named else None)


def test_it_prints_four_digits_and_what_was_tried() -> None:
    one = trial(accuracy=0.312345, low=0.212345, high=0.412345, chance=0.251234, worst=("i",))
    found = decide(measured(one, detail={"kind": "x", "rule": "of the gate"}), 4)
    assert (found.figure, found.low, found.high) == (0.3123, 0.2123, 0.4123)
    figures = {"rule": "longest", "accuracy": 0.3123, "chance": 0.2512, "z": 2.08, "p": 0.019, "tests": 4}
    assert found.detail == {"kind": "x", **figures, "tried": [figures]}


@pytest.mark.parametrize(
    ("tests", "threshold"),
    [
        # 0.25 + 0.03 times the normal quantile of 1 - 0.002 / tests, from a table
        (1, 0.3363),
        (2, 0.3427),
        (10, 0.3562),
    ],
)
def test_it_says_past_which_accuracy_it_would_warn(tests: int, threshold: float) -> None:
    found = decide(measured(trial()), tests)
    assert found.threshold == pytest.approx(threshold, abs=1e-4)
    assert decide(measured(trial(accuracy=threshold + 0.001)), tests).verdict == WARNING
    assert decide(measured(trial(accuracy=threshold - 0.001)), tests).verdict == OK
    assert decide(measured(trial(own_p=0.4)), tests).threshold is None
    assert decide(measured(trial(), looked_at=99), tests).threshold is None


@pytest.mark.parametrize(
    ("variances", "spread"), [([], 0.0), ([0.04], 0.2), ([0.04] * 4, 0.1), ([0.09, 0.16], 0.25)]
)
def test_it_takes_the_spread_of_a_mean(variances: Sequence[float], spread: float) -> None:
    assert spread_of(variances) == pytest.approx(spread)


def test_trials_that_share_a_test_count_together_as_one() -> None:
    together = share_test([trial("a"), trial("b"), trial("c"), trial("d")])
    assert [(one.rule, one.weight) for one in together] == [(rule, 0.25) for rule in "abcd"]
    assert count_tests([measured(*together)]) == 1
    assert [one.weight for one in share_test(together, 6.0)] == [1.5] * 4
    assert count_tests([measured(*share_test(together, 6.0))]) == 6
    third = trial(weight=1.00004)  # that four digits do not show is no test more
    assert count_tests([measured(third)]) == 1
    assert count_tests([measured(trial(weight=1.0001))]) == 2


@pytest.mark.parametrize(("weight", "p", "verdict"), [(0.5, 0.0009, WARNING), (0.5, 0.0011, OK)])
def test_a_trial_of_part_of_a_test_must_be_less_probable(weight: float, p: float, verdict: str) -> None:
    found = decide(measured(trial(own_p=p, weight=weight)), 1)
    assert found.verdict == verdict
    assert found.detail["weight"] == weight
    assert found.detail["tried"][0]["weight"] == weight


def test_it_warns_a_trial_of_part_of_a_test_past_a_higher_accuracy() -> None:
    halved = decide(measured(trial(weight=0.5)), 1).threshold
    assert halved == decide(measured(trial()), 2).threshold
    assert decide(measured(trial(weight=0.12345)), 1).detail["weight"] == 0.1235


def test_it_answers_with_the_least_probable_of_its_trials_and_of_these_with_the_larger_z() -> None:
    rare, common = trial("rare", own_p=0.01, weight=0.1), trial("common", own_p=0.02, weight=1.0)
    assert (
        decide(measured(rare, common), 1).detail["rule"] == "common"
    )  # 0.02 of a whole test, 0.1 of a tenth
    near, far = trial("near", own_p=0.5, accuracy=0.26), trial("far", own_p=0.5, accuracy=0.27)
    assert decide(measured(near, far), 1).detail["rule"] == "far"
    assert decide(measured(far, near), 1).detail["rule"] == "far"


def test_it_tells_of_eight_trials_and_of_more_the_eight_least_probable() -> None:
    many = [trial(str(number), own_p=(9 - number) / 10) for number in range(9)]
    told = [one["rule"] for one in decide(measured(*many[:8]), 1).detail["tried"]]
    assert told == list("01234567"), "as they were tried"
    told = [one["rule"] for one in decide(measured(*many), 1).detail["tried"]]
    assert told == list("87654321"), "the least probable first, and the most probable left out"


def test_it_tells_which_trials_spoke() -> None:
    loud = [trial(str(number), own_p=0.0009 - number / 10_000, low=0.2) for number in range(3)]
    found = decide(measured(*loud, trial("silent", own_p=0.5)), 2)
    assert [(one["rule"], one["tests"]) for one in found.detail["spoken"]] == [("2", 2), ("1", 2), ("0", 2)]
    assert "spoken" not in decide(measured(trial()), 1).detail


def test_it_names_the_worst_of_each_trial_that_spoke_in_turn() -> None:
    first = trial("first", own_p=0.0001, worst=("a", "b", "c"))
    second = trial("second", own_p=0.0002, worst=("x", "a"))
    third = trial("third", own_p=0.00019, worst=("p", "q", "r"), weight=0.5)  # 0.00038 of a whole test
    silent = trial("silent", own_p=0.5, worst=("never",))
    found = decide(measured(third, second, silent, first), 1)
    assert found.items == ("a", "x", "p", "b", "q", "c", "r")


def test_it_tells_of_a_rule_that_chooses_how_often_it_could() -> None:
    found = decide(measured(trial(differ=40, hits=31)), 1).detail
    assert (found["differ"], found["hits"]) == (40, 31)
    assert not {"differ", "hits", "weight"} & decide(measured(trial()), 1).detail.keys()
    assert (trial().differ, trial().hits) == (None, None)


def test_a_gate_measures_all_items_by_style_and_by_writer_unless_it_says_otherwise() -> None:
    assert MeasuringGate.parts == ("all", "style", "writer")
    assert MeasuringGate.samples is False
