"""Putting a release together: whole stories, even keys, and the same again for the same seed."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parable.splits import DEV, MEASURED
from release.assembly import (
    BY_ITEM,
    BY_STORY,
    MIXED,
    RULES,
    AssemblyItem,
    Placed,
    assemble,
    count_positions,
)
from release.assembly.draws import Draw
from release.assembly.mixed_split import shared_stories
from release.assembly.seen_split import SEEN
from tests.release.pieces import piece, released

SHARES = st.fractions(min_value=Fraction(1, 20), max_value=Fraction(19, 20), max_denominator=100)
SEEDS = st.integers(min_value=0, max_value=10**6).map(str)
LENGTHS = pytest.mark.parametrize("examples", [6, pytest.param(60, marks=pytest.mark.drill)])
"""A short search each time, and a long one as a drill."""
KINDS = ("social", "biological", "temporal", "spatial", "physical")


@st.composite
def projects(draw: st.DrawFn) -> list[AssemblyItem]:
    """Items over a few stories, of both tasks, with two to five options and up to two types."""
    made = []
    for number in range(draw(st.integers(1, 40))):
        choices = draw(st.integers(2, 5))
        task = draw(st.sampled_from(["commonsense", "moral"]))
        story = f"story-{draw(st.integers(1, 9))}"
        kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True))
        made.append(
            piece(
                1000 - number,
                story,
                draw(st.sampled_from(["Why?", "How?"])),
                task=task,
                style=draw(st.sampled_from(["human", "machine"])),
                types=kinds if task == "commonsense" else (),
                options=[f"option {number} {letter}" for letter in "qwxyz"[:choices]],
                answer=draw(st.integers(0, choices - 1)),
            )
        )
    return made


def as_read(placed: list[Placed]) -> list[tuple[object, ...]]:
    """What a reader of the release sees of each item."""
    return [
        (one.number, one.split, one.answer, one.item.story, record.question, [*map(choice, one.order)])
        for one in placed
        for record, choice in [(one.item.record, one.item.record.choices.__getitem__)]
    ]


@LENGTHS
def test_it_holds_every_item_exactly_once(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(projects(), st.sampled_from(RULES), SHARES, SEEDS)
    def check(made: list[AssemblyItem], rule: str, share: Fraction, seed: str) -> None:
        placed = assemble(made, rule=rule, share=share, seed=seed)
        assert sorted(one.item.handle for one in placed) == sorted(item.handle for item in made)
        assert [one.number for one in placed] == list(range(1, len(made) + 1))
        assert all(sorted(one.order) == list(range(len(one.item.record.choices))) for one in placed)

    check()


@pytest.mark.parametrize("lacking", [{"answer": None}, {"story_id": None}])
def test_it_takes_no_item_without_key_or_story(lacking: dict[str, Any]) -> None:
    sound = piece(7, "crow")
    with pytest.raises(ValueError, match="Item 7 has no key or no story"):
        replace(sound, record=replace(sound.record, **lacking))


@LENGTHS
def test_it_puts_no_story_into_both_splits(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(projects(), SHARES, SEEDS)
    def check(made: list[AssemblyItem], share: Fraction, seed: str) -> None:
        placed = assemble(made, rule=BY_STORY, share=share, seed=seed)
        sides = {(one.item.story, one.split) for one in placed}
        assert len(sides) == len({story for story, _split in sides})
        if len({item.story for item in made}) > 1:
            assert len({split for _story, split in sides}) == 2

    check()


@pytest.mark.parametrize("out", [1, 3])
def test_it_keeps_whole_and_shared_stories_when_a_mixed_release_is_extended(out: int) -> None:
    made = [replace(item, handle=n) for n, item in enumerate(_project(30, 90, Random(5)))]  # noqa: S311
    first = assemble(made[::2], rule=MIXED, share=Fraction(1, 5), seed="7", out_stories=out)
    unchanged = {one.item.handle: released(one) for one in first}
    whole = assemble(made, rule=MIXED, share=Fraction(1, 5), seed="7", unchanged=unchanged, out_stories=out)
    before, after = _roles(first), _roles(whole)
    assert sum(splits == {DEV} for splits in before.values()) == out
    assert sum(splits == set(MEASURED) for splits in before.values()) == shared_stories(
        Fraction(1, 5), len(before), out
    )
    assert {story: after[story] for story in before} == before


def _roles(placed: list[Placed]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in placed:
        found.setdefault(one.item.story, set()).add(one.split)
    return found


@pytest.mark.parametrize("rule", [BY_STORY, BY_ITEM])
def test_it_gives_dev_so_many_items_of_a_task_as_are_asked_for(rule: str) -> None:
    made = _project(40, 120, Random(3))  # noqa: S311 - a made-up project
    placed = assemble(made, rule=rule, share=Fraction(1, 5), seed="7", dev_items={"moral": 27})
    dev = Counter(one.item.record.task for one in placed if one.split == DEV)
    assert dev["moral"] == 27
    assert abs(dev["commonsense"] - 24) <= 1


def test_counts_of_a_mixed_split_come_before_types() -> None:
    """The types of three larger stories cannot all come near their share."""
    made = [
        piece(0, f"s{story}", str(number), task=task, types=kinds)
        for story in range(30)
        for task, number, kinds in (
            *(("commonsense", number, (KINDS[(story + number) % 5],)) for number in range(4)),
            ("moral", 9, ()),
            *([("commonsense", 7, (KINDS[story],))] if story < 3 else []),
        )
    ]
    for seed in (3, 5, 15):
        placed = assemble(
            made,
            rule=MIXED,
            share=Fraction(1, 5),
            seed=str(seed),
            dev_items={"commonsense": 20, "moral": 7},
            out_stories=3,
        )
        dev = Counter(one.item.record.task for one in placed if one.split == DEV)
        assert dev == {"commonsense": 20, "moral": 7}


@LENGTHS
def test_it_balances_the_keys_within_one(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(projects(), st.sampled_from(RULES), SHARES, SEEDS)
    def check(made: list[AssemblyItem], rule: str, share: Fraction, seed: str) -> None:
        cells = count_positions(one.key_position for one in assemble(made, rule=rule, share=share, seed=seed))
        assert all(max(counts) - min(counts) <= 1 for counts in cells.values())

    check()


@LENGTHS
def test_it_comes_out_the_same_in_whatever_order_the_items_and_options_come(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(projects(), st.sampled_from(RULES), SHARES, SEEDS, st.randoms(use_true_random=False))
    def check(made: list[AssemblyItem], rule: str, share: Fraction, seed: str, chance: Random) -> None:
        mixed = [_with_options_mixed(item, chance) for item in made]
        chance.shuffle(mixed)
        once, again = (assemble(items, rule=rule, share=share, seed=seed) for items in (made, mixed))
        assert as_read(once) == as_read(again)

    check()


def _with_options_mixed(item: AssemblyItem, chance: Random) -> AssemblyItem:
    options = list(item.record.choices)
    chance.shuffle(options)
    mixed = replace(item.record, choices=tuple(options), answer=options.index(item.key))
    return replace(item, handle=item.handle + 5, record=mixed)


FIRST_DRAWS = [78, 60, 59, 39, 59, 49, 58, 23]
FIRST_SHUFFLE = "gadhcbef"


def _project(stories: int, commonsense: int, chance: Random) -> list[AssemblyItem]:
    """A project shaped like the original: three moral items a story, one of them human style."""
    moral = [(f"story {number % stories}", number // stories) for number in range(3 * stories)]
    plain = [(f"story {chance.randrange(stories)}", number) for number in range(commonsense)]
    four = tuple(f"option {letter}" for letter in "abcd")
    return [
        *(
            piece(
                0, story, str(n), style="machine" if n else "human", options=four, answer=chance.randrange(4)
            )
            for story, n in moral
        ),
        *(
            piece(
                0,
                story,
                str(n),
                task="commonsense",
                types=(chance.choice(KINDS),),
                options=four,
                answer=chance.randrange(4),
            )
            for story, n in plain
        ),
    ]


def test_it_draws_other_places_for_another_seed() -> None:
    made = _project(12, 40, Random(3))  # noqa: S311 - a made-up project
    seven, eight = (assemble(made, rule=BY_ITEM, share=Fraction(1, 5), seed=seed) for seed in ("7", "8"))
    assert as_read(seven) != as_read(eight)


def test_it_leaves_no_trace_of_the_writers_order() -> None:
    """The key and each distractor stand anywhere equally often, wherever the writer put them."""
    made = [piece(0, f"s{n:04}", options=("the key", "first", "second", "third")) for n in range(2400)]
    placed = assemble(made, rule=BY_STORY, share=Fraction(1, 2), seed="1")
    where = Counter((option, one.order.index(option)) for one in placed for option in range(4))
    assert all(abs(where[option, index] - 600) < 110 for option in range(4) for index in range(4))


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 1000])
def test_it_draws_every_number_equally_often(bound: int) -> None:
    draw = Draw("7", f"a test of {bound}")
    counts = Counter(draw.below(bound) for _time in range(bound * 200))
    assert set(counts) == set(range(bound))
    assert max(counts.values()) < 300


def test_it_draws_the_same_on_every_machine() -> None:
    draw = Draw("7", "split/story")
    assert [draw.below(100) for _time in range(8)] == FIRST_DRAWS
    assert Draw("7", "keys").shuffled("abcdefgh") == list(FIRST_SHUFFLE)


@pytest.mark.parametrize("number", range(6))
def test_it_finds_the_best_split_of_a_small_project(number: int) -> None:
    """No other choice of whole stories brings the tasks nearer to their share."""
    chance, share = Random(number), Fraction(1, 5)  # noqa: S311 - a made-up project
    made = [item for item in _project(10, 35, chance) if item.record.task == "moral" or chance.random() < 0.8]
    placed = assemble(made, rule=BY_STORY, share=share, seed="7")
    per_story = Counter((item.story, item.record.task) for item in made)
    stories = sorted({item.story for item in made})
    total = Counter(item.record.task for item in made)

    def off(dev: set[str]) -> Fraction:
        gaps = [sum(per_story[story, task] for story in dev) - share * total[task] for task in total]
        return sum((gap * gap for gap in gaps), Fraction(0))

    chosen = {one.item.story for one in placed if one.split == DEV}
    every = (set(some) for size in range(1, len(stories)) for some in combinations(stories, size))
    assert off(chosen) == min(map(off, every))


@LENGTHS
def test_it_is_off_by_no_more_than_the_largest_story(examples: int) -> None:
    """Of each task, style and type, wherever whole stories are to be cut."""

    @settings(max_examples=examples, deadline=None)
    @given(projects(), SHARES, SEEDS)
    def check(made: list[AssemblyItem], share: Fraction, seed: str) -> None:
        placed = assemble(made, rule=BY_STORY, share=share, seed=seed)
        per_story = Counter((feature, one.item.story) for one in placed for feature in features_of(one.item))
        dev = Counter(feature for one in placed if one.split == DEV for feature in features_of(one.item))
        for feature in {feature for feature, _story in per_story}:
            counts = [count for (name, _story), count in per_story.items() if name == feature]
            assert abs(dev[feature] - share * sum(counts)) <= max(counts), (feature, counts, dev[feature])

    check()


def features_of(item: AssemblyItem) -> list[tuple[str, ...]]:
    task = item.record.task
    return [(task,), (task, item.record.style), *((task, "", kind) for kind in item.record.types)]


def _proverbs(count: int, each: int) -> list[AssemblyItem]:
    """So many stories, each with as many items of one task."""
    return [piece(number, f"s{number // each}", str(number)) for number in range(count * each)]


@pytest.mark.parametrize(
    ("stories", "each", "share", "in_dev"),
    [
        (25, 10, Fraction(3, 5), {6}),  # as ePiC splits seen proverbs: six and four narratives of each
        (9, 3, Fraction(1, 2), {1, 2}),
        (6, 2, Fraction(1, 10), {1}),
    ],
)
def test_seen_stories_have_their_share_in_each_split(
    stories: int, each: int, share: Fraction, in_dev: set[int]
) -> None:
    placed = assemble(_proverbs(stories, each), rule=SEEN, share=share, seed="7")
    dev = Counter(one.item.story for one in placed if one.split == DEV)
    assert set(dev.values()) == in_dev
    assert len(dev) == stories
    if share > Fraction(1, 2 * each):
        assert sum(dev.values()) == max(round(share * stories * each), stories)
    again = assemble(_proverbs(stories, each), rule=SEEN, share=share, seed="8")
    assert {one.item.handle for one in placed if one.split == DEV} != {
        one.item.handle for one in again if one.split == DEV
    }


def test_a_seen_split_stays_where_it_was_when_it_is_extended() -> None:
    made = _proverbs(5, 10)
    first = assemble(made[::2], rule=SEEN, share=Fraction(3, 5), seed="7")
    unchanged = {one.item.handle: released(one) for one in first}
    whole = assemble(made, rule=SEEN, share=Fraction(3, 5), seed="7", unchanged=unchanged)
    assert all(one.split == unchanged[one.item.handle].split for one in whole if one.item.handle in unchanged)
    dev = Counter(one.item.story for one in whole if one.split == DEV)
    assert set(dev.values()) == {6}
