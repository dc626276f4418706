"""Options that are like each other or like the story, and splits that share what is nearly the same."""

from __future__ import annotations

import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, pairwise
from math import log
from operator import add
from random import Random

import numpy as np
import pytest

from parable.formats.records import ItemRecord
from parable.quality import resemblance
from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING, GateResult, ItemSet
from parable.quality.gates.base import name_of
from parable.quality.gates.convergence import Convergence
from parable.quality.gates.decision_rule import Measured
from parable.quality.gates.likeness import likeness
from parable.quality.gates.picks import Tally, extremes, try_extremes
from parable.quality.gates.sample import drawn_from, sample, sample_set, say_sampled
from parable.quality.gates.split_likeness import (
    ALIKE,
    LEAST_SHINGLES,
    MANY_STORIES,
    resembling_items,
    resembling_stories,
    usual_stems,
)
from parable.quality.gates.story_overlap import StoryOverlap, overlaps
from parable.quality.item import words
from parable.quality.resemblance import near_pairs, share, shingles
from tests.parable.artefacts import ARTEFACTS, plant
from tests.parable.planted import clean

CLEAN = clean(200, 5)


def item(number: int, split: str = "dev", **changes: object) -> ItemRecord:
    words: dict[str, object] = {
        "id": f"i-{number}",
        "task": "commonsense",
        "story_id": f"s-{number}",
        "title": "",
        "story": "",
        "question": f"Why {number}?",
        "choices": tuple(f"{letter}{number}" for letter in "abcd"),
        "answer": 0,
        "split": split,
    }
    return ItemRecord(**(words | changes))  # type: ignore[arg-type]  # a test's shorthand


def of_task(results: list[GateResult]) -> GateResult:
    return next(one for one in results if one.task in {None, "commonsense"})


def test_it_measures_what_options_have_in_common() -> None:
    options = ("red old fox", "red old cat", "red new fox", "big dog")
    found = likeness([options])
    assert found.words.tolist() == [4, 3, 3, 0]
    assert found.share.tolist() == pytest.approx([1.0, 0.7, 0.7, 0.0])
    assert found.pairs.argmax() == 0
    assert found.pairs.argmin() == 3


def test_a_wording_that_one_split_repeats_is_in_no_other() -> None:
    again = item(3, "test", question="Why 2?", choices=("d2", "c2", "b2", "a2"))
    items = ItemSet((item(1), item(2, "test"), again))
    assert of_task(GATES["split_leak"].judge(items)).verdict == OK
    known = replace(items, items=(*items.items, replace(again, id="i-4", split="dev")))
    assert of_task(GATES["split_leak"].judge(known)).items == ("i-2", "i-3")


def test_letters_of_many_texts_are_those_of_each() -> None:
    """What folds alone is looked up, and what joins its neighbours or becomes several characters is not."""
    draw = Random(4)  # noqa: S311 - nothing secret
    chars = [chr(point) for point in range(sys.maxunicode + 1)]
    folding = [char for char in chars if not char.isascii() and resemblance.letters(char) != char]
    folding = draw.sample(folding, 20_000) + [char for char in folding if char.isalnum()]
    joining = [char for char in chars if unicodedata.combining(char)] + [
        *"\u1100\u1161\u11a8\uac00ｶﾞﾟﾡￂaO가の狐"
    ]
    texts = [*folding, "", "狐狸？", "ﬁne…", "e\u0301é", "\ud800", "\u1100\u1161\u11a8", "\uac00\u11a8", "ﾡￂ"]
    texts += ["".join(draw.choices((*joining, *draw.sample(folding, 3)), k=4)) for _text in range(20_000)]
    points, owners = resemblance._letters_of(texts)
    found = [""] * len(texts)
    for point, owner in zip(points.tolist(), owners.tolist(), strict=True):
        found[owner] += chr(point)
    assert found == [*map(resemblance.letters, texts)]
    parts = [unicodedata.decomposition(char).split() for char in chars]
    seconds = {chr(int(part[1], 16)) for part in parts if len(part) == 2 and part[0][0] != "<"}
    assert {resemblance._letter(char) for char in seconds} == {resemblance._APART}


