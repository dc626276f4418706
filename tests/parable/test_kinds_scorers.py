"""The scorers of the published kinds agree with the official ones on every case that those were asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from parable.formats.errors import ErrorCode
from parable.formats.kind_files import read_answers
from parable.formats.layouts import Layout
from parable.formats.space import ANOMALY, STEP
from parable.kinds import scene
from parable.kinds.anomaly import MEASURES
from parable.kinds.anomaly import score_item as score_alternatives
from parable.kinds.averages import Score, average, score_all
from parable.kinds.scene import Difference, find_difference
from parable.kinds.spans import Span
from parable.kinds.step import score_item as score_tuples
from tests.parable.kind_oracle import expected_items, gold_records, one_record, small_cases

EXACT = 1e-9

STOPPING = {
    "both texts empty: the scorer stops": 0.5,
    "empty tuple against empty tuple: the scorer stops": 0,
    "101 tuples for the only record: the scorer stops": 0,
}
"""Cases that stop the official scorer, and our F1."""

Scorer = Callable[[Any, Any], Score]


def anomaly_scorer(measure: str) -> Scorer:
    return lambda gold, given: score_alternatives(gold.alternatives, given.alternatives, MEASURES[measure])


def step_scorer(gold: Any, given: Any) -> Score:
    return score_tuples(gold.tuples, given.tuples, gold.corefs or ())


TASKS: dict[int, tuple[Layout[Any], Mapping[str, Scorer]]] = {
    1: (ANOMALY, {measure: anomaly_scorer(measure) for measure in MEASURES}),
    2: (STEP, {"": step_scorer}),
}


@pytest.mark.parametrize("task", TASKS)
def test_it_scores_every_case_as_the_official_scorer_does(shared_data: Path, task: int) -> None:
    data = shared_data / "space2023"
    layout, scorers = TASKS[task]
    gold = gold_records(data, f"task{task}", layout)
    expected = json.loads((data / "oracle" / "expected_scores.json").read_text(encoding="utf-8"))
    for case, figures in expected[f"task{task}"].items():
        path = data / "oracle" / f"task{task}" / f"{case}.jsonl"
        answers = read_answers(path, name=case, layout=layout)
        if case == "line_without_results":
            assert {"error": "KeyError"} in (figures, *figures.values())
            assert [(one.row, one.field, one.code) for one in answers.errors] == [
                (2, "results", ErrorCode.MISSING)
            ]
            continue
        assert not answers.errors
        for level, scorer in scorers.items():
            scores = score_all(gold, answers.records, scorer)
            check(asdict(average(scores.values())), figures[level] if level else figures, case)
            for name, one in expected_items(data / "oracle")[task, case, level].items():
                check(asdict(scores[name]), one, f"{case}, {name}")


@pytest.mark.parametrize("task", TASKS)
def test_it_scores_the_small_cases_as_the_official_scorer_does(shared_data: Path, task: int) -> None:
    layout, scorers = TASKS[task]
    for case in small_cases(shared_data / "space2023", task):
        note = case["note"]
        if note == "label that is not a string":  # the official scorer calls it wrong, we refuse the line
            line = json.dumps({"qid": "1", "results": case["prediction"]}).encode()
            (error,) = read_answers(line, name="case", layout=layout).errors
            assert (error.field, error.code) == ("results[1][2].label", ErrorCode.NOT_TEXT)
            continue
        more = {"corefs": case["corefs"]} if "corefs" in case else {}
        gold = one_record(layout, case["gold"], context="", **more)
        given = one_record(layout, case["prediction"])
        for level, scorer in scorers.items():
            score = scorer(gold, given)
            if note in STOPPING:
                assert (case["expected"].keys(), score.f1) == ({"error"}, STOPPING[note])
                continue
            expected = case["expected"][level] if level else case["expected"]
            check(asdict(average([score])), expected, note)


def check(found: Mapping[str, float], expected: Mapping[str, Any], note: str) -> None:
    """Compare figures; an item that stops the official scorer scores 0 here."""
    if "error" in expected:
        assert found["f1"] == 0, note
        return
    for name, value in found.items():
        if name in expected:
            assert value == pytest.approx(expected[name], abs=EXACT), (note, name)


@pytest.mark.parametrize(
    ("is_right", "grades", "score"),
    [
        (True, (5, 5), 100.0),
        (True, (5, 4), 90.0),
        (True, (3, 2), 50.0),
        (True, (0, 1), 10.0),
        (True, (0, 0), 0.0),
        (False, (5, 5), 0.0),
        (False, (), 0.0),
    ],
)
def test_it_scales_the_mean_of_two_grades_to_100(is_right: bool, grades: Any, score: float) -> None:
    assert scene.score_item(is_right=is_right, grades=grades) == pytest.approx(score)


@pytest.mark.parametrize("grades", [(5,), (5, 5, 5), (6, 5), (0, -1)])
def test_it_takes_two_grades_of_the_scale_alone(grades: Any) -> None:
    with pytest.raises(ValueError, match="Two grades of 0 to 5"):
        scene.score_item(is_right=True, grades=grades)


def test_it_counts_a_judgement_that_is_missing_as_wrong() -> None:
    gold = {"a": True, "b": False, "c": True, "d": False}
    judged = {"a": True, "b": True, "c": True, "foreign": True}
    grades = {"a": (5, 4), "b": (5, 5), "c": (1, 0)}
    assert scene.score_all(gold, judged, grades) == scene.SceneScores(4, 2, 0.5, 25.0)
    assert scene.score_all(gold, judged) == scene.SceneScores(4, 2, 0.5, None)
    assert scene.score_all({}, judged, grades) == scene.SceneScores(0, 0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("first", "second", "difference"),
    [
        ("脖子上系着领带", "脖子下系着领带", Difference(2, "上", "下")),
        ("走进门", "走进大门", Difference(2, "", "大")),
        ("走进大门", "走进门", Difference(2, "大", "")),
        ("上上下", "上下", Difference(0, "上", "")),
        ("左", "右", Difference(0, "左", "右")),
        ("", "右", Difference(0, "", "右")),
        ("左", "左", None),
    ],
)
def test_it_finds_the_one_difference(first: str, second: str, difference: Difference | None) -> None:
    assert find_difference(first, second) == difference


@pytest.mark.parametrize(
    ("positions", "text"), [((1, 2), "头上"), ((2, 1), "上头"), ((1, 1), "头头"), ((3,), None), ((-1,), None)]
)
def test_it_reads_a_span_in_the_order_in_which_it_is_spelled(
    positions: tuple[int, ...], text: str | None
) -> None:
    assert Span("", positions).read_in("石头上") == text
