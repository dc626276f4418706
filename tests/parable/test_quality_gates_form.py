"""Keys that their form gives away: what an option looks like, which rules are tried, and when they speak."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from math import comb

import pytest

from parable.formats.records import ItemRecord
from parable.quality.gates import ERROR, GATES, OK, WARNING, ItemSet
from parable.quality.gates.decision_rule import MOST_TOLD, WORST, Measured, Trial, count_tests, decide
from parable.quality.gates.marks import _of_chars as of_chars
from parable.quality.gates.marks import _of_text as of_text
from parable.quality.gates.marks import marks
from parable.quality.gates.numbers import numbers_of, ranks
from parable.quality.gates.option_format import OptionFormat
from parable.quality.gates.picks import FEWEST, Tally, exact_p, extremes, trials, try_features
from parable.quality.gates.surface_cues import WEIGHT, SurfaceCues
from parable.sentences import translate
from tests.parable.planted import clean


def of(*options: str, answer: int = 0, number: int = 0) -> ItemRecord:
    return ItemRecord(f"i-{number}", "commonsense", f"s-{number}", "", "", "Why?", options, answer)


@pytest.mark.parametrize(
    ("option", "features"),
    [
        ("cat", {"script latin"}),
        ("Cat", {"script latin", "capital"}),
        ("cat.", {"script latin", "end_stop", "sign .", "half_width"}),
        ("山。", {"script cjk", "end_stop", "sign 。", "full_width"}),
        ("a cat, I", {"script latin", "sign ,", "half_width"}),  # a single capital is no word in capitals
        ("the USA", {"script latin", "capitals"}),
        ("山，水", {"script cjk", "sign ，", "full_width"}),
        ("cat ", {"script latin", "stray_space"}),
        ("a  cat", {"script latin", "stray_space"}),
        ("a\u200bcat", {"script latin", "stray_space", "sign \u200b"}),
        ("山 水", {"script cjk", "stray_space"}),
        ("山 cat", {"script cjk", "script latin"}),
        ("7", {"digits"}),
        ("７", {"digits", "full_width"}),
        ("x²", {"script latin", "sign ²"}),
        ("né", {"script latin", "accents"}),
        ("\u0430", {"script cyrillic"}),
        ("ｃ", {"script latin", "full_width"}),
        ("国", {"script cjk", "simplified"}),
        ("國", {"script cjk", "traditional"}),
    ],
)
def test_it_reads_the_features_of_an_option(option: str, features: set[str]) -> None:
    assert marks([option, "other"])[0] == features


def test_it_looks_at_options_without_their_letters() -> None:
    assert marks(["A. cat", "B. dog"]) == [{"script latin"}] * 2
    assert "sign ." in marks(["A. Milne wrote it", "nobody did"])[0]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("12 sheep", (12.0,)),
        ("1,200 to 1.5", (1200.0, 1.5)),
        ("-3", (-3.0,)),
        ("\u22123", (-3.0,)),
        ("十二只", (12.0,)),
        ("三百零五", (305.0,)),
        ("两万", (20_000.0,)),
        ("一九八四", (1984.0,)),
        ("twelve sheep", (12.0,)),
        ("one of 3", (3.0,)),  # digits before words
        ("no number", ()),
        ("1234567890123456", ()),
    ],
)
def test_it_reads_numbers_in_digits_and_words(text: str, numbers: tuple[float, ...]) -> None:
    assert numbers_of(text) == numbers


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("1", "2", "3"), ["smallest_number", "middle_number", "largest_number"]),
        (("3", "1", "2", "9"), ["middle_number", "smallest_number", "middle_number", "largest_number"]),
        (("1", "2", "many"), ["", "", ""]),
        (("1", "1", "1", "2"), ["", "", "", ""]),  # too many are equal to speak of an order
        (("1", "1", "2", "3"), ["smallest_number", "smallest_number", "middle_number", "largest_number"]),
    ],
)
def test_it_ranks_the_numbers_of_an_item(options: tuple[str, ...], found: list[str]) -> None:
    assert ["".join(one - {"out_of_order"}) for one in ranks(options)] == found


@pytest.mark.parametrize(
    ("options", "places"),
    [
        (("1", "2", "3", "4"), []),
        (("1", "9", "3", "4"), [1]),
        (("9", "8", "7", "8.5"), [3]),
        (("1", "3", "2", "4"), [1, 2]),  # either of the two may have been moved
        (("1", "3", "2"), []),  # two are always in order
        (("4", "1", "3", "2"), [1]),
        (("3", "1", "4", "2"), []),
    ],
)
def test_it_finds_the_number_that_breaks_an_order(options: tuple[str, ...], places: list[int]) -> None:
    assert [index for index, one in enumerate(ranks(options)) if "out_of_order" in one] == places


def test_it_counts_a_rule_over_all_items_and_names_the_hits() -> None:
    items = [of("a", "b", "c", "d", number=number) for number in range(10)]
    tally = Tally()
    tally.add(0, 4, 1, is_right=True)
    tally.add(1, 4, 2, is_right=True)
    tally.add(2, 4, 1, is_right=False)
    tally.add(3, 4, 0, is_right=False)  # chooses none, and says nothing
    tally.add(4, 4, 4, is_right=True)  # chooses all
    found = tally.trial("rule", items, sum(1 / len(item.choices) for item in items))
    assert found.accuracy == pytest.approx((1 + 0.5 + 0 + 7 * 0.25) / 10)
    assert (found.differ, found.hits, found.worst) == (3, 2, ("i-0", "i-1"))
    assert found.spread == pytest.approx((2 * (1 / 4 - 1 / 16) + 1 / 8 - 1 / 16) ** 0.5 / 10)


@pytest.mark.parametrize(
    ("cells", "right"),
    [
        ({(4, 1): 6}, {(4, 1): 4}),
        ({(4, 2): 5}, {(4, 2): 5}),
        ({(4, 1): 3, (4, 2): 2, (3, 1): 1}, {(4, 1): 2, (4, 2): 1}),
        ({(10, 3): 3, (5, 2): 2}, {(10, 3): 2, (5, 2): 1}),
    ],
)
def test_its_probability_is_that_of_all_outcomes_counted_out(
    cells: dict[tuple[int, int], int], right: dict[tuple[int, int], int]
) -> None:
    seen = sum(count / chosen for (_, chosen), count in right.items())
    expected = 0.0
    for hits in product(*(range(count + 1) for count in cells.values())):
        chance = 1.0
        for hit, ((options, chosen), count) in zip(hits, cells.items(), strict=True):
            share = chosen / options
            chance *= comb(count, hit) * share**hit * (1 - share) ** (count - hit)
        if sum(hit / chosen for hit, (_, chosen) in zip(hits, cells, strict=True)) >= seen - 1e-9:
            expected += chance
    assert exact_p(cells, right) == pytest.approx(expected, rel=1e-6)


def test_it_takes_values_for_equal_that_differ_in_the_tenth_digit() -> None:
    assert extremes([0.1 + 0.2, 0.3, 0.1]) == ([0, 1], [2])
    assert extremes([0.30000001, 0.3]) == ([0], [1])


def test_it_tries_a_rule_only_where_items_enough_differ() -> None:
    items = [of("a.", "b", "c", "d", number=number) for number in range(FEWEST)]
    both = ["end_stop", "half_width", "no end_stop", "no half_width", "no sign .", "sign ."]
    for many, rules in ((FEWEST, both), (FEWEST - 1, [])):
        found = try_features(items[:many], (marks(item.choices) for item in items[:many]))
        assert [trial.rule for trial in trials(items[:many], found)] == rules


def spoiled(many: int, spoil: str, *, language: str = "en") -> ItemSet:
    """A clean set of 200 items with so many keys written with something added."""
    items = clean(200, 3, chinese=language == "zh")
    return ItemSet(
        tuple(
            replace(
                item,
                choices=tuple(
                    f"{choice}{spoil}" if index == item.answer else choice
                    for index, choice in enumerate(item.choices)
                ),
            )
            if number < many
            else item
            for number, item in enumerate(items)
        ),
        is_foreign=True,
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("many", "verdict"), [(5, OK), (8, WARNING), (40, ERROR)])
def test_it_speaks_of_keys_that_look_different(many: int, verdict: str, language: str) -> None:
    found = SurfaceCues().judge(spoiled(many, " ", language=language))
    assert [one.verdict for one in found if one.task == "commonsense"] == [verdict]


def test_it_names_the_rule_in_both_languages() -> None:
    gate = SurfaceCues()
    found = next(one for one in gate.judge(spoiled(40, " ")) if one.verdict == ERROR)
    english = gate.rules_found(found.detail, str)
    chinese = gate.rules_found(found.detail, lambda words: translate(words, "zh"))
    assert english == [
        "with extra white space or invisible characters (right in 40 of 40 items that differ in it)"
    ]
    assert chinese == ["带有：多余空白或不可见字符（在选项于此有别的 40 题中答对 40 题）"]
    assert set(found.items) == {f"i-{number}" for number in range(40)}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("no sign \uff0c", "without the sign \uff0c (U+FF0C)"),
        ("sign \u200b", "with the sign U+200B"),
        ("script cyrillic", "with letters of the script CYRILLIC"),
        ("middle_number", "with a number in the middle"),
    ],
)
def test_it_says_what_a_rule_chooses(rule: str, words: str) -> None:
    assert SurfaceCues().rule_words(rule, str) == words


def test_all_features_together_are_half_a_test() -> None:
    measured = next(one for one in SurfaceCues().measure(spoiled(30, " ")) if one.task == "commonsense")
    assert sum(trial.weight for trial in measured.trials) == pytest.approx(WEIGHT) == 0.5


def trial(p: float, weight: float = 1.0, low: float = 0.2) -> Trial:
    return Trial("longest", 0.3, low, 0.4, 0.25, 0.25, 0.03, own_p=p, weight=weight)


@pytest.mark.parametrize(
    ("weights", "tests"),
    [((1.0, 1.0), 2), ((0.5,), 1), ((0.5, 0.5, 0.25), 2), ((3.0, 1.0), 4), ((0.1,) * 10, 1)],
)
def test_it_counts_tests_by_their_weights(weights: tuple[float, ...], tests: int) -> None:
    measured = Measured("tells", "moral", 200, tuple(trial(0.5, weight) for weight in weights))
    assert count_tests([measured]) == tests


@pytest.mark.parametrize(
    ("p", "weight", "tests", "verdict"),
    [
        (0.00039, 1.0, 5, WARNING),
        (0.00041, 1.0, 5, OK),
        (0.00019, 0.5, 5, WARNING),
        (0.00021, 0.5, 5, OK),
        (0.00119, 3.0, 5, WARNING),
        (0.00121, 3.0, 5, OK),
    ],
)
def test_each_rule_has_its_part_of_the_level(p: float, weight: float, tests: int, verdict: str) -> None:
    measured = Measured("tells", "moral", 200, (trial(p, weight),))
    assert decide(measured, tests).verdict == verdict


def test_it_tells_of_the_least_probable_rules_and_shares_the_offenders_between_them() -> None:
    speaking = tuple(
        replace(
            trial(1e-9 * (1 + index)), rule=f"r{index}", worst=tuple(f"{index}-{n}" for n in range(WORST))
        )
        for index in range(MOST_TOLD + 1)
    )
    found = decide(Measured("tells", "moral", 200, speaking[::-1]), 1)
    assert [one["rule"] for one in found.detail["spoken"]] == [f"r{index}" for index in range(MOST_TOLD)]
    assert found.items[: MOST_TOLD + 1] == tuple(f"{index}-0" for index in range(MOST_TOLD + 1))
    assert len(found.items) == WORST


@pytest.mark.parametrize(
    ("options", "is_odd"),
    [
        (("A、B", "B、C", "C、D", "A、D"), False),  # what they say is letters
        (("一 二", "二 三", "三 四", "四 一"), False),  # white space parts what all of them list
        (("一 二", "二三", "三四", "四一"), True),
        (("一 二", "二 三", "三 四", "四 一 "), True),
        (("a  b", "b  c", "c  d", "d  a"), True),
    ],
)
def test_items_whose_options_are_all_lists_are_not_odd(options: tuple[str, ...], *, is_odd: bool) -> None:
    found = OptionFormat().judge(ItemSet((of(*options),)))
    assert [one.verdict == WARNING for one in found] == [is_odd]


@pytest.mark.parametrize(("kept", "verdict"), [(True, ERROR), (False, OK)])
def test_the_classifier_sees_options_as_they_were_typed(kept: bool, verdict: str) -> None:
    """White space and width, which readers take away, are what a model sees."""
    items = tuple(clean(120, 4, chinese=True))
    typed = {
        (item.task, item.id): tuple(
            f"{choice} " if index == item.answer else choice for index, choice in enumerate(item.choices)
        )
        for item in items
    }
    found = GATES["options_only"].judge(ItemSet(items, as_typed=typed if kept else {}))
    assert [one.verdict for one in found if one.task == "commonsense"] == [verdict]


@pytest.mark.parametrize("seed", range(20))
def test_options_of_chinese_characters_alone_have_the_marks_that_any_options_have(seed: int) -> None:
    """Most of them are looked at together, without a look at each character."""
    draw = random.Random(seed)  # noqa: S311 - a test
    common = "乌鸦烏鴉喝水国國零一两十百甲乙丙丁㐀鿕"
    for _time in range(50):
        options = ["".join(draw.choices(common, k=draw.randint(0, 4))) for _option in range(4)]
        numbered = ranks(options)
        alone = [[of_chars(text), of_text(text)] for text in options]
        assert marks(options) == [
            frozenset[str]().union(*own, more) for own, more in zip(alone, numbered, strict=True)
        ]
