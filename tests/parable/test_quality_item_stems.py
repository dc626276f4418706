"""Checks of stems and of items beside each other: tables of good and bad items in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parable.quality.item import CHECKS, ItemView, SiblingView, judge
from tests.parable.quality_items import SOUND, findings, with_options

Texts = tuple[str, ...]

ASKING = {
    "zh": [
        "松鼠为什么藏松果？",
        "树洞最可能有多深",
        "下列说法正确的是",
        "松鼠把松果藏在____里。",
        "请选出最合理的一项。",
        "喜鹊笑松鼠（　）",
        "故事发生的地点最可能是：",
        "松鼠怕冷吗",
        "如果没有冬天，松鼠会怎样?",
        "松鼠藏松果的原因是……",
    ],
    "en": [
        "Why does the squirrel hide the cones?",
        "What did the magpie do",
        "The squirrel hides cones because",
        "She hides them in a ____.",
        "Choose the best ending.",
        "After the snow fell, what did she eat",
        "The most likely place is:",
        "Who laughed at her",
        "In which season does it happen",
        "She hid them in the ...",
        "Select the animal that sleeps in winter.",
        "Is she afraid?",
    ],
}
TELLING = {
    "zh": [
        "松鼠藏松果。",
        "冬天来了",
        "松鼠知道为什么要储存食物。",
        "喜鹊真傻！",
        "松果",
        "松鼠和喜鹊的故事",
    ],
    "en": [
        "The squirrel hides cones.",
        "Winter came",
        "The magpie, who was lazy, laughed.",
        "Cones",
        "How silly the magpie is!",
        "When the snow fell she was warm.",
        "Whatever she does is right",
    ],
}


def _cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(language, text) for language, texts in table.items() for text in texts]


def _with_stem(language: str, stem: str, *siblings: SiblingView) -> ItemView:
    return replace(SOUND[language], stem=stem, siblings=siblings)


@pytest.mark.parametrize(("language", "stem"), _cases(ASKING))
def test_it_knows_a_question(language: str, stem: str) -> None:
    assert findings("stem_without_question", _with_stem(language, stem)) == []


@pytest.mark.parametrize(("language", "stem"), _cases(TELLING))
def test_it_finds_stems_that_ask_nothing(language: str, stem: str) -> None:
    (found,) = findings("stem_without_question", _with_stem(language, stem))
    assert (found.severity, found.place) == ("warning", "stem")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("stem", ["", " ", "\n", "\u200b", "　", "\ufeff\t"])
def test_it_wants_a_stem(language: str, stem: str) -> None:
    (found,) = findings("stem_missing", _with_stem(language, stem))
    assert (found.severity, found.place) == ("error", "stem")
    assert findings("stem_without_question", _with_stem(language, stem)) == []


@pytest.mark.parametrize(("language", "stem"), _cases(ASKING))
def test_it_takes_any_stem_that_shows_something(language: str, stem: str) -> None:
    assert findings("stem_missing", _with_stem(language, stem)) == []


DIFFERENT = {
    "zh": [
        ("松鼠可能有多重？", "喜鹊可能有多重？"),
        ("松鼠为什么藏松果？", "松鼠在哪里藏松果？"),
        ("接下来最可能发生什么？", "接下来最不可能发生什么？"),
        ("喜鹊追上松鼠后会做什么？", "松鼠追上喜鹊后会做什么？"),
        ("藏3颗松果要多久？", "藏300颗松果要多久？"),
        ("下列说法正确的是？", "下列说法错误的是？"),
        ("如果没有冬天，松鼠会怎么样？", "如果没有喜鹊，松鼠会怎么样？"),
    ],
    "en": [
        ("How heavy is the squirrel?", "How heavy is the magpie?"),
        ("Why does the squirrel hide cones?", "Where does the squirrel hide cones?"),
        ("What will most likely happen next?", "What will least likely happen next?"),
        ("What did the crow do after the fox left?", "What did the fox do after the crow left?"),
        ("How long do 3 cones last?", "How long do 300 cones last?"),
        ("Which statement is true?", "Which statement is false?"),
        ("What colour is door A?", "What colour is door C?"),
    ],
}
ALIKE = {
    "zh": [
        ("松鼠为什么藏松果？", "松鼠为什么藏松果？"),
        ("松鼠为什么藏松果？", "文中的松鼠为什么藏松果"),
        ("松鼠可能有多重？", "故事中的松鼠最可能有多重？"),
        ("根据故事，喜鹊的心情可能是？", "喜鹊的心情最可能是什么？"),
        ("如果没有冬天，松鼠会怎么样？", "如果没有了冬天，松鼠最可能会怎么样？"),
        ("藏３颗松果要多久？", "藏3颗松果要多久?"),
    ],
    "en": [
        ("Why does the squirrel hide cones?", "why does the squirrel hide cones"),
        ("How heavy is the squirrel?", "In the story, how heavy might the squirrel be?"),
        ("Where does the magpie live?", "Where is the magpie most likely to live?"),
        ("What does the squirrel fear?", "What is it that the squirrel could fear?"),
        ("How long do 3 cones last?", "How long would 3 cones last?"),
        ("Why did the magpie laugh?", "According to the story, why did the magpie laugh?"),
    ],
}


def _pairs(table: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str, str]]:
    return [(language, *pair) for language, pairs in table.items() for pair in pairs]


@pytest.mark.parametrize(("language", "stem", "other"), _pairs(DIFFERENT))
def test_it_distinguishes_different_questions(language: str, stem: str, other: str) -> None:
    sibling = SiblingView(other, tuple(one.text for one in SOUND[language].options))
    if not stem.startswith(("下列", "操作", "Which")):
        assert findings("near_duplicate", _with_stem(language, stem, sibling)) == []
    assert findings("near_duplicate", _with_stem(language, stem, SiblingView(other))) == []


@pytest.mark.parametrize(("language", "stem", "other"), _pairs(ALIKE))
def test_it_finds_the_item_that_asks_almost_the_same(language: str, stem: str, other: str) -> None:
    far = SiblingView("喜鹊住在哪里？" if "心情" in stem else "Who sleeps all day?")
    (found,) = findings("near_duplicate", _with_stem(language, stem, far, SiblingView(other)))
    assert (found.severity, found.place) == ("warning", "stem")
    assert found.params == {"stem": other, "other": 2}


MORALS = {
    "zh": (
        ("居安思危，早作准备。", "勤劳的人不怕冬天。", "不要嘲笑别人。", "朋友要互相帮助。"),
        ("骄傲使人落后。", "团结力量大。"),
    ),
    "en": (
        ("Prepare in good times.", "Work hard.", "Do not mock.", "Friends help."),
        ("Pride falls.", "Unity is strength."),
    ),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("shared", "is_found"), [(4, True), (3, True), (2, True), (1, False), (0, False)])
def test_it_compares_options_where_the_stem_is_the_standard_one(
    language: str, shared: int, is_found: bool
) -> None:
    texts, others = MORALS[language]
    standard = SOUND[language].standard_stem
    sibling = SiblingView(standard, (*texts[:shared], *others))
    item = replace(with_options(SOUND[language], *texts), task="moral", stem=standard, siblings=(sibling,))
    assert bool(findings("near_duplicate", item)) == is_found


STEM_CHECKS = ["stem_missing", "stem_without_question", "stem_names_key", "wrong_language", "near_duplicate"]


@pytest.mark.parametrize("check", STEM_CHECKS)
@pytest.mark.parametrize(
    ("standard", "typed"),
    [
        ("哪个选项说出了故事的道理", "哪个选项说出了故事的道理？"),
        ("The lesson", " the  LESSON "),
        ("道理：", "道理:"),
    ],
)
def test_it_exempts_the_standard_stem_from_checks_of_stems(check: str, standard: str, typed: str) -> None:
    item = with_options(SOUND["zh"], "道理", "选项", "别的", "其余")
    sibling = SiblingView(standard, ("甲", "乙"))
    standing = replace(item, stem=typed, standard_stem=standard, siblings=(sibling,), task="moral")
    assert findings(check, standing) == []


def test_it_finds_nothing_in_sound_items() -> None:
    for item in SOUND.values():
        assert judge(item) == ()
        assert judge(replace(item, task="moral", types=(), explanation="")) == ()


def test_it_judges_only_the_tasks_of_a_check() -> None:
    assert judge(ItemView(task="anomaly", language="zh")) == ()
    empty = {finding.check for finding in judge(ItemView(task="moral", language="en"))}
    assert empty == {"stem_missing", "key_missing"}


def test_it_judges_with_the_checks_it_is_given() -> None:
    found = judge(ItemView(task="moral", language="en"), [CHECKS["key_missing"]])
    assert [finding.check for finding in found] == ["key_missing"]


@pytest.mark.parametrize(
    ("stem", "count"),
    [
        ("The crow drops ____ into the jar.", 1),
        ("乌鸦把（　）丢进罐子。", 1),
        ("乌鸦把()丢进罐子。", 1),
        ("乌鸦把＿＿丢进罐子。", 1),
        ("A snake_case word in __.", 1),
        ("What does the crow drop?", 0),
        ("The crow drops _ into the jar.", 0),
        ("The crow (a bird) drops it.", 0),
        ("The ____ drops ____.", 2),
    ],
)
def test_it_wants_one_blank_in_a_cloze(stem: str, count: int) -> None:
    found = findings("blank_missing", replace(SOUND["en"], task="cloze", stem=stem))
    assert [one.params for one in found] == ([] if count == 1 else [{"count": count}])
    assert findings("blank_missing", replace(SOUND["en"], stem=stem)) == []