def test_a_pair_of_characters_weighs_the_less_the_more_options_have_it() -> None:
    found = likeness([("ababx", "abc"), ("ab",)])  # "ab" is in three options, all others in one
    shared, own = log(1 + 3 / 3), log(1 + 3 / 1)
    heavy = (2 * shared + 2 * own, shared + own)
    assert found.pairs.tolist() == pytest.approx([2 * shared / sum(heavy)] * 2 + [0.0])


def plainly(items: Sequence[Sequence[str]]) -> list[tuple[float, ...]]:
    """What each option has in common with the others of its item, worked out option by option."""
    paired = [[Counter(pairwise(words.fold(option))) for option in own] for own in items]
    having = Counter(pair for own in paired for one in own for pair in one)
    weights = {pair: log(1 + sum(map(len, items)) / times) for pair, times in having.items()}
    found = []
    for own, pairs in zip(items, paired, strict=True):
        terms = [frozenset(words.units(option)) for option in own]
        heavy = [_added(weights[pair] * times for pair, times in one.items()) for one in pairs]
        sums = [[0.0] * len(own) for _measure in range(3)]
        for first, second in combinations(range(len(own)), 2):
            both, either = terms[first] & terms[second], terms[first] | terms[second]
            shared = _added(
                weights[pair] * min(times, pairs[second][pair])
                for pair, times in pairs[first].items()
                if pair in pairs[second]
            )
            weight = heavy[first] + heavy[second]
            common = (
                len(both),
                len(both) / len(either) if either else 0.0,
                2 * shared / weight if weight else 0.0,
            )
            for one in (first, second):
                for measure, value in enumerate(common):
                    sums[measure][one] += value
        found += [*zip(*sums, strict=True)]
    return found


def _added(values: Iterable[float]) -> float:
    """Add one value after the other: since Python 3.12 `sum` makes up for what floats lose."""
    return reduce(add, values, 0.0)


@pytest.mark.parametrize("chinese", [False, True])
def test_what_options_have_in_common_is_the_same_by_arrays_as_option_by_option(*, chinese: bool) -> None:
    """The same floats, in chunks of items too; with a digit more or less another option might be chosen."""
    items = [item.choices for item in clean(60, 5, chinese=chinese)]
    items += [("", "a\x00b", "ａＢ ab", "ab"), ("abab", "ba", "aba", "b", "①②", "12 cats"), ("x", "x")]
    found = likeness(items, at_once=7)
    assert [*zip(*(values.tolist() for values in found), strict=True)] == plainly(items)


@pytest.mark.parametrize(
    "values", [[0.3, 0.1 + 0.2, 0.1], [0.30000001, 0.3, 0.3], [1.0, 1.0, 1.0], [2e-9, 0, 1e-9]]
)
@pytest.mark.parametrize("key", [0, 1, 2])
def test_extremes_of_all_items_are_those_of_each(values: list[float], key: int) -> None:
    many = try_extremes(np.array([0.5, 0.1, *values]), np.array([2, 3]), np.array([0, key]))
    for tally, ends in zip(many, zip(extremes([0.5, 0.1]), extremes(values), strict=True), strict=True):
        one = Tally()
        for index, (size, own, chosen) in enumerate(zip((2, 3), (0, key), ends, strict=True)):
            one.add(index, size, len(chosen), is_right=own in chosen)
        assert (tally.cells, tally.right, tally._hits) == (one.cells, one.right, one._hits)


