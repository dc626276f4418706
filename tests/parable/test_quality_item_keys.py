"""Checks of the key and of the stem that reveals it: tables of good and bad items in both languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from parable.quality.item import OptionView, english
from tests.parable.quality_items import SOUND, change, findings, with_options

Texts = tuple[str, ...]

GOOD_KEYS = [0, 1, 2, 3]
TWO = {"zh": ("会游泳", "不会游泳"), "en": ("It can swim", "It cannot swim")}
THREE = {"zh": ("春天", "夏天", "秋天"), "en": ("spring", "summer", "autumn")}
MANY = {"zh": tuple("甲乙丙丁戊己庚辛"), "en": ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("key", GOOD_KEYS)
def test_it_wants_one_key_wherever_it_stands(language: str, key: int) -> None:
    item = with_options(SOUND[language], *(one.text for one in SOUND[language].options), key=key)
    assert findings("key_missing", item) == findings("key_doubled", item) == []


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("options", [TWO, THREE, MANY])
def test_it_wants_one_key_of_any_number_of_options(language: str, options: dict[str, Texts]) -> None:
    item = with_options(SOUND[language], *options[language], key=1)
    assert findings("key_missing", item) == findings("key_doubled", item) == []


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    "options",
    [
        TWO,
        THREE,
        MANY,
        {"zh": (), "en": ()},
        {"zh": ("只有一个",), "en": ("only one",)},
        {"zh": ("", ""), "en": ("", "")},
    ],
)
def test_it_says_that_no_key_is_marked(language: str, options: dict[str, Texts]) -> None:
    (found,) = findings("key_missing", with_options(SOUND[language], *options[language], key=None))
    assert (found.severity, found.place) == ("error", "key")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("keys", [{0, 1}, {0, 3}, {1, 2}, {2, 3}, {0, 1, 2}, {0, 1, 2, 3}])
def test_it_names_the_keys_that_are_too_many(language: str, keys: set[int]) -> None:
    sound = SOUND[language]
    doubled = tuple(OptionView(one.text, place in keys) for place, one in enumerate(sound.options))
    (found,) = findings("key_doubled", replace(sound, options=doubled))
    assert (found.severity, found.place) == ("error", "key")
    assert found.params == {"numbers": ", ".join(str(place + 1) for place in sorted(keys))}


SHORT_ZH = "回家"
SHORT_EN = "Go to home page"


@pytest.mark.parametrize(
    ("language", "options", "margin"),
    [
        # Chinese, good: equal, shorter, longer by little, longer by a small part, not alone, all short.
        ("zh", ("留到冬天再吃", "送给河里的鱼", "用来盖新房子", "拿去换一顶帽"), None),
        ("zh", ("冬天吃", "送给河里的鱼", "用来盖新房子", "拿去换一顶帽"), None),
        ("zh", ("留到寒冷的冬天再吃", "送给河里的鱼", "用来盖新房子", "拿去换一顶帽"), None),
        ("zh", ("善" * 30, "恶" * 25, "真" * 20, "美" * 20), None),
        ("zh", ("善" * 30, "恶" * 30, "真" * 5, "美" * 5), None),
        ("zh", ("五千克", "五克", "一克", "两克"), None),
        # Chinese, bad.
        ("zh", ("因为冬天很难找到吃的东西，要先存好", "好玩", "好看", "好闻"), 15),
        ("zh", ("善" * 10, "恶" * 6, "真" * 5, "美" * 4), 4),
        ("zh", ("善" * 25, "恶" * 20, "真" * 5, "美" * 4), 5),
        ("zh", ("善" * 40, "恶" * 30, "真" * 30, "美" * 30), 10),
        ("zh", ("  " + "善" * 12 + "\u200b  ", "恶" * 8, "真" * 5, "美" * 4), 4),
        ("zh", ("善" * 9, "恶"), 8),
        # English, good.
        ("en", ("To eat them in winter", "To give them to a fish", "To build a house", "For hats"), None),
        ("en", ("For food", "To give them to a fish", "To build a new house", "For hats"), None),
        ("en", ("Ten metres", "A metre", "A mile", "An inch"), None),
        ("en", ("x" * 60, "y" * 50, "z" * 40, "w" * 40), None),
        ("en", ("x" * 60, "y" * 60, "z" * 10, "w" * 10), None),
        ("en", ("x" * 19, "y" * 10, "z" * 9, "w" * 9), None),
        # English, bad.
        ("en", ("Because food is hard to find in winter", "For fun", "For hats", "For a fish"), 28),
        ("en", ("x" * 20, "y" * 10, "z" * 9, "w" * 9), 10),
        ("en", ("x" * 50, "y" * 40, "z" * 9, "w" * 9), 10),
        ("en", ("x" * 75, "y" * 60, "z" * 60, "w" * 60), 15),
        ("en", ("\tx" + "x" * 20 + "  ", "y" * 10, "z" * 9, "w" * 9), 11),
        ("en", ("It can swim across the river", "It cannot"), 19),
    ],
)
def test_it_finds_keys_that_stand_out_by_length(language: str, options: Texts, margin: int | None) -> None:
    found = findings("longest_key", with_options(SOUND[language], *options))
    assert [(one.severity, one.place, one.params["margin"]) for one in found] == (
        [] if margin is None else [("warning", "option-1", margin)]
    )


def test_it_says_by_how_much_the_key_is_longer() -> None:
    (found,) = findings("longest_key", with_options(SOUND["zh"], "短", "恶" * 5, "善" * 12, "中" * 3, key=2))
    assert found.place == "option-3"
    assert english(found) == "The key has 12 characters, the longest distractor 5: 7 more."


def test_it_measures_only_where_there_is_one_key_and_something_beside_it() -> None:
    for options, key in [(("善" * 30,), 0), (("善" * 30, ""), 0), (("善" * 30, "短"), None), (("", "短"), 0)]:
        assert findings("longest_key", with_options(SOUND["zh"], *options, key=key)) == []


@pytest.mark.parametrize(
    ("language", "changes", "is_found"),
    [
        # Chinese, good: nothing named, a distractor named, both named, one character, standard stem, no key.
        ("zh", {"stem": "松鼠为什么藏松果？"}, False),
        (
            "zh",
            {"stem": "除了树洞，松鼠还会把松果藏在哪里？", "options": ("草丛里", "树洞", "湖心", "云上")},
            False,
        ),
        ("zh", {"stem": "松鼠和大象谁更重？", "options": ("大象", "松鼠", "一样重", "无法比较")}, False),
        ("zh", {"stem": "火烧了多久？", "options": ("火", "水", "土", "金")}, False),
        (
            "zh",
            {"stem": "哪个选项说出了故事的道理？", "options": ("故事的道理", "勤劳", "善良", "勇敢")},
            False,
        ),
        ("zh", {"stem": "松鼠怕冷吗？", "options": ("松鼠", "喜鹊", "狐狸", "野兔"), "key": None}, False),
        # Chinese, bad.
        ("zh", {"stem": "爱储存松果的松鼠是哪种动物？", "options": ("松鼠", "喜鹊", "狐狸", "野兔")}, True),
        ("zh", {"stem": "天冷了，松鼠会冬眠吗？", "options": ("冬眠", "游泳", "唱歌", "搬家")}, True),
        (
            "zh",
            {"stem": "松鼠在冬天 储存 食物是为了什么？", "options": ("储存食物", "玩", "卖钱", "送礼")},
            True,
        ),
        ("zh", {"stem": "谁笑了？（喜鹊）", "options": ("松鼠", "喜鹊", "狐狸", "野兔"), "key": 1}, True),
        ("zh", {"stem": "ＤＮＡ是什么？", "options": ("dna", "水", "土", "火")}, True),
        (
            "zh",
            {"task": "moral", "stem": "怎样说明勤劳的好处？", "options": ("勤劳", "懒惰", "骄傲", "贪心")},
            True,
        ),
        # English, good: a word is not found inside another.
        ("en", {"stem": "Why does she hide the cones?"}, False),
        ("en", {"stem": "What did they catch?", "options": ("a cat", "a dog", "a fish", "a bird")}, False),
        (
            "en",
            {"stem": "Is the cat or the elephant heavier?", "options": ("the elephant", "the cat")},
            False,
        ),
        (
            "en",
            {"stem": "Besides the hollow tree, where else?", "options": ("a bush", "the hollow tree")},
            False,
        ),
        ("en", {"stem": "Which option states the lesson?", "options": ("The lesson", "Love", "Hope")}, False),
        ("en", {"stem": "How long did the fire burn?", "options": ("hour", "fire"), "key": None}, False),
        # English, bad.
        (
            "en",
            {"stem": "Which animal is the squirrel?", "options": ("A squirrel", "A magpie", "A fox")},
            True,
        ),
        (
            "en",
            {"stem": "When winter comes, what season is it?", "options": ("Winter", "Spring", "May")},
            True,
        ),
        (
            "en",
            {"stem": "Why is a HOLLOW TREE safe?", "options": ("the hollow tree", "a lake", "the sky")},
            True,
        ),
        (
            "en",
            {"stem": "Who laughed, the magpie?", "options": ("fox", "The magpie.", "owl"), "key": 1},
            True,
        ),
        ("en", {"stem": "Do squirrels store food?", "options": ("store food", "sing", "swim")}, True),
        ("en", {"task": "moral", "stem": "Why does hard work pay?", "options": ("Hard work", "Luck")}, True),
    ],
)
def test_it_finds_stems_that_name_the_key(language: str, changes: dict[str, Any], is_found: bool) -> None:
    found = findings("stem_names_key", change(SOUND[language], changes))
    assert [(one.severity, one.place) for one in found] == ([("warning", "stem")] if is_found else [])
