"""Simple and honest measures of likeness."""

from __future__ import annotations

import pytest

from generation.similarity import Flag, copied_share, flags, is_foreign, likenesses, overlap

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


def test_it_finds_what_is_quoted_from_the_story() -> None:
    assert copied_share("盐在水里化了，驴站起来觉得轻松多了", STORY_ZH) == 1.0
    assert copied_share("The salt melted and the load was light", STORY_EN) == 1.0
    assert copied_share("做买卖要懂得随机应变", STORY_ZH) < 0.5
    assert copied_share("驴", STORY_ZH) == 0.0


@pytest.mark.parametrize(
    ("text", "language", "foreign"),
    [
        ("Slow and steady wins", "zh", True),
        ("慢而稳者胜", "zh", False),
        ("GPT 说：慢慢来，比较快", "zh", False),
        ("慢而稳者胜", "en", True),
        ("Slow and steady wins", "en", False),
        ("12345", "en", False),
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
    assert Flag("longer", 10) in found


def test_it_does_without_a_moral() -> None:
    assert flags("Anything goes here.", moral="", story=STORY_EN, language="en") == []


def test_it_folds_equal_and_near_proposals_onto_the_first() -> None:
    texts = [
        (11, "Pride comes before a fall."),
        (12, "Work hard and wait."),
        (13, "pride comes before a fall"),
        (14, "Pride comes before the fall!"),
        (15, "Work hard and wait"),
    ]
    assert likenesses(texts) == {13: Flag("equal", 11), 14: Flag("near", 11), 15: Flag("equal", 12)}
