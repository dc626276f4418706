"""Where the keys of a release stand: balanced over what is fixed already, and kept where they stood. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from release.assembly import AssemblyItem
from release.assembly.draws import Draw
from release.assembly.extension import unchanged_order
from release.assembly.positions import balanced_positions, draw_orders
from release.assembly.records import FrozenItem
from tests.release import pieces

ABCD = ("ash", "birch", "cedar", "date")


def piece(
    number: int, *, answer: int = 0, task: str = "moral", options: Sequence[str] = ABCD
) -> AssemblyItem:
    return pieces.piece(number, f"s{number:03}", task=task, options=options, answer=answer)


def order_with_key_at(position: int, of: int = 4) -> tuple[int, ...]:
    """An order in which option 0, the key, is at a position."""
    others = list(range(1, of))
    return (*others[:position], 0, *others[position:])


def positions(assembly_items: Sequence[AssemblyItem], orders: Sequence[Sequence[int]]) -> list[int]:
    return [order.index(one.record.answer) for one, order in zip(assembly_items, orders, strict=True)]


# How often the key is at A to D among what is fixed, how many are free, and the totals that come out.
HELD = [
    ((0, 0, 0, 0), 8, {(2, 2, 2, 2)}),
    ((3, 0, 0, 0), 9, {(3, 3, 3, 3)}),
    ((0, 3, 0, 0), 9, {(3, 3, 3, 3)}),
    ((2, 2, 0, 0), 4, {(2, 2, 2, 2)}),
    ((5, 0, 0, 0), 3, {(5, 1, 1, 1)}),
    ((5, 0, 0, 0), 7, {(5, 3, 2, 2), (5, 2, 3, 2), (5, 2, 2, 3)}),
    ((0, 4, 4, 4), 3, {(3, 4, 4, 4)}),
    ((1, 2, 3, 4), 6, {(4, 4, 4, 4)}),
    ((1, 1, 1, 0), 2, {(2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2)}),
    ((7, 7, 7, 7), 0, {(7, 7, 7, 7)}),
]


@pytest.mark.parametrize(("held", "free", "totals"), HELD)
@pytest.mark.parametrize("seed", ["7", "8"])
def test_it_makes_up_for_the_keys_that_are_fixed(
    held: Sequence[int], free: int, totals: set[tuple[int, ...]], seed: str
) -> None:
    fixed = [position for position, count in enumerate(held) for _one in range(count)]
    assembly_items = [piece(number) for number in range(len(fixed) + free)]
    unchanged = {index: order_with_key_at(position) for index, position in enumerate(fixed)}
    orders = draw_orders(assembly_items, ["test"] * len(assembly_items), seed, unchanged)
    assert all(orders[index] == order for index, order in unchanged.items()), "what is fixed stays"
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
    counted = Counter(positions(assembly_items, orders))
    assert tuple(counted[position] for position in range(4)) in totals


@pytest.mark.parametrize(("held", "free", "totals"), HELD)
def test_it_draws_positions_that_level_the_totals(
    held: Sequence[int], free: int, totals: set[tuple[int, ...]]
) -> None:
    seen = set()
    for seed in range(60):
        drawn = balanced_positions(free, held, Draw(str(seed), "keys"))
        assert len(drawn) == free
        counted = Counter(drawn)
        seen.add(tuple(held[position] + counted[position] for position in range(4)))
    assert seen == totals, "every fair outcome, and no other"


def test_it_wants_a_split_for_each_item() -> None:
    with pytest.raises(ValueError, match="zip"):
        draw_orders([piece(0), piece(1)], ["test"], "7")


def test_it_draws_every_arrangement() -> None:
    """No position of the key follows from the place of an item in the release."""
    seen = {tuple(balanced_positions(3, [0, 0, 0], Draw(str(seed), "keys"))) for seed in range(200)}
    assert seen == set(permutations(range(3)))


def test_it_balances_each_task_split_and_number_of_options_for_itself() -> None:
    """What is fixed in one of them moves no key of another."""
    three = ABCD[:3]
    assembly_items = [
        *(piece(number) for number in range(4)),  # fixed at A, in test
        *(piece(number) for number in range(4, 8)),  # moral, dev
        *(piece(number, task="commonsense") for number in range(8, 12)),
        *(piece(number, options=three) for number in range(12, 15)),
        *(piece(number) for number in range(15, 19)),  # moral, test, free
    ]
    splits = ["test"] * 4 + ["dev"] * 4 + ["test"] * 11
    unchanged = {number: order_with_key_at(0) for number in range(4)}
    drawn = positions(assembly_items, draw_orders(assembly_items, splits, "7", unchanged))
    for cell in (drawn[4:8], drawn[8:12]):
        assert sorted(cell) == [0, 1, 2, 3]
    assert sorted(drawn[12:15]) == [0, 1, 2]
    assert sorted(drawn[15:]) in ([1, 1, 2, 3], [1, 2, 2, 3], [1, 2, 3, 3])


DRAWN_FOR_SEVEN = [
    *((2, 0, 3, 1), (3, 1, 2, 0), (0, 2, 3, 1), (1, 3, 0, 2)),  # dev
    *((3, 1, 2, 0), (3, 2, 0, 1), (3, 0, 1, 2), (0, 1, 2, 3)),  # test
]


def test_it_draws_the_same_orders_for_a_seed_for_ever() -> None:
    """Else no release could be rebuilt; and each split draws for itself."""
    assembly_items = [piece(number) for number in range(8)]
    assert draw_orders(assembly_items, ["dev"] * 4 + ["test"] * 4, "7") == DRAWN_FOR_SEVEN


def test_it_rejects_the_words_that_would_make_some_numbers_likelier() -> None:
    """Of 2**64 words one is left over where three numbers share them: the last."""
    last = 2**64 - 1
    for words, number in (([last, 5], 2), ([last, last, 4], 1), ([last - 1], 2)):
        draw = Draw("7", "keys")
        draw._words = iter(words)
        assert draw.below(3) == number


@pytest.mark.parametrize("bound", [0, -1])
def test_it_draws_nothing_below_nothing(bound: int) -> None:
    with pytest.raises(ValueError, match=f"^{bound}$"):
        Draw("7", "keys").below(bound)


def test_it_counts_no_options_that_are_in_an_order_of_their_own() -> None:
    fixed = [pieces.piece(n, f"s{n}", options=ABCD, in_order=(0, 1, 2, 3)) for n in range(4)]
    assembly_items = [*fixed, *(piece(number) for number in range(10, 14))]
    orders = draw_orders(assembly_items, ["test"] * 8, "7")
    assert orders[:4] == [(0, 1, 2, 3)] * 4
    assert sorted(positions(assembly_items, orders)[4:]) == [0, 1, 2, 3]


def test_it_says_what_stays_of_options_in_an_order_of_their_own() -> None:
    """An order that an earlier release froze is kept before the order of size."""
    one = pieces.piece(0, "s", options=ABCD, in_order=(0, 1, 2, 3))
    assert draw_orders([one], ["test"], "7", {0: (3, 2, 1, 0)}) == [(3, 2, 1, 0)]


def without_key(number: int, task: str) -> AssemblyItem:
    """An item with two keys, whose options are stored from the last in the alphabet to the first."""
    made = pieces.piece(number, f"s{number:03}", task=task, options=ABCD[::-1])
    return replace(made, record=replace(made.record, answer=None, answers=(0, 1)))


def test_it_shuffles_options_without_a_single_key_by_task_and_split() -> None:
    """By a draw of their own, from the order of the texts, in which nothing of the writer's order is left."""
    tasks = ["ordering", "moral", "ordering", "multiple", "ordering", "ordering"]
    splits = ["dev", "test", "test", "test", "test", "dev"]
    assembly_items = [
        piece(number) if task == "moral" else without_key(number, task) for number, task in enumerate(tasks)
    ]
    kept = (3, 1, 0, 2)
    orders = draw_orders(assembly_items, splits, "7", {5: kept})
    by_text = (3, 2, 1, 0)
    of_test = Draw("7", "options/ordering/test")
    assert (orders[2], orders[4]) == (tuple(of_test.shuffled(by_text)), tuple(of_test.shuffled(by_text)))
    assert orders[0] == tuple(Draw("7", "options/ordering/dev").shuffled(by_text))
    assert orders[3] == tuple(Draw("7", "options/multiple/test").shuffled(by_text))
    assert orders[5] == kept


