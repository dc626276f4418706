"""Which items to leave out so that a gate passes: as few as suffice, and what it would say without them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parable.formats.records import ItemRecord
from parable.quality.gates import ERROR, OK, WARNING, Answered, ItemSet, judge, judge_one_by_one
from tests.parable.planted import SET_LEVEL, clean, plant_in_set

ITEMS = clean(240, 5)
DEFECT = {"options_only": "a word stands in keys only", "no_story": "the key repeats its stem"}


def answered(items: list[ItemRecord], gate: str) -> Answered:
    """The settled answer of a gate on the commonsense items of a set."""
    found = judge_one_by_one(ItemSet(tuple(items), is_foreign=True), lambda _answers: None)
    return next(one for one in found if one.result.id == gate and one.result.task in {"commonsense", None})


def planted() -> list[ItemRecord]:
    return plant_in_set(list(ITEMS), SET_LEVEL["the key is the longest"][1], 0.2, 3)


def test_it_says_what_judge_says() -> None:
    whole = ItemSet(tuple(planted()), is_foreign=True)
    gates: list[str] = []
    found = judge_one_by_one(whole, lambda answers: gates.extend({one.result.id for one in answers}))
    assert [one.result for one in found] == judge(whole)
    assert gates == list(dict.fromkeys(one.result.id for one in found))
    assert all(one.is_settled for one in found)


def test_it_leaves_out_no_more_than_a_figure_needs() -> None:
    one = answered(planted(), "length_artefact")
    assert one.result.verdict == ERROR
    assert one.remedy.without is not None
    assert one.remedy.without.verdict in {OK, WARNING}
    assert 0 < len(one.remedy.leave_out) < len(ITEMS) / 2
    filtered = [item for item in planted() if item.id not in set(one.remedy.leave_out[:-1])]
    fewer = next(
        again
        for again in judge(ItemSet(tuple(filtered), is_foreign=True))
        if (again.id, again.task) == ("length_artefact", "commonsense")
    )
    assert fewer.verdict == ERROR


def test_of_items_that_are_there_twice_it_leaves_out_all_but_the_first() -> None:
    twins = [replace(item, id=f"{item.id}-again-{n}") for item in ITEMS[:3] for n in range(2)]
    one = answered([*ITEMS, *twins], "duplicates")
    assert set(one.remedy.leave_out) == {twin.id for twin in twins}
    assert len(one.remedy.items) == 9
    assert one.remedy.without is not None
    assert one.remedy.without.verdict == OK


def test_it_proposes_nothing_that_would_leave_nothing() -> None:
    found = judge_one_by_one(ItemSet(tuple(ITEMS), rights={}), lambda _answers: None)
    rights = next(one for one in found if one.result.id == "rights")
    assert len(rights.remedy.items) == len(ITEMS)
    assert rights.remedy.leave_out == ()
    assert rights.remedy.without is None


@pytest.mark.parametrize("gate", DEFECT)
def test_a_gate_that_learns_is_not_asked_again(gate: str) -> None:
    spoiled = plant_in_set(list(ITEMS), SET_LEVEL[DEFECT[gate]][1], 0.4, 3)
    one = answered(spoiled, gate)
    assert one.result.verdict in {ERROR, WARNING}
    assert 0 < len(one.remedy.leave_out) <= 50
    assert one.remedy.without is None
