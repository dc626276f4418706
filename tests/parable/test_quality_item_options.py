"""Checks of options beside each other: tables of good and bad items in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parable.quality.item import ItemSpec
from tests.parable.quality_items import SOUND, findings, with_options

Texts = tuple[str, ...]
Case = tuple[str, Texts, set[int]]

EMPTY: list[Case] = [
    ("zh", ("吃", "玩", "卖", "送"), set()),
    ("zh", ("０", "１", "２", "３"), set()),
    ("zh", ("无", "有"), set()),
    ("zh", ("。", "！"), set()),
    ("zh", (" 吃 ", "玩"), set()),
    ("zh", ("①", "②", "③"), set()),
    ("zh", ("吃", ""), {2}),
    ("zh", ("", ""), {1, 2}),
    ("zh", ("吃", "　", "卖"), {2}),
    ("zh", ("吃", "玩", "\u200b"), {3}),
    ("zh", ("吃", " \t\n", "卖"), {2}),
    ("zh", ("\ufeff", "玩", "卖", "送"), {1}),
    ("en", ("eat", "play", "sell", "give"), set()),
    ("en", ("0", "1", "2", "3"), set()),
    ("en", ("no", "yes"), set()),
    ("en", (".", "!"), set()),
    ("en", (" eat ", "play"), set()),
    ("en", ("x", "y", "z"), set()),
    ("en", ("eat", ""), {2}),
    ("en", ("", ""), {1, 2}),
    ("en", ("eat", "\u00a0", "sell"), {2}),
    ("en", ("eat", "play", "\u2060"), {3}),
    ("en", ("eat", "  ", "sell"), {2}),
    ("en", ("\u00ad", "play", "sell", "give"), {1}),
]

EQUAL: list[Case] = [
    ("zh", ("春天", "夏天", "秋天", "冬天"), set()),
    ("zh", ("会游泳", "不会游泳"), set()),
    ("zh", ("5克", "50克", "500克"), set()),
    ("zh", ("3.5米", "35米"), set()),
    ("zh", ("狐狸骗了乌鸦", "乌鸦骗了狐狸"), set()),
    ("zh", ("", ""), set()),
    ("zh", ("春天", "夏天", "春天", "冬天"), {3}),
    ("zh", ("春天", "夏天", "秋天", "春天。"), {4}),
    ("zh", ("５克", "50克", "5克"), {3}),
    ("zh", (" 春天", "春天\u200b"), {2}),
    ("zh", ("ＡＢ型", "ab型", "O型", "o型"), {2, 4}),
    ("zh", ("春天，", "春天；", "春天"), {2, 3}),
    ("en", ("spring", "summer", "autumn", "winter"), set()),
    ("en", ("It can swim", "It cannot swim"), set()),
    ("en", ("5 g", "50 g", "500 g"), set()),
    ("en", ("3.5 m", "35 m"), set()),
    ("en", ("The fox fooled the crow", "The crow fooled the fox"), set()),
    ("en", ("C++", "C"), set()),
    ("en", ("spring", "summer", "spring", "winter"), {3}),
    ("en", ("spring", "summer", "autumn", "Spring."), {4}),
    ("en", ("５ g", "50 g", "5 g"), {3}),
    ("en", (" in  spring", "in spring\u200b"), {2}),
    ("en", ("AB", "ab", "O", "o"), {2, 4}),
    ("en", ("spring,", "spring;", "spring"), {2, 3}),
]

NEAR: list[Case] = [
    ("zh", ("春天", "夏天", "秋天", "冬天"), set()),
    ("zh", ("松鼠会冬眠", "松鼠不会冬眠"), set()),
    ("zh", ("狐狸骗了乌鸦", "乌鸦骗了狐狸"), set()),
    ("zh", ("100米", "1000米"), set()),
    ("zh", ("松鼠站在喜鹊的背上", "松鼠站在狐狸的背上"), set()),
    ("zh", ("松鼠秋天储存够吃整整一个冬天的30颗松果", "松鼠秋天储存够吃整整一个冬天的90颗松果"), set()),
    ("zh", ("大树和小草一起在风里面静静地听雨", "大树和小草从不一起在风里面静静地听雨"), set()),
    ("zh", ("它害怕", "它很害怕"), set()),
    ("zh", ("它害怕了", "它害怕"), {2}),
    ("zh", ("松鼠的窝", "喜鹊的窝", "松鼠窝"), {3}),
    ("zh", ("它跑了，又回来", "它跑，又回来了"), {2}),
    ("zh", ("“藏起来”", "藏起来"), {2}),
    ("zh", ("松鼠把捡来的松果全藏在高高的老松树洞里面", "松鼠把捡来的松果全藏在高高的老柏树洞里面"), {2}),
    ("zh", ("喜鹊笑话松鼠整天忙来忙去不懂得休息真傻", "喜鹊笑话松鼠整天忙来忙去不懂得休息真笨", "别的"), {2}),
    ("zh", ("藏·起·来", "卖掉", "藏起来"), {3}),
    ("en", ("spring", "summer", "autumn", "winter"), set()),
    ("en", ("It can swim", "It cannot swim"), set()),
    ("en", ("The fox fooled the crow", "The crow fooled the fox"), set()),
    ("en", ("100 metres", "1000 metres"), set()),
    ("en", ("She wanted to show off her fur", "She wanted to show off her tail"), set()),
    ("en", (
        "She stored enough cones to last her for 3 long winters",
        "She stored enough cones to last her for 30 long winters",
    ), set()),
    ("en", ("door A", "door C"), set()),
    ("en", ("the fox", "fox"), {2}),
    ("en", ("in a tree", "under a tree", "in the tree"), {3}),
    ("en", ("it's cold - very cold", "it’s cold, very cold"), {2}),
    ("en", ("“hidden”", "hidden"), {2}),
    ("en", (
        "She hid all the cones that she found in a hollow old pine",
        "She hid all the cones that she found in a hollow old oak",
    ), {2}),
    ("en", (
        "The magpie laughed at her because she worked all day long",
        "The magpie laughed at her because she toiled all day long",
        "x",
    ), {2}),
    ("en", ("pine-cone", "leaf", "pine cone"), {3}),
]  # fmt: skip

COPIED: list[Case] = [
    ("zh", ("留到冬天再吃", "送给河里的鱼", "用来盖新房子", "拿去换一顶帽"), set()),
    ("zh", ("松鼠", "狐狸", "野兔", "乌鸦"), set()),
    ("zh", ("喜鹊笑它", "老鼠笑它"), set()),
    ("zh", ("每天在林子里跑来跑去", "小心地塞进树洞", "睡觉"), set()),
    ("zh", ("在林子里跑来走去", "躲在屋里睡大觉"), set()),
    ("zh", ("每天在林子里跑来跑去",), set()),
    ("zh", ("每天在林子里跑来跑去", "躲在屋里睡大觉"), {1}),
    ("zh", ("在家休息", "小心地塞进树洞", "卖给邻居"), {2}),
    ("zh", ("在家休息", "卖给邻居", "小心地，塞进树洞。"), {3}),
    ("zh", ("松鼠", "它抱着一颗颗松果", "吃光") , set()),
    ("zh", ("吃光所有松果", "它抱着一颗颗松果", "卖掉"), {2}),
    ("zh", ("还用叶子 盖好", "用石头盖好", "用水盖好"), {1}),
    ("zh", ("还用石头盖好", "秋天到了，一只松鼠", "还用水盖好"), {2}),
    ("en", ("To eat them in winter", "To give them to a fish", "To build a new house"), set()),
    ("en", ("A squirrel", "A fox", "A hare"), set()),
    ("en", ("a hollow tree", "a lake"), set()),
    ("en", ("covered them with leaves", "laughed at her", "slept"), set()),
    ("en", ("ran through the woods", "slept all day"), set()),
    ("en", ("covered them with leaves",), set()),
    ("en", ("covered them with leaves", "threw them away"), {1}),
    ("en", ("Slept", "Ran through the wood", "Sang"), {2}),
    ("en", ("Slept", "Sang", "The magpie laughed at her."), {3}),
    ("en", ("sold all of it", "COVERED  THEM WITH LEAVES", "hid"), {2}),
    ("en", ("All day long, a squirrel ran", "a fox came by", "a bird sang"), {1}),
    ("en", ("pushed it away", "one pine cone after another", "none at all"), {2}),
]  # fmt: skip

LETTERS: list[Case] = [
    ("zh", ("吃", "玩", "卖", "送"), set()),
    ("zh", ("A型血", "B型血", "O型血"), set()),
    ("zh", ("维生素A", "维生素B"), set()),
    ("zh", ("一、二月", "三、四月"), set()),
    ("zh", ("E．小明写的", "别人写的"), set()),
    ("zh", ("3.5米", "4.5米"), set()),
    ("zh", ("A．吃", "B．玩", "C．卖", "D．送"), {1, 2, 3, 4}),
    ("zh", ("A、吃", "B、玩", "卖", "送"), {1, 2}),
    ("zh", ("Ａ. 吃", "ｂ. 玩"), {1, 2}),
    ("zh", ("（A）吃", "（B）玩"), {1, 2}),
    ("zh", ("吃", "B．玩", "卖"), {2}),
    ("zh", ("选项A：吃", "选项B：玩"), {1, 2}),
    ("zh", ("B．吃", "A．玩", "D．卖", "C．送"), {1, 2, 3, 4}),
    ("en", ("eat", "play", "sell", "give"), set()),
    ("en", ("A. Milne", "Carroll", "Potter"), set()),
    ("en", ("Milne", "B. Potter"), set()),
    ("en", ("A. Milne", "T. S. Eliot", "Carroll"), set()),
    ("en", ("A. Milne", "B. Potter", "Carroll"), set()),
    ("en", ("I. M. Pei", "B. Fuller", "C. Wren"), set()),
    ("en", ("C: drive", "D: drive"), set()),
    ("en", ("A. eat", "B. play", "sell"), {1, 2}),
    ("en", ("a cat", "a dog"), set()),
    ("en", ("B-sharp", "A-flat"), set()),
    ("en", ("A. eat", "B. play", "C. sell", "D. give"), {1, 2, 3, 4}),
    ("en", ("a) eat", "b) play"), {1, 2}),
    ("en", ("(A) eat", "(B) play", "sell"), {1, 2}),
    ("en", ("A: eat", "B: play"), {1, 2}),
    ("en", ("eat", "B) play", "sell"), {2}),
    ("en", (" A. eat", "B .play"), {1, 2}),
    ("en", ("B. eat", "A. play"), {1, 2}),
]


def _parameters(check: str, cases: list[Case]) -> list[tuple[str, str, Texts, set[int]]]:
    return [(check, *case) for case in cases]


@pytest.mark.parametrize(
    ("check", "language", "options", "numbers"),
    [
        *_parameters("empty_option", EMPTY),
        *_parameters("equal_options", EQUAL),
        *_parameters("near_options", NEAR),
        *_parameters("copied_option", COPIED),
        *_parameters("letter_prefix", LETTERS),
    ],
)
def test_it_finds_the_options(check: str, language: str, options: Texts, numbers: set[int]) -> None:
    found = findings(check, with_options(SOUND[language], *options))
    assert {one.place for one in found} == {f"option-{number}" for number in numbers}


@pytest.mark.parametrize("cases", [EMPTY, EQUAL, NEAR, COPIED, LETTERS])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_it_has_six_good_and_six_bad_examples(cases: list[Case], language: str) -> None:
    bad = [bool(numbers) for own, _options, numbers in cases if own == language]
    assert bad.count(True) >= 6
    assert bad.count(False) >= 6


@pytest.mark.parametrize("key", [0, 1])
def test_it_finds_a_copied_key_as_well_as_a_copied_distractor(key: int) -> None:
    options = ("小心地塞进树洞", "随手扔进小河")
    assert len(findings("copied_option", with_options(SOUND["zh"], *options, key=key))) == 1


def test_it_names_both_of_two_equal_options() -> None:
    (found,) = findings("equal_options", with_options(SOUND["zh"], "春天", "夏天", "春天"))
    assert found.params == {"first": 1, "second": 3}


def test_it_names_the_letter_in_plain_form() -> None:
    found = findings("letter_prefix", with_options(SOUND["zh"], "ａ．吃", "Ｂ、玩"))
    assert [one.params["letter"] for one in found] == ["A", "B"]


@pytest.mark.parametrize(
    ("task", "options", "fires"),
    [
        ("true_false", ("True", "False"), False),
        ("true_false", ("False", "True"), False),
        ("true_false", ("正确", "错误"), False),
        ("true_false", ("正确", "False"), True),
        ("true_false", ("true", "false"), True),
        ("true_false", ("True", "False", "Neither"), True),
        ("commonsense", ("Yes", "No"), False),
    ],
)
def test_it_wants_the_options_that_a_task_shares(task: str, options: Texts, fires: bool) -> None:
    item = replace(with_options(SOUND["en"], *options), task=task, spec=ItemSpec(4))
    assert bool(findings("shared_options", item)) == fires
    assert bool(findings("number_of_options", item)) == (len(options) != 2 or task == "commonsense")