@pytest.mark.parametrize(
    ("story", "options", "by_words", "by_pairs"),
    [
        ("the old fox ran", ("the fox ran", "an old cat", "dogs"), [1.0, 1 / 3, 0.0], [0.5, 0.0, 0.0]),
        ("老狐狸跑了", ("狐狸跑", "老猫", ""), [1.0, 0.5, 0.0], [1.0, 0.0, 0.0]),
    ],
)
def test_it_measures_how_much_of_an_option_is_in_the_story(
    story: str, options: tuple[str, ...], by_words: list[float], by_pairs: list[float]
) -> None:
    item = replace(clean(1, 1)[0], story=story, choices=options)
    words, pairs = overlaps([item])
    assert words == pytest.approx(by_words)
    assert pairs == pytest.approx(by_pairs)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("the common core", "most_words"),
        ("the odd one", "least_words"),
        ("words of the story", "most_by_pairs"),
        ("no words of the story", "least_by_pairs"),
    ],
)
@pytest.mark.parametrize("chinese", [False, True])
def test_it_finds_a_key_that_is_like_the_others_or_like_the_story(
    name: str, rule: str, *, chinese: bool
) -> None:
    gate = GATES[ARTEFACTS[name].gate]
    items = clean(200, 5, chinese=chinese)
    assert of_task(gate.judge(ItemSet(tuple(items)))).verdict == OK
    found = of_task(gate.judge(ItemSet(tuple(plant(replace(ARTEFACTS[name], share=0.4), items, 5)))))
    assert found.verdict == ERROR
    assert rule in {one["rule"] for one in found.detail["spoken"]}
    assert found.items


def test_it_does_not_apply_where_there_is_no_story() -> None:
    bare = [replace(one, story="") for one in CLEAN]
    assert of_task(StoryOverlap().judge(ItemSet(tuple(bare)))).verdict == NOT_APPLICABLE


def test_each_gate_of_likeness_is_one_test() -> None:
    for gate in (Convergence(), StoryOverlap()):
        measured = next(one for one in gate.measure(ItemSet(tuple(CLEAN))) if one.task == "commonsense")
        assert sum(trial.weight for trial in measured.trials) == pytest.approx(1)


def changed(text: str, units: int, draw: Random) -> str:
    """The text with so many of its words replaced."""
    words = text.split()
    for place in draw.sample(range(len(words)), units):
        words[place] = f"xq{place}"
    return " ".join(words)


@pytest.mark.parametrize(("units", "is_near"), [(1, True), (4, True), (24, False), (40, False)])
def test_a_story_of_dev_nearly_again_is_a_leak(units: int, is_near: bool) -> None:
    story = CLEAN[0].story
    assert len(story.split()) == 60
    dev, test = item(1, story=story), item(2, "test", story=changed(story, units, Random(3)))  # noqa: S311 - nothing secret
    assert bool(resembling_stories([dev], [test])) == is_near
    verdict = of_task(GATES["split_leak"].judge(ItemSet((dev, test)))).verdict
    assert verdict == (WARNING if is_near else OK)


def test_groups_that_somebody_has_searched_are_taken_at_their_word() -> None:
    story = CLEAN[0].story
    pair = item(1, story=story), item(2, "test", story=changed(story, 1, Random(3)))  # noqa: S311 - nothing secret
    assert of_task(GATES["split_leak"].judge(ItemSet(pair, suspected={}))).verdict == OK
    found = of_task(GATES["split_leak"].judge(ItemSet(pair, suspected={"s-1": "g", "s-2": "g"})))
    assert (found.verdict, found.items) == (WARNING, ("i-2",))


WHY = "Why did the old fox run so fast into the dark forest?"
OPTIONS = ("because the dog was behind him", "to find some food", "he was late for supper", "it rained")


