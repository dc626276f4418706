"""The shared task's score: 0.4 of commonsense and 0.6 of moral, whatever their numbers of items."""

from __future__ import annotations

import numpy as np
import pytest

from parable.kinds import score_weights
from parable.psychometrics.results.accuracy import (
    LEAST,
    accuracy,
    chance_score,
    error,
    mean_score,
    score,
    style_difference,
    weighted,
)
from parable.psychometrics.results.clusters import Part, combination, share
from parable.psychometrics.results.sheets import Answer, ItemFact, Items, make_sheet


def items(commonsense: int, moral: int, options: int = 4) -> Items:
    return Items(
        ItemFact(f"{task}{number}", task, f"s{number}", key=0, options=options)
        for task, count in (("commonsense", commonsense), ("moral", moral))
        for number in range(count)
    )


def answered(known: Items, commonsense: int, moral: int) -> list[Answer]:
    """The first so many of each task answered rightly, the others wrongly."""
    right = {"commonsense": commonsense, "moral": moral}
    return [
        Answer(one.id, "chosen", 0 if int(one.id.removeprefix(one.task)) < right[one.task] else 1, None)
        for one in known.facts
    ]


@pytest.mark.parametrize(
    ("asked", "right", "expected"),
    [
        ((10, 10), (10, 0), 0.4),
        ((10, 10), (0, 10), 0.6),
        ((10, 10), (10, 10), 1.0),
        ((10, 10), (0, 0), 0.0),
        ((10, 10), (5, 0), 0.2),
        ((10, 10), (0, 5), 0.3),
        ((20, 5), (20, 0), 0.4),  # the numbers of items do not matter
        ((5, 20), (5, 0), 0.4),
        ((20, 5), (10, 4), 0.4 * 0.5 + 0.6 * 0.8),
    ],
)
def test_it_weighs_the_two_tasks(asked: tuple[int, int], right: tuple[int, int], expected: float) -> None:
    known = items(*asked)
    assert score(make_sheet("m", known, answered(known, *right)), known).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("accuracies", "expected"),
    [
        ((1.0, 0.0), 0.4),
        ((0.0, 1.0), 0.6),
        ((0.25, 0.25), 0.25),
        ((0.5, 0.75), 0.65),
        ((None, 0.5), None),
        ((0.5, None), None),
        ((None, None), None),
    ],
)
def test_it_needs_both_tasks(accuracies: tuple[float | None, ...], expected: float | None) -> None:
    found = weighted(accuracies)
    assert found is None if expected is None else found == pytest.approx(expected)


def test_it_weighs_no_third_task() -> None:
    assert score_weights() == {"commonsense": 0.4, "moral": 0.6}
    with pytest.raises(ValueError, match="zip"):
        weighted((0.1, 0.2, 0.3))


def test_it_counts_items_stories_and_every_outcome() -> None:
    known = Items(ItemFact(f"m{number}", "moral", f"s{number // 2}", key=0, options=4) for number in range(6))
    given = [Answer("m0", "chosen", 0, 0), Answer("m1", "chosen", 1, 1), Answer("m2", "ambiguous")]
    found = accuracy(make_sheet("m", known, given), known, known.of_task("moral"))
    assert (found.asked, found.items, found.stories, found.right) == (3, 3, 2, 1)
    assert found.outcomes == {
        "chosen": 2,
        "ambiguous": 1,
        "contradicting": 0,
        "unparsed": 0,
        "refused": 0,
        "failed": 0,
    }


def test_its_intervals_are_clustered_by_story() -> None:
    known = items(40, 40)
    sheet = make_sheet("m", known, answered(known, 30, 10))
    chosen = known.of_task("commonsense")
    right, stories = np.array([1.0] * 30 + [0.0] * 10), np.arange(40)
    found = accuracy(sheet, known, chosen)
    assert found.accuracy == share(right, stories)
    assert found.strict == share(np.zeros(40), stories)
    assert error(sheet, known, chosen) == share(1 - right, stories)
    assert error(sheet, known, chosen).value == 0.25


@pytest.mark.parametrize(
    ("human", "machine", "difference"), [(4, 4, 0.0), (4, 1, 0.75), (0, 2, -0.5), (3, 0, 0.75)]
)
def test_the_difference_of_styles_is_human_less_machine(human: int, machine: int, difference: float) -> None:
    """Of the items that are chosen; the moral ones are all answered rightly and do not count."""
    known = Items(
        ItemFact(f"{task}-{style}-{number}", task, f"s{number}", key=0, options=4, style=style)
        for task in ("commonsense", "moral")
        for style in ("human", "machine")
        for number in range(4)
    )
    right = {"human": human, "machine": machine}
    given = [
        Answer(one.id, "chosen", int(one.task != "moral" and int(one.id[-1]) >= right[one.style]))
        for one in known.facts
    ]
    sheet = make_sheet("m", known, given)
    found = style_difference(sheet, known, known.of_task("commonsense"))
    assert found.value == pytest.approx(difference)
    assert style_difference(sheet, known, known.of_style("human")).value is None


def test_blind_guessing_comes_to_one_over_the_options() -> None:
    assert chance_score(items(10, 5)) == pytest.approx(0.25)
    assert chance_score(items(10, 5, options=2)) == pytest.approx(0.5)
    assert chance_score(items(10, 0)) is None


def test_an_item_that_was_asked_again_is_one_item() -> None:
    """Its answers are alike: the interval counts items, not answers."""
    known = items(12, 12)
    given = [
        Answer(f"commonsense{number}", "chosen", int(number > 7), int(number > 6), repeat=repeat)
        for number in range(12)
        for repeat in range(3)
    ]
    sheet, chosen = make_sheet("m", known, given), known.of_task("commonsense")
    rows = chosen[sheet.item]
    of_items = sheet.item[rows]
    stories = known.story[of_items]
    right, strict = sheet.right[rows].astype(float), sheet.strictly_right[rows].astype(float)
    found = accuracy(sheet, known, chosen)
    assert found.accuracy == share(right, stories, of_items) != share(right, stories)
    assert found.strict == share(strict, stories, of_items) != share(strict, stories)
    assert error(sheet, known, chosen) == share(1 - right, stories, of_items) != share(1 - right, stories)


@pytest.mark.parametrize("least", [-1.0, 0.0, 0.4])
def test_a_mean_score_is_of_the_items_that_are_chosen(least: float) -> None:
    """Its interval begins at the lowest score there can be."""
    known = items(3, 3)
    given = [
        Answer(one.id, "chosen", 0, 0, score=credit)
        for one, credit in zip(known.facts, (1.0, 0.5, 0.0, -1.0, -1.0, 0.2), strict=True)
    ]
    sheet = make_sheet("m", known, given)
    found = mean_score(sheet, known, known.of_task("commonsense"), least=least)
    assert found == combination([Part(np.array([1.0, 0.5, 0.0]), np.arange(3))], least=least)
    assert (found.value, found.low) == (0.5, max(least, found.low or 0.0))


def test_only_a_rank_correlation_goes_below_nothing() -> None:
    known = items(0, 2)
    given = [
        Answer(one.id, "chosen", 0, 0, score=credit)
        for one, credit in zip(known.facts, (-1.0, 0.0), strict=True)
    ]
    sheet = make_sheet("m", known, given)
    assert mean_score(sheet, known, known.of_task("moral")).low == -1.0
    assert dict(LEAST) == {"tau": -1.0}


def test_the_interval_of_a_score_begins_at_nothing() -> None:
    known = items(2, 2)
    found = score(make_sheet("m", known, answered(known, 1, 0)), known)
    assert found.low == 0.0
