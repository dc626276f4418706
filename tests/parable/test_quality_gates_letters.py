"""Letters of keys that can be foreseen, styles that one split lacks, and one explanation for many items."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from parable.formats.records import ItemRecord
from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING, GateResult, ItemSet
from parable.quality.gates.explanations import MANY, Explanations
from parable.quality.gates.key_sequence import BACK, CYCLES, LAST_PLACE, WEIGHTS, KeySequence, try_all
from parable.quality.gates.letter_tables import Keys, read_keys, table_p, upper_tail
from parable.quality.gates.style_coverage import LEAST, StyleCoverage, absent_by_chance
from tests.parable.artefacts import move_key
from tests.parable.planted import TYPES, Items, clean

CLEAN = clean(200, 5)


def lettered(letters: str, **changes: object) -> Items:
    """Clean items with these keys."""
    return [
        replace(move_key(item, "ABCD".index(letter)), **changes)  # type: ignore[arg-type]  # fields of the record
        for item, letter in zip(clean(len(letters), 5), letters, strict=True)
    ]


def judged(items: Items, **fields: object) -> GateResult:
    results = KeySequence().judge(ItemSet(tuple(items), **fields))  # type: ignore[arg-type]  # of the set
    return next(one for one in results if one.task == "commonsense")


def found_by(items: Items) -> set[str]:
    """The rules by which it warns in a run of eighteen tests."""
    return {trial.rule for trial in try_all(read_keys(items)) if trial.p * 18 / trial.weight < 0.002}


@pytest.mark.parametrize(
    ("letters", "rule"),
    [
        ("ABCD" * 40, "forward"),
        ("DCBA" * 40, "backward"),
        ("ABCD" * 40, "up"),
        ("DCBA" * 40, "down"),
        ("AABBCCDD" * 20, "same_8"),
        ("ABCBA" * 32, "cycle_5"),
        ("ACBD" * 40, "after"),
        ("AABBCCDD" * 20, "after_two"),
        (("A" * 10 + "B" * 10 + "C" * 10 + "D" * 10) * 4, "same_1"),
    ],
)
def test_it_foresees_letters_by_those_before_them(letters: str, rule: str) -> None:
    assert judged(lettered(letters)).verdict == ERROR
    assert rule in found_by(lettered(letters))


@pytest.mark.parametrize("length", CYCLES)
def test_it_finds_letters_that_come_again_after_up_to_eight(length: int) -> None:
    letters = ("ABDCACBD"[:length] * 100)[:160]
    assert {f"same_{length}", f"cycle_{length}"} <= found_by(lettered(letters))
    assert max(BACK) == max(CYCLES) == 8


def test_it_finds_nothing_in_letters_that_were_drawn() -> None:
    assert judged(CLEAN).verdict == OK
    assert judged(CLEAN[:99]).verdict == NOT_APPLICABLE
    assert judged(CLEAN[:100]).verdict == OK


def test_it_leaves_out_items_whose_options_have_an_order_of_their_own() -> None:
    items = lettered("ABCD" * 40)
    assert judged(items, in_order=frozenset(item.id for item in items)).verdict == NOT_APPLICABLE


@pytest.mark.parametrize(("many", "verdict"), [(0, OK), (40, OK), (60, ERROR)])
def test_it_foresees_letters_by_the_type_of_the_item(many: int, verdict: str) -> None:
    draw = Random(2)  # noqa: S311 - nothing secret
    items = [replace(item, types=(draw.choice(TYPES),)) for item in CLEAN]
    planted = [
        move_key(item, TYPES.index(item.types[0]) % 4) if number < many else item
        for number, item in enumerate(items)
    ]
    assert judged(planted).verdict == verdict
    if many == 60:
        assert "type" in found_by(planted)


def test_it_foresees_letters_by_style_and_by_place_in_the_story() -> None:
    styled = [
        move_key(replace(item, style="machine"), 2) if number % 3 == 0 else item
        for number, item in enumerate(CLEAN)
    ]
    assert "style" in found_by(styled)
    placed = [move_key(item, (2, 0, 3, 1)[number % 4]) for number, item in enumerate(CLEAN)]
    draw = Random(4)  # noqa: S311 - nothing secret
    stories = list(range(50))
    draw.shuffle(stories)
    apart = [placed[4 * story + index] for index in range(4) for story in stories]
    assert "place" in found_by(apart)
    forward = [move_key(item, number % 4) for number, item in enumerate(CLEAN)]
    assert "place_forward" in found_by(
        [forward[4 * story + index] for index in range(4) for story in stories]
    )


def test_places_from_the_eleventh_on_are_one() -> None:
    assert LAST_PLACE == 11
    keys = read_keys([replace(item, story_id="s", story="") for item in CLEAN[:20]])
    assert keys.stories.max() == 0


def test_the_rules_of_order_are_one_test_and_those_of_place_and_type_more() -> None:
    weights = {trial.rule: trial.weight for trial in try_all(read_keys(CLEAN))}
    assert {rule: weights[rule] for rule in WEIGHTS} == {"place": 3.0, "place_forward": 1.0, "type": 4.0}
    assert sum(weight for rule, weight in weights.items() if rule not in WEIGHTS) == pytest.approx(1)
    same = {f"same_{back}" for back in BACK} | {f"cycle_{length}" for length in CYCLES}
    assert weights.keys() == same | set(WEIGHTS) | {"up", "down", "after", "after_two", "forward", "backward"}


def test_one_letter_that_is_frequent_everywhere_is_no_finding_here() -> None:
    """Where letters are uneven they are expected at the shares they have."""
    draw = Random(9)  # noqa: S311 - nothing secret
    letters = "".join(draw.choices("ABCD", weights=[7, 1, 1, 1], k=200))
    assert judged(lettered(letters)).verdict == OK
    keys = read_keys(lettered(letters))
    assert keys.shares()[4, 0] == pytest.approx(letters.count("A") / 200)
    assert read_keys(CLEAN).shares()[4, :4].tolist() == [0.25] * 4


def keys_of(letters: list[int], options: str = "ab") -> Keys:
    items = tuple(
        ItemRecord(f"i-{number}", "commonsense", f"s-{number}", "", "", "?", tuple(options), letter)
        for number, letter in enumerate(letters)
    )
    return read_keys(items)


@pytest.mark.parametrize(("first", "is_uneven"), [(73, False), (74, True)])
def test_shares_are_taken_as_they_are_where_chance_makes_them_so_once_in_500(
    first: int, *, is_uneven: bool
) -> None:
    """Of 200 letters 14.8 is the chi-square with that chance, at three degrees of freedom."""
    others = [1 + number % 3 for number in range(200 - first)]
    assert (keys_of([0] * first + others, "abcd").shares()[4, 0] != 0.25) == is_uneven
    counts = [first, *(others.count(letter) for letter in (1, 2, 3))]
    assert (sum((count - 50) ** 2 / 50 for count in counts) > 14.796) == is_uneven


def test_the_chance_of_a_table_is_that_of_all_letters_counted_out() -> None:
    """Six items under each of two circumstances, two options: how frequent are the most frequent letters?"""
    circumstances = np.repeat([0, 1], 6)
    letters = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0]
    strengths = [
        max(sum(one[:6]), 6 - sum(one[:6])) + max(sum(one[6:]), 6 - sum(one[6:]))
        for one in product((0, 1), repeat=12)
    ]
    exact = sum(strength >= 9 for strength in strengths) / len(strengths)
    assert table_p(circumstances, keys_of(letters)) == pytest.approx(exact, abs=0.12)
    assert table_p(circumstances, keys_of([0] * 6 + [1] * 6)) < 0.01


def test_a_tail_by_three_moments_is_that_of_the_normal_where_there_is_no_skew() -> None:
    drawn = np.random.default_rng(1).normal(10, 2, 200_000)
    assert upper_tail(14.0, drawn) == pytest.approx(0.0228, rel=0.05)
    assert upper_tail(10.0, drawn) == pytest.approx(0.5, rel=0.05)
    assert upper_tail(1.0, np.ones(9)) == 1.0
    squares = np.random.default_rng(1).chisquare(5, 200_000)
    assert upper_tail(15.09, squares) == pytest.approx(0.01, rel=0.1)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("same_3", "the letter of the key 3 places before"),
        ("cycle_7", "the usual letter at that place of a cycle of 7"),
        ("after_two", "the letter that usually follows those of the last two keys"),
        ("place_forward", "the letters A, B, C, ... in turn within each story"),
    ],
)
def test_it_says_what_a_rule_foresees(rule: str, words: str) -> None:
    assert KeySequence().rule_words(rule, str) == words


def styled(machine: int, *, in_test: bool, stories: int = 50) -> Items:
    """Items of one story each, a fifth of them in dev; so many of one split are of machine style."""
    items = clean(stories, 5)
    dev = stories // 5
    return [
        replace(
            item,
            story_id=f"own-{number}",
            split="dev" if number < dev else "test",
            style="machine" if (number - (dev if in_test else 0)) in range(machine) else "human",
        )
        for number, item in enumerate(items)
    ]


@pytest.mark.parametrize(("in_test", "machine"), [(True, 25), (False, 5)])
def test_it_warns_of_a_style_that_one_split_lacks_beyond_chance(*, in_test: bool, machine: int) -> None:
    counts = [count for count in range(1, 40 if in_test else 10) if warns(count, in_test=in_test)]
    chances = [absent_by_chance(50, count, 10 if in_test else 40) for count in range(1, 40)]
    assert counts == [count for count in range(1, 40 if in_test else 10) if chances[count - 1] < LEAST]
    assert counts
    assert abs(counts[0] - machine) <= 3


def warns(machine: int, *, in_test: bool) -> bool:
    found = StyleCoverage().judge(ItemSet(tuple(styled(machine, in_test=in_test))))
    own = next(one for one in found if one.task == "commonsense")
    assert own.figure == (machine if own.verdict == WARNING else 0)
    return own.verdict == WARNING


def test_the_chance_that_a_split_lacks_a_style_is_hypergeometric() -> None:
    assert absent_by_chance(10, 2, 5) == pytest.approx(8 * 7 * 6 * 5 * 4 / (10 * 9 * 8 * 7 * 6))
    assert absent_by_chance(10, 6, 5) == 0.0
    assert absent_by_chance(10, 5, 5) == pytest.approx(1 / 252)
    assert LEAST == 0.0005


def test_it_needs_two_splits_and_two_styles() -> None:
    for items in (styled(0, in_test=True), styled(40, in_test=True)[10:]):
        found = StyleCoverage().judge(ItemSet(tuple(items)))
        assert {one.verdict for one in found} == {NOT_APPLICABLE}


def explained(*reasons: str, keys: str = "ABCDABCD") -> GateResult:
    items = [
        replace(move_key(item, 0), choices=(key, "w", "x", "y"), explanation=reason)
        for item, reason, key in zip(CLEAN, reasons, keys, strict=False)
    ]
    return next(one for one in Explanations().judge(ItemSet(tuple(items))) if one.task == "commonsense")


@pytest.mark.parametrize(
    ("reasons", "keys", "figure"),
    [
        (("So it is.",) * MANY, "ABC", MANY),
        (("So it is.",) * (MANY - 1), "AB", 0),
        (("So it is.", "SO  it is.", "Ｓo it is."), "ABC", 3),
        (("So it is.",) * MANY, "KKK", 0),  # one key may well have one reason
        (("Key: kat", "Key: kow", "Key: ken"), ("kat", "kow", "ken"), 3),
        (("kat", "kow", "ken"), ("kat", "kow", "ken"), 0),  # the key alone is said by another check
        (("First.", "Second.", "Third."), "ABC", 0),
    ],
)
def test_one_explanation_for_three_items_or_more_explains_none(
    reasons: tuple[str, ...], keys: str, figure: int
) -> None:
    found = explained(*reasons, keys=keys)
    assert (found.figure, found.verdict) == (figure, WARNING if figure else OK)
    assert len(found.items) == figure


def test_it_needs_explanations() -> None:
    assert explained("", "  ", "").verdict == NOT_APPLICABLE
    assert GATES["explanations"].parts