@pytest.mark.parametrize(
    ("changes", "is_near"),
    [
        ({}, True),
        ({"question": WHY.replace("fast", "quickly")}, True),
        ({"choices": (*OPTIONS[:3], "it snowed")}, True),
        ({"question": f"{WHY} (2)"}, False),  # a number makes another item
        ({"choices": ("he saw three hens", "a wolf lived there", "his wife called", "nobody knows")}, False),
        ({"task": "moral", "choices": OPTIONS}, True),
    ],
)
def test_an_item_of_dev_nearly_again_is_a_leak(changes: dict[str, object], *, is_near: bool) -> None:
    dev = item(1, question=WHY, choices=OPTIONS)
    test = item(2, "test", **({"question": WHY, "choices": OPTIONS} | changes))
    assert bool(resembling_items([dev], [test], frozenset())) == is_near


def test_long_stems_that_are_alike_make_no_items_alike() -> None:
    stem = " ".join(f"word{chr(97 + number)}" for number in range(20))
    one = item(1, question=stem, choices=("some red fox", "an old hen", "the cat", "a dog"))
    other = item(2, "test", question=stem, choices=("green parrots", "eight swans", "two mice", "bulls"))
    assert not resembling_items([one], [other], frozenset())


def test_texts_that_say_little_are_alike_by_accident() -> None:
    for letters in (LEAST_SHINGLES + 3, LEAST_SHINGLES + 4):  # pieces of five letters
        text = "abcdefghijklmnopqrstuvwxyz"[:letters]
        assert len(shingles(text)) == letters - 4
        near = resembling_stories([item(1, story=f"{text}.")], [item(2, "test", story=f"{text}!")])
        assert bool(near) == (letters == LEAST_SHINGLES + 4)


@pytest.mark.parametrize(
    ("stem", "dev_stories", "test_stories", "is_usual"),
    [
        ("What happened?", 1, MANY_STORIES - 1, True),
        ("What happened?", 1, MANY_STORIES - 2, False),
        ("为什么狐狸跑进森林里去呢？", 1, MANY_STORIES - 1, True),  # twelve characters
        ("为什么老狐狸跑进森林里去呢？", 1, MANY_STORIES - 1, False),  # thirteen
        ("为什么老狐狸跑进森林里去呢？", 2, MANY_STORIES - 2, True),
        ("one two three four five six?", 1, MANY_STORIES - 1, True),
        ("one two three four five six seven?", 1, MANY_STORIES - 1, False),
    ],
)
def test_a_stem_that_many_stories_share_is_no_leak(
    stem: str, dev_stories: int, test_stories: int, *, is_usual: bool
) -> None:
    dev = [item(number, question=stem) for number in range(dev_stories)]
    test = [item(number + 50, "test", question=stem.upper()) for number in range(test_stories)]
    assert bool(usual_stems(dev, test)) == is_usual
    own = [
        replace(one, choices=tuple(f"{one.id} {choice}" for choice in one.choices)) for one in (*dev, *test)
    ]
    verdict = of_task(GATES["split_leak"].judge(ItemSet(tuple(own)))).verdict
    assert verdict == (OK if is_usual else WARNING)


def test_the_index_finds_the_pairs_that_comparing_all_with_all_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(8)  # noqa: S311 - nothing secret
    texts = [one.story for one in clean(240, 6)[::4]] + [
        one.story for one in clean(240, 6, chinese=True)[::4]
    ]
    texts += [changed(text, 3, draw) for text in texts[:60]]
    whole = {(first, second): alike for first, second, alike in near_pairs(texts, ALIKE)}
    monkeypatch.setattr("parable.quality.resemblance.MOST_WHOLLY", 0)
    indexed = {(first, second): alike for first, second, alike in near_pairs(texts, ALIKE)}
    assert len(whole) == 60
    assert indexed.items() <= whole.items()
    assert len(indexed) >= 57
    sides = [number >= 120 for number in range(len(texts))]
    assert {pair[:2] for pair in near_pairs(texts, ALIKE, sides)} == indexed.keys()
    assert not list(near_pairs(texts, ALIKE, [False] * len(texts)))


