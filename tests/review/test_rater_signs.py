"""What is said of a reviewer, at each limit: one answer, one second or one hundredth less changes it."""

from typing import Any

import pytest

from review.rater_signs import rater_record

CHANCE = 0.25


def row(**changed: Any) -> dict[str, Any]:
    accuracy = {"value": 0.9, "low": 0.8, "high": 0.95, "n": 34} | changed.pop("accuracy", {})
    return {"reviewer": 7, "accuracy": accuracy, "seconds": 40.0, "severity": 0.1, "shared": 50} | changed


@pytest.mark.parametrize(
    ("changed", "signs"),
    [
        ({}, ""),
        ({"accuracy": {"value": 0.3, "low": 0.25}}, "chance"),
        ({"accuracy": {"value": 0.3, "low": 0.2501}}, ""),
        ({"accuracy": {"value": 0.3, "low": 0.2, "n": 20}}, "chance"),
        ({"accuracy": {"value": 0.3, "low": 0.2, "n": 19}}, ""),
        ({"accuracy": {"value": 0.3, "low": None}}, ""),
        ({"accuracy": {"value": None, "low": None, "n": 0}, "seconds": 1.0}, ""),
        ({"seconds": 4.9}, "hasty"),
        ({"seconds": 5.0}, ""),
        ({"seconds": 1.0, "accuracy": {"n": 19}}, ""),
        ({"seconds": None}, ""),
        ({"seconds": 0.0}, ""),
        ({"seconds": 0.5}, "hasty"),
        ({"severity": 0.75, "shared": 20}, "severe"),
        ({"severity": 0.74}, ""),
        ({"severity": -0.75}, "lenient"),
        ({"severity": 2.0, "shared": 19}, ""),
        ({"severity": None, "shared": 0}, ""),
        ({"accuracy": {"low": 0.1}, "seconds": 1.0, "severity": 1.0}, "chance hasty severe"),
    ],
)
def test_it_says_what_the_figures_say(changed: dict[str, Any], signs: str) -> None:
    found = rater_record(row(**changed), CHANCE)
    assert " ".join(found.signs) == signs
    assert found.is_careless == ("chance" in signs or "hasty" in signs)


def test_right_answers_are_whole() -> None:
    assert rater_record(row(accuracy={"value": 9 / 34}), CHANCE).right == 9
    assert rater_record(row(accuracy={"value": None, "n": 5}), CHANCE).right == 0
