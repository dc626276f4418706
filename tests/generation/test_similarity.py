"""Simple and honest measures of likeness."""

from __future__ import annotations

import pytest

from generation.similarity import Finding, flags, folds, length_flag, overlap
from parable.quality.item.form import is_foreign

STORY_ZH = "一头驴驮着盐过河，不小心滑倒了，盐在水里化了，驴站起来觉得轻松多了，高兴极了。"
STORY_EN = "A donkey carried salt over a river. It slipped, the salt melted, and the load was light."
MORAL_ZH = "一个办法管用过一回，不等于回回管用。"
MORAL_EN = "What worked once will not work every time."


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        ("吃过亏的人，最懂得谨慎。", "吃过亏的人最懂得谨慎", 1.0, 1.0),
        ("ＡＢＣ def", "abc DEF", 1.0, 1.0),
        ("吃过亏的人，最懂得谨慎。", "吃过亏的人才懂得谨慎。", 0.6, 0.99),
        ("吃过亏的人，最懂得谨慎。", "再聪明的牲口也斗不过主人。", 0.0, 0.2),
        ("Pride comes before a fall.", "Pride comes before the fall.", 0.8, 0.99),
        ("Pride comes before a fall.", "Work hard and wait.", 0.0, 0.35),
        ("", "abc", 0.0, 0.0),
        ("……", "。。", 0.0, 0.0),
        ("a", "a", 1.0, 1.0),
    ],
)
def test_it_measures_overlap_of_wording(one: str, other: str, low: float, high: float) -> None:
    assert low <= overlap(one, other) <= high
    assert overlap(one, other) == overlap(other, one)


@pytest.mark.parametrize(
    ("text", "language", "foreign"),
    [
        ("Slow and steady wins", "zh", True),
        ("慢而稳者胜", "zh", False),
        ("GPT 说：慢慢来，比较快", "zh", False),
        ("慢而稳者胜", "en", True),
        ("Slow and steady wins", "en", False),
        ("12345", "en", False),
        ("慢而稳者胜", "ja", False),
        ("Kto nie ma szczęścia", "pl", False),
    ],
)
def test_it_sees_the_wrong_script(text: str, language: str, foreign: bool) -> None:
    assert is_foreign(text, language) is foreign


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("一个办法管用过一回，不等于次次管用。", ["close_to_moral"]),
        ("吃过亏的人，以后做事总会更小心一些。", []),
        ("小心。", ["shorter"]),
        ("吃过亏的人，以后做事总会比没有吃过亏的人更小心谨慎一些，所以吃亏未必是坏事。", ["longer"]),
        ("不小心滑倒了，盐在水里化了，驴", ["copied"]),
        ("Once bitten, twice shy", ["foreign"]),
    ],
)
def test_it_flags_what_a_person_should_look_at(text: str, codes: list[str]) -> None:
    found = flags(text, moral=MORAL_ZH, story=STORY_ZH, language="zh")
    assert [flag.code for flag in found] == codes


def test_it_says_by_how_many_characters_a_proposal_is_longer() -> None:
    found = flags("x" * 20, moral="y" * 10, story="", language="en")
    assert Finding("longer", 10) in found


def test_it_does_without_a_moral() -> None:
    assert flags("Anything goes here.", moral="", story=STORY_EN, language="en") == []


@pytest.mark.parametrize(
    ("texts", "folded"),
    [
        (
            ["Pride comes before a fall.", "Work hard and wait.", "pride comes before a fall"],
            {2: (0, "equal")},
        ),
        (["Pride comes before a fall.", "Pride comes before the fall!"], {1: (0, "near")}),
        (
            ["Work hard and wait.", "Work hard and wait", "work HARD and wait…"],
            {1: (0, "equal"), 2: (0, "equal")},
        ),
        (
            ["吃过亏的人，最懂得谨慎。", "吃过亏的人最懂得谨慎", "吃过亏的人才懂得谨慎。"],
            {1: (0, "equal"), 2: (0, "near")},
        ),
        (["做买卖要懂得随机应变。", "再聪明的牲口也斗不过主人。", "走过一次险路，往后处处当心。"], {}),
        (["Do not trust flatterers.", "A friend in need is a friend indeed.", "Haste makes waste."], {}),
        (["慢而稳者胜", "稳而慢者胜"], {}),
        (["", "", "…"], {1: (0, "equal"), 2: (0, "equal")}),
        ([], {}),
    ],
)
def test_it_folds_what_reads_alike_onto_the_oldest(
    texts: list[str], folded: dict[int, tuple[int, str]]
) -> None:
    found = folds(list(enumerate(texts)))
    assert {number: (one.head, one.code) for number, one in found.items()} == folded


def test_it_folds_onto_an_equal_text_rather_than_a_near_one_and_says_how_alike() -> None:
    texts = [
        (1, "Pride comes before a fall."),
        (2, "Vanity goes ahead of falls."),
        (3, "vanity goes ahead of falls"),
    ]
    assert folds(texts)[3].head == 2
    assert folds(texts)[3].share == 1.0
    near = folds([(1, "Pride comes before a fall."), (2, "Pride comes before the fall!")])[2]
    assert near.share == pytest.approx(overlap("Pride comes before a fall.", "Pride comes before the fall!"))


def test_it_never_folds_onto_what_is_folded_itself() -> None:
    texts = ["abcdefghij", "abcdefghXY", "abcdefZWXY", "abcdQRZWXY"]
    found = folds(list(enumerate(texts)))
    assert not {one.head for one in found.values()} & set(found)


@pytest.mark.parametrize(
    ("text", "key", "flag"),
    [
        ("一二三四五六七八九十", "一二三四五六", Finding("longer", 4)),
        ("一二三", "一二三四五六", Finding("shorter", 3)),
        ("一二三四五六七", "一二三四五六", None),
        ("Slow and steady wins the race, they say", "Slow and steady wins", Finding("longer", 19)),
        ("Wait", "Slow and steady wins", Finding("shorter", 16)),
        ("Anything", "", None),
    ],
)
def test_it_compares_lengths_with_the_key(text: str, key: str, flag: Finding | None) -> None:
    assert length_flag(text, key) == flag


@pytest.mark.parametrize(
    ("text", "moral", "close"),
    [
        ("慢慢来但坚持到底的人会赢。", "慢慢来而坚持到底的人能赢。", True),
        ("做人不能骄傲自满。", "骄傲使人落后。", False),
        ("Slow and steady always wins the race.", "Slow and steady wins the race.", True),
        ("Never laugh at your rivals.", "Slow and steady wins the race.", False),
    ],
)
def test_it_marks_what_may_be_a_second_right_answer(text: str, moral: str, close: bool) -> None:
    found = flags(text, moral=moral, story="", language="zh" if "的" in text or "人" in text else "en")
    assert ("close_to_moral" in {flag.code for flag in found}) is close