def test_of_more_pairs_than_it_can_compare_it_takes_those_that_agree_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = Random(9)  # noqa: S311 - nothing secret
    stories = [one.story for one in clean(96, 6)[::4]]
    texts = [
        *(changed(text, 4, draw) for text in stories),
        *stories[:4],
        *(changed(text, 1, draw) for text in stories[:4]),
    ]
    monkeypatch.setattr("parable.quality.resemblance.MOST_WHOLLY", 0)
    all_pairs = sorted(near_pairs(texts, ALIKE), key=lambda pair: -pair[2])
    assert {(first, second) for first, second, _alike in all_pairs[:4]} == {
        (24 + number, 28 + number) for number in range(4)
    }
    monkeypatch.setattr("parable.quality.resemblance.MOST_COMPARED", 4)
    assert sorted(near_pairs(texts, ALIKE)) == sorted(all_pairs[:4])
    monkeypatch.setattr("parable.quality.resemblance.MOST_SCREENED", 15)
    assert not list(near_pairs(texts, ALIKE))


def test_of_very_many_equal_texts_each_is_held_against_one_of_the_other_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = ["一只老狐狸在树林里慢慢地走来走去，看见了葡萄"] * 50
    sides = [number in {3, 30} for number in range(50)]
    monkeypatch.setattr("parable.quality.resemblance.MOST_WHOLLY", 0)
    across = {frozenset(pair[:2]) for pair in near_pairs(texts, ALIKE, sides)}
    assert across == {frozenset((3, other)) for other in range(50) if not sides[other]} | {frozenset((0, 30))}
    assert [pair[:2] for pair in near_pairs(texts, ALIKE)] == [(one, one + 1) for one in range(49)]


@pytest.mark.parametrize(
    ("text", "count"), [("abcdefg", 3), ("ab", 1), ("老狐狸跑了", 3), ("A b-C, D e!", 1)]
)
def test_it_cuts_a_text_into_pieces(text: str, count: int) -> None:
    assert len(shingles(text)) == count


def test_it_shares_all_of_nothing() -> None:
    assert share(set(), set()) == 1.0
    assert share({"a", "b"}, {"b", "c"}) == pytest.approx(1 / 3)


def test_of_very_many_items_it_looks_at_whole_stories_drawn_from_them() -> None:
    assert sample(CLEAN, 200) is CLEAN
    assert drawn_from(CLEAN, CLEAN) == {}
    drawn = sample(CLEAN, 199)
    assert len(drawn) == 196
    assert drawn_from(CLEAN, drawn) == {"sample_of": 200}
    assert [one.id for one in drawn] == [one.id for one in CLEAN if one in drawn]
    stories = {one.story_id for one in drawn}
    assert [one for one in CLEAN if one.story_id in stories] == list(drawn)
    assert sample(CLEAN, 199) == drawn


def test_a_sampled_set_holds_all_that_gates_which_sample_look_at() -> None:
    withheld = replace(CLEAN[0], id="w", task="moral", answer=None)
    typed = {name_of(one): tuple(f"A. {choice}" for choice in one.choices) for one in CLEAN}
    whole = ItemSet((*CLEAN, withheld), standard_stems=frozenset({"?"}), as_typed=typed)
    drawn = sample_set(whole, 199)
    assert drawn.items == (*sample(CLEAN, 199), withheld), "a task without keys is still one of the set"
    assert drawn.as_typed == {name_of(one): typed[name_of(one)] for one in sample(CLEAN, 199)}
    assert drawn.standard_stems == whole.standard_stems
    measured = [Measured("tells", "commonsense", 196, detail={"own": 1}), Measured("tells", "moral", 0)]
    said = say_sampled(measured, {"commonsense": len(CLEAN)}, drawn)
    assert [one.detail for one in said] == [{"own": 1, "sample_of": 200}, {}]
    assert sample_set(whole).items == whole.items