def test_it_draws_the_wrong_options_apart_from_the_key() -> None:
    assembly_items = [piece(number) for number in range(400)]
    orders = draw_orders(assembly_items, ["test"] * 400, "7")
    seen = Counter(tuple(option for option in order if option != 0) for order in orders)
    assert set(seen) == set(permutations((1, 2, 3)))
    assert min(seen.values()) > 30


# --- what an earlier release fixed ---


def unchanged(choices: Sequence[str] = ABCD, answer: int = 0, public_id: str = "m-1") -> FrozenItem:
    return FrozenItem(1, public_id, "test", {"choices": list(choices), "answer": answer})


def shown(options: Sequence[str], order: Sequence[int] | None) -> tuple[str, ...]:
    assert order is not None
    return tuple(options[position] for position in order)


@pytest.mark.parametrize("old", range(4))
@pytest.mark.parametrize("new", range(4))
@pytest.mark.parametrize("seed", ["7", "8", "9"])
def test_a_new_key_takes_the_letter_of_the_old_one(old: int, new: int, seed: str) -> None:
    """The key is worded anew, and so are all but one of the wrong options."""
    stays = ABCD[(old + 1) % 4]
    options = [f"new {letter}" for letter in "wxyz"]
    options[(new + 1) % 4] = stays
    one = piece(0, answer=new, options=options)
    order = unchanged_order(one, unchanged(answer=old), seed)
    assert order is not None
    assert sorted(order) == [0, 1, 2, 3]
    assert order.index(one.record.answer) == old
    assert shown(options, order)[ABCD.index(stays)] == stays, "a wording that stays, stays where it was"


