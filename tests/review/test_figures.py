"""Figures of reviews, worked out by hand."""

import json
from typing import Any

import pytest

from review import figures
from review.figures import Rated, Solved, Worked
from review.overlap import wanted_overlap

ANN, BEN, CAT = 1, 2, 3
C, M = "commonsense", "moral"


def rated(revision: int, *ratings: tuple[int, int], task: str = C) -> list[Rated]:
    return [Rated(revision, revision, task, who, rating) for who, rating in ratings]


def review_figures(rated: Any, solved: Any, worked: Any) -> Any:
    """The figures of a scale from 0 to 2, as they are kept."""
    return figures.review_figures(rated, solved, worked, categories=3).as_json()


def test_it_counts_only_what_was_rated_twice_as_agreement() -> None:
    rows = [*rated(1, (ANN, 2), (BEN, 2)), *rated(2, (ANN, 1), (BEN, 2)), *rated(3, (ANN, 0))]
    found = review_figures(rows, [], [])["agreement"][""]
    assert (found["units"], found["ratings"], found["rated_twice"]) == (3, 5, 2)
    assert found["raw"]["value"] == 0.5
    assert found["shares"] == (0.2, 0.2, 0.6)
    assert found["alpha"]["reason"] == "too_few_rated_twice"


def test_it_gives_agreement_by_task() -> None:
    rows = [*rated(1, (ANN, 2), (BEN, 2)), *rated(2, (ANN, 1), (BEN, 2), task=M)]
    found = review_figures(rows, [], [])["agreement"]
    assert {task: one["raw"]["value"] for task, one in found.items()} == {"": 0.5, C: 1.0, M: 0.0}


def test_it_says_who_is_severe_on_shared_items_only() -> None:
    rows = [
        *rated(1, (ANN, 0), (BEN, 2), (CAT, 1)),
        *rated(2, (ANN, 1), (BEN, 2)),
        *rated(3, (ANN, 0)),
    ]
    found = {row["reviewer"]: row for row in review_figures(rows, [], [])["reviewers"]}
    assert found[ANN]["severity"] == pytest.approx((1.5 + 1) / 2)
    assert found[BEN]["severity"] == pytest.approx((-1.5 - 1) / 2)
    assert found[CAT]["severity"] == 0
    assert (found[ANN]["reviews"], found[ANN]["zeros"], found[ANN]["shared"]) == (3, 2, 2)


def test_it_compares_every_two_who_rated_the_same() -> None:
    rows = [*rated(1, (ANN, 0), (BEN, 2), (CAT, 0)), *rated(2, (ANN, 1), (BEN, 1))]
    pairs = review_figures(rows, [], [])["pairs"]
    assert [(pair["first"], pair["second"], pair["n"], pair["raw"]["value"]) for pair in pairs] == [
        (ANN, BEN, 2, 0.5),
        (ANN, CAT, 1, 1.0),
        (BEN, CAT, 1, 0.0),
    ]


def test_it_counts_an_item_of_two_types_in_both() -> None:
    answers = [
        Solved(1, C, ANN, is_correct=True, types=(7, 8)),
        Solved(2, C, ANN, is_correct=False, types=(8,)),
        Solved(3, M, BEN, is_correct=True),
    ]
    found = review_figures([], answers, [])
    assert found["accuracy"][""]["value"] == pytest.approx(2 / 3)
    assert found["accuracy"][M]["n"] == 1
    assert {kind: (one["value"], one["n"]) for kind, one in found["types"].items()} == {
        "7": (1.0, 1),
        "8": (0.5, 2),
    }


def test_it_sets_human_against_machine_style() -> None:
    answers = [Solved(story, M, ANN, is_correct=story % 4 != 0) for story in range(40)]
    answers += [Solved(story, M, BEN, is_correct=story % 2 != 0, style="machine") for story in range(40)]
    answers += [Solved(1, C, ANN, is_correct=False)]
    styles = review_figures([], answers, [])["styles"]
    assert set(styles) == {M}, "no other task has both styles"
    found = {name: (one["value"], one["n"]) for name, one in styles[M].items()}
    assert found == {"human": (0.75, 40), "machine": (0.5, 40), "difference": (0.25, 80)}
    assert all(one["low"] < one["value"] < one["high"] for one in styles[M].values())


def test_it_has_no_difference_without_answers_to_both_styles() -> None:
    answers = [Solved(story, M, ANN, is_correct=True) for story in range(9)]
    styles = review_figures([], answers, [])["styles"][M]
    assert (styles["machine"]["n"], styles["machine"]["reason"]) == (0, "no_blind_answers")
    assert (styles["difference"]["value"], styles["difference"]["n"]) == (None, 9)


def test_its_accuracy_has_an_interval_by_story() -> None:
    answers = [Solved(story, C, ANN, is_correct=story % 4 != 0) for story in range(40)]
    found = review_figures([], answers, [])["accuracy"][C]
    assert found["low"] < found["value"] == 0.75 < found["high"]


def test_it_gives_the_median_time_of_each() -> None:
    worked = [Worked(ANN, 30), Worked(ANN, 50), Worked(ANN, 400), Worked(BEN, 20)]
    found = review_figures([], [], worked)["reviewers"]
    assert {row["reviewer"]: row["seconds"] for row in found} == {ANN: 50, BEN: 20}


def test_it_explains_in_place_of_figures_where_there_is_nothing() -> None:
    found = review_figures([], [], [])
    assert found["accuracy"][""]["reason"] == "no_blind_answers"
    assert found["agreement"][""]["raw"]["reason"] == "nothing_rated_twice"
    assert "NaN" not in json.dumps(found)


@pytest.mark.parametrize(("items", "wanted"), [(0, 0), (150, 150), (900, 200), (2000, 200), (3911, 391)])
def test_it_wants_a_tenth_rated_twice_and_at_least_two_hundred(items: int, wanted: int) -> None:
    assert wanted_overlap(items) == wanted


def test_its_interval_is_never_a_point() -> None:
    answers = [Solved(story, C, ANN, is_correct=True) for story in range(26)]
    found = review_figures([], answers, [])["accuracy"][C]
    assert found["low"] < 0.9 < found["high"] == 1.0


def test_its_interval_of_few_stories_is_as_wide_as_few_stories_are_unsure() -> None:
    """Three stories drawn again and again would never show less than the worst of them."""
    answers = [Solved(number % 3, C, ANN, is_correct=number % 6 != 0) for number in range(24)]
    found = review_figures([], answers, [])["accuracy"][C]
    assert (found["value"], found["n"]) == (pytest.approx(20 / 24), 24)
    assert found["low"] < 0.5
    of_one = review_figures([], answers[::3], [])["accuracy"][C]
    assert (of_one["value"], of_one["low"]) == (0.5, None)
