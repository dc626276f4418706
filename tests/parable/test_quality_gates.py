"""Gates over whole sets, each with sets that pass it and sets that do not."""

from __future__ import annotations

import pytest

from parable.formats.records import ItemRecord
from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING, GateResult, ItemSet, judge


def item(number: int, **changes: object) -> ItemRecord:
    """A sound item of its own story, with a stem and options of its own."""
    words: dict[str, object] = {
        "id": f"i-{number}",
        "task": "commonsense",
        "story_id": f"s-{number}",
        "title": "T",
        "story": f"Story number {number}.",
        "question": f"Why did thing {number} happen?",
        "choices": tuple(f"reason {number}{letter}" for letter in "abcd"),
        "answer": number % 4,
        "types": ("social",),
        "split": "dev" if number < 4 else "test",
    }
    return ItemRecord(**(words | changes))  # type: ignore[arg-type]  # a test's shorthand


MIXED = ("Reason 1D", "reason 1c", "reason 1b", "reason 1a")
SOUND = tuple(item(number) for number in range(12))


def answer(gate: str, items: ItemSet, task: str | None = None) -> GateResult:
    return next(result for result in GATES[gate].judge(items) if result.task == task)


def test_it_finds_nothing_in_a_sound_set() -> None:
    results = judge(ItemSet(SOUND, rights={f"s-{number}": "CC BY 4.0" for number in range(12)}))
    assert {result.verdict for result in results} == {OK, NOT_APPLICABLE}
    assert {result.id for result in results} == set(GATES)


def test_it_wants_the_keys_of_a_build_within_one() -> None:
    uneven = (*SOUND, item(12, answer=0), item(13, answer=0))
    found = answer("key_position", ItemSet(uneven), "commonsense")
    assert (found.verdict, found.figure, found.threshold) == (ERROR, 2, 1)
    assert set(found.items) == {one.id for one in uneven if one.split == "test"}


def test_it_only_warns_of_keys_that_must_stay_where_they_are() -> None:
    uneven = (*SOUND, item(12, answer=0), item(13, answer=0))
    found = answer("key_position", ItemSet(uneven, keeps_places=True), "commonsense")
    assert (found.verdict, found.figure) == (WARNING, 2)


def test_it_counts_items_of_three_options_apart() -> None:
    three = tuple(item(20 + n, choices=("x", "y", "z"), answer=0, split=None) for n in range(2))
    found = answer("key_position", ItemSet((*SOUND, *three)), "commonsense")
    assert found.items == ("i-20", "i-21")


def test_it_says_nothing_of_keys_that_are_not_there() -> None:
    keyless = ItemSet(tuple(item(number, answer=None) for number in range(12)))
    assert answer("key_position", keyless, "commonsense").verdict == NOT_APPLICABLE


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"story": "Story number 1."}, ERROR),
        ({"story": " Story  number 1.\n"}, ERROR),
        ({"question": "Why did thing 1 happen?", "choices": MIXED}, ERROR),
        ({"question": "why did thing １ happen?"}, WARNING),
        ({"choices": ("a much longer reason 1", "b", "c", "d"), "answer": 0}, WARNING),
        ({"choices": ("reason 1b", "b", "c", "d"), "answer": 0}, OK),
        ({"question": "The standard stem?"}, OK),
    ],
)  # fmt: skip
def test_it_finds_what_both_splits_share(changes: dict[str, object], verdict: str) -> None:
    dev = (
        item(1, choices=("reason 1a", "reason 1b", "reason 1c", "reason 1d"), answer=1),
        item(2, choices=("a much longer reason 1", "x", "y", "z"), answer=0),
        item(3, question="The standard stem?"),
    )
    test = (item(8), item(9, **changes))
    found = answer("split_leak", ItemSet((*dev, *test), standard_stems=frozenset({"The standard stem?"})))
    assert found.verdict == verdict
    assert found.items == (() if verdict == OK else ("i-9",))


@pytest.mark.parametrize(
    ("dev", "test", "verdict", "items"),
    [
        ({"domain": "in"}, {}, WARNING, ()),
        ({"domain": "out"}, {}, ERROR, ("i-2",)),
        ({}, {}, ERROR, ("i-2",)),
        ({"domain": "in"}, {"question": "Why did thing 1 happen?"}, ERROR, ("i-2",)),  # the same item
        ({"domain": "in"}, {"story_id": "s-2", "story": "Another."}, OK, ()),
        ({"domain": "out"}, {"story_id": "s-2"}, ERROR, ("i-2",)),  # its text under another id
        ({"domain": "out"}, {"story": "Another wording."}, ERROR, ("i-2",)),
        ({"domain": "in"}, {"story": "Another wording."}, WARNING, ()),
    ],
)
def test_stories_shared_by_order_only_warn(
    dev: dict[str, object], test: dict[str, object], verdict: str, items: tuple[str, ...]
) -> None:
    one = item(1, **({"choices": MIXED} | dev))
    other = item(
        2, **({"story_id": one.story_id, "story": one.story, "split": "test", "choices": MIXED} | test)
    )
    found = answer("split_leak", ItemSet((one, other)))
    assert (found.verdict, found.items) == (verdict, items)
    assert found.figure == (0 if verdict == OK else 1)


def test_it_distinguishes_items_of_two_tasks_with_one_number() -> None:
    """Published files number the items of each task anew."""
    shared, other = (
        item(8, question="Why did thing 1 happen?"),
        item(8, task="moral", story_id="s", story="S"),
    )
    found = answer(
        "split_leak", ItemSet((item(1), shared, other), standard_stems=frozenset({other.question}))
    )
    assert (found.verdict, found.figure, found.items) == (WARNING, 1, ("i-8",))


def test_it_cannot_compare_splits_that_are_not_there() -> None:
    whole = ItemSet(tuple(item(number, split=None) for number in range(5)))
    assert answer("split_leak", whole).verdict == NOT_APPLICABLE


def test_it_wants_the_rights_of_every_story() -> None:
    rights = {f"s-{number}": "public domain" for number in range(12)} | {"s-3": ""}
    found = answer("rights", ItemSet((*SOUND, item(30, story_id="s-3")), rights=rights))
    assert (found.verdict, found.figure, found.items) == (ERROR, 1, ("i-3", "i-30"))


def test_it_does_not_ask_for_rights_where_files_have_none() -> None:
    assert answer("rights", ItemSet(SOUND)).verdict == NOT_APPLICABLE


def test_it_prints_the_agreed_fields() -> None:
    fields = ["id", "task", "verdict", "figure", "low", "high", "threshold", "items"]
    assert all(list(result.as_json()) == fields for result in judge(ItemSet(SOUND)))