ODD: list[tuple[str, Sequence[str], int, int, Mapping[int, str]]] = [
    # what was worded anew; the options now; the key of old; the key now; what stands where
    ("nothing", ABCD, 0, 0, dict(enumerate(ABCD))),
    ("nothing, typed in another order", ("date", "cedar", "birch", "ash"), 0, 3, dict(enumerate(ABCD))),
    ("nothing but which is the key", ABCD, 0, 2, dict(enumerate(ABCD))),
    ("the key", ("elm", "birch", "cedar", "date"), 0, 0, {0: "elm", 1: "birch", 2: "cedar", 3: "date"}),
    ("a wrong option", ("ash", "elm", "cedar", "date"), 0, 0, {0: "ash", 1: "elm", 2: "cedar", 3: "date"}),
    ("the old key, which is wrong now", ("elm", "birch", "cedar", "date"), 0, 2, {0: "elm", 2: "cedar"}),
    ("a wrong option, which is the key now", ("ash", "elm", "cedar", "date"), 0, 1, {0: "ash", 1: "elm"}),
]


@pytest.mark.parametrize(("options", "old", "new", "wanted"), [row[1:] for row in ODD],
                         ids=[row[0] for row in ODD])  # fmt: skip
def test_a_wording_that_stays_keeps_its_place(
    options: Sequence[str], old: int, new: int, wanted: Mapping[int, str]
) -> None:
    order = unchanged_order(piece(0, answer=new, options=options), unchanged(answer=old), "7")
    found = shown(options, order)
    assert {place: found[place] for place in wanted} == wanted


def test_other_new_wordings_take_the_free_places_by_lot() -> None:
    """By the seed and the item's public id, never by the order in which the writer typed them."""
    new = ("key", "one", "two", "three")
    seen, again = set(), set()
    for seed in map(str, range(60)):
        found = shown(new, unchanged_order(piece(0, options=new), unchanged(), seed))
        assert found[0] == "key"
        seen.add(found[1:])
        typed = ("three", "two", "key", "one")
        assert shown(typed, unchanged_order(piece(0, answer=2, options=typed), unchanged(), seed)) == found
        again.add(
            shown(new, unchanged_order(piece(0, options=new), unchanged(public_id="m-2"), seed)) == found
        )
    assert seen == set(permutations(("one", "two", "three")))
    assert again == {True, False}


@pytest.mark.parametrize("count", [2, 3, 5])
def test_an_item_with_another_number_of_options_is_drawn_anew(count: int) -> None:
    options = [*ABCD, "elm"][:count]
    assert unchanged_order(piece(0, options=options), unchanged(), "7") is None
