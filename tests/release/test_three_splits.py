"""Train, dev and test: whole stories by their shares, in each genre and in all, the same for a seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from parable.splits import DEV, SPLITS, TEST, TRAIN
from release.assembly import BY_ITEM, BY_STORY, AssemblyItem, Placed, assemble
from release.assembly.apportionment import apportion
from release.assembly.draws import Draw
from release.assembly.seen_split import SEEN
from tests.release.pieces import piece, released

SEVEN_ONE_TWO = (Fraction(7, 10), Fraction(1, 10), Fraction(2, 10))


def pieces(sizes: dict[str, int], each: int = 1, first: int = 0) -> list[AssemblyItem]:
    """So many stories of each genre, with so many items each; every third item is of another style."""
    names = [f"{genre}-{number:03d}" for genre, count in sizes.items() for number in range(count)]
    return [
        piece(
            first + index * each + number,
            story,
            f"{number}",
            task="commonsense",
            style="machine" if (index + number) % 3 == 0 else "human",
            types=("social", "spatial")[number % 2 : number % 2 + 1],
            options=[f"{story} {number} {letter}" for letter in "abcd"],
            answer=index % 4,
            genre=story.rpartition("-")[0],
        )
        for index, story in enumerate(names)
        for number in range(each)
    ]


def split(made: list[AssemblyItem], rule: str = BY_STORY, seed: str = "7", **more: Any) -> list[Placed]:
    """The items in three splits as 7 to 1 to 2."""
    train, dev, _test = SEVEN_ONE_TWO
    return assemble(made, rule=rule, share=dev, train=train, seed=seed, **more)


def stories_by_genre(placed: list[Placed]) -> dict[str, Counter[str]]:
    """How many stories of each genre every split has."""
    found: dict[str, Counter[str]] = {}
    for story, genre, where in {(one.item.story, one.item.genre, one.split) for one in placed}:
        found.setdefault(genre, Counter())[where] += bool(story)
    return found


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        ([10], [[7, 1, 2]]),
        ([1], [[1, 0, 0]]),  # the largest remainder
        ([5], [[4, 0, 1]]),  # 3.5, 0.5 and 1: of equal remainders the earlier split
        ([5, 5], [[3, 1, 1], [4, 0, 1]]),  # together 7, 1 and 2: who loses nothing gives, the first of them
        ([1] * 10, [[0, 1, 0], [0, 0, 1], [0, 0, 1], *[[1, 0, 0]] * 7]),
        ([], []),
        ([0, 20], [[0, 0, 0], [14, 2, 4]]),
    ],
)
def test_units_go_by_largest_remainders_and_then_by_the_whole(
    sizes: list[int], wanted: list[list[int]]
) -> None:
    found = apportion(sizes, SEVEN_ONE_TWO)
    assert [sum(row) for row in found] == sizes
    assert sorted(found) == sorted(wanted)


def test_no_group_and_no_split_is_a_whole_unit_off() -> None:
    draw = Draw("7", "sizes and shares")
    for _round in range(300):
        sizes = [draw.below(30) for _group in range(1 + draw.below(11))]
        parts = [1 + draw.below(19) for _split in range(3)]
        shares = [Fraction(part, sum(parts)) for part in parts]
        found = apportion(sizes, shares)
        for size, row in zip(sizes, found, strict=True):
            assert sum(row) == size
            assert all(abs(n - share * size) < 1 for n, share in zip(row, shares, strict=True)), (
                sizes,
                shares,
            )
        for n, share in zip(map(sum, zip(*found, strict=True)), shares, strict=True):
            assert abs(n - share * sum(sizes)) < 1, (sizes, shares)


def test_thousands_of_groups_are_shared_out_at_once() -> None:
    found = apportion([4] * 6000, SEVEN_ONE_TWO)
    assert [sum(column) for column in zip(*found, strict=True)] == [16800, 2400, 4800]


@pytest.mark.parametrize("each", [1, 4])
def test_each_genre_has_its_shares_of_whole_stories(each: int) -> None:
    sizes = {"news": 29, "sport": 17, "letters": 4, "": 33}
    placed = split(pieces(sizes, each))
    for genre, count in stories_by_genre(placed).items():
        for where, share in zip(SPLITS, SEVEN_ONE_TWO, strict=True):
            assert abs(count[where] - share * sizes[genre]) < 1, genre
    assert len({(one.item.story, one.split) for one in placed}) == sum(sizes.values())


def test_items_styles_and_types_are_spread_by_the_shares() -> None:
    made = pieces({"news": 60, "sport": 40}, 3)
    found = Counter((one.split, one.item.record.style) for one in split(made))
    whole = Counter(item.record.style for item in made)
    for where, share in zip(SPLITS, SEVEN_ONE_TWO, strict=True):
        for style, count in whole.items():
            assert abs(found[where, style] - share * count) <= 1, (where, style)


def test_keys_are_balanced_in_each_of_the_three() -> None:
    keys: dict[str, Counter[int]] = {}
    for one in split(pieces({"news": 50}, 2)):
        assert one.answer is not None
        keys.setdefault(one.split, Counter())[one.answer] += 1
    assert keys.keys() == set(SPLITS)
    assert all(max(cell.values()) - min(cell[index] for index in range(4)) <= 1 for cell in keys.values())


@pytest.mark.parametrize("rule", [BY_STORY, BY_ITEM, SEEN])
def test_a_seed_always_gives_the_same_and_another_one_does_not(rule: str) -> None:
    made = pieces({"news": 20, "sport": 20}, 5)
    mixed = made[::-1]
    assert split(made, rule) == split(mixed, rule)
    assert [one.split for one in split(made, rule)] != [one.split for one in split(made, rule, seed="8")]


def test_of_seen_stories_every_split_has_its_share() -> None:
    placed = split(pieces({"": 12}, 10), SEEN)
    by_story = Counter((one.item.story, one.split) for one in placed)
    assert set(by_story.values()) == {7, 1, 2}
    assert all(by_story[f"-{number:03d}", TRAIN] == 7 for number in range(12))


def test_what_is_extended_stays_and_new_stories_fill_up_the_shares() -> None:
    first = split(pieces({"news": 11, "sport": 9}, 2))
    unchanged = {one.item.handle: released(one) for one in first}
    grown = [*pieces({"news": 11, "sport": 9}, 2), *pieces({"poems": 10}, 2, first=1000)]
    placed = split(grown, unchanged=unchanged, last_number=len(first))
    before = {one.item.handle: one.split for one in first}
    assert {one.item.handle: one.split for one in placed if one.item.handle in before} == before
    assert stories_by_genre(placed)["poems"] == {TRAIN: 7, DEV: 1, TEST: 2}


def test_two_splits_do_not_look_at_genres() -> None:
    made = pieces({"news": 20, "sport": 20}, 2)
    bare = [replace(one, genre="") for one in made]
    found, plain = (
        [one.split for one in assemble(some, rule=BY_STORY, share=Fraction(1, 5), seed="7")]
        for some in (made, bare)
    )
    assert found == plain
    assert set(found) == {DEV, TEST}
