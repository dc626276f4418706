"""Checks of wording, language, types and explanation: tables of good and bad items in both languages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.costs import multiple
from tests.parable.quality_items import SOUND, change, findings, with_options

Texts = tuple[str, ...]

REFERRING = {
    "zh": [
        "以上都是",
        "以上各项",
        "以上选项都对",
        "以上皆非。",
        "上述说法均不正确",
        "以上三项都有可能",
        "A和B都对",
        "选项A、C均正确",
        "前两项都对",
        "ＡＢＣ都不对",
        "以上的原因都有",
        "没有以上任何一项",
        "上面几个答案都不对",
    ],
    "en": [
        "All of the above",
        "None of the above.",
        "Both A and B",
        "A and C only",
        "Neither of the above",
        "all the above are correct",
        "none of the above options",
        "Both (a) and (b)",
        "Options A and B",
        "All of the preceding answers",
        "A and B are correct",
        "Two of the above",
    ],
}
SUMMING = {
    "zh": [
        "都不是",
        "都对",
        "全部都是",
        "没有正确答案",
        "其他选项都不对",
        "都有可能。",
        "全都正确",
        "一个都不对",
    ],
    "en": [
        "None of them",
        "all of these",
        "Both.",
        "Neither",
        "No correct answer",
        "All options are correct",
        "none of these is true",
        "The other options",
    ],
}
STANDING = {
    "zh": [
        "八岁以上的孩子都去了",
        "以上",
        "前一个是对的",
        "上面的树枝断了",
        "都回家了",
        "两只松鼠都吃饱了",
        "以上山为乐",
        "A城和B城",
        "没有食物",
        "全部松果",
        "它和喜鹊都对狐狸生气",
        "AB型血",
        "前面两棵树都倒了",
    ],
    "en": [
        "All of the birds above the hill",
        "The earlier ones",
        "Above the clouds",
        "Both animals were hungry",
        "None of his friends came",
        "All the cones",
        "A and B flew away",
        "Neither rain nor snow",
        "The branch above",
        "All night",
        "no food",
    ],
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_it_has_six_good_and_six_bad_examples(language: str) -> None:
    assert min(len(table[language]) for table in (REFERRING, SUMMING, STANDING)) >= 6


def _cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(language, text) for language, texts in table.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), _cases(REFERRING))
def test_it_refuses_options_that_speak_of_others_by_place(language: str, text: str) -> None:
    item = with_options(SOUND[language], "甲", "乙", text)
    (found,) = findings("all_of_the_above", item)
    assert (found.severity, found.place) == ("error", "option-3")
    assert findings("all_or_none", item) == []


@pytest.mark.parametrize(("language", "text"), _cases(SUMMING))
def test_it_warns_of_options_that_sum_up_the_others(language: str, text: str) -> None:
    item = with_options(SOUND[language], "甲", "乙", text)
    (found,) = findings("all_or_none", item)
    assert (found.severity, found.place) == ("warning", "option-3")
    assert findings("all_of_the_above", item) == []


@pytest.mark.parametrize(("language", "text"), _cases(STANDING))
def test_it_leaves_options_alone_that_stand_by_themselves(language: str, text: str) -> None:
    item = with_options(SOUND[language], "甲", "乙", text)
    assert findings("all_of_the_above", item) == findings("all_or_none", item) == []


@pytest.mark.parametrize(
    "text", ["以上" + "没有" * 900 + "吗", "all of the " * 180 + "x", "ab和" * 600, "全都" * 999]
)
def test_it_is_quick_with_options_made_to_be_slow(text: str) -> None:
    def look(words: str) -> None:
        item = with_options(SOUND["zh"], "甲", words, "丙", "丁")
        findings("all_of_the_above", item)
        findings("all_or_none", item)

    assert multiple(lambda: look(text), lambda: look(("寓言里的乌龟" * 400)[: len(text)])) < 20


@pytest.mark.parametrize(
    ("language", "options", "named"),
    [
        # Chinese, good: none, in the key as well, in one of three, only in the key, negated, no key.
        ("zh", ("谨慎常有好处", "勇敢常有好处", "善良常有好处", "勤劳常有好处"), None),
        ("zh", ("凡事一定要谨慎", "强者永远是对的", "必须听从别人", "朋友常会帮忙"), None),
        ("zh", ("谨慎常有好处", "强者永远是对的", "勇敢常有好处", "勤劳常有好处"), None),
        ("zh", ("只有努力才有收获", "勇敢常有好处", "善良常有好处", "勤劳常有好处"), None),
        ("zh", ("谨慎常有好处", "强者不一定是对的", "并非所有朋友都可靠", "勤劳常有好处"), None),
        ("zh", ("", "强者永远是对的", "必须听从别人", "任何人都不可信"), None),
        # Chinese, bad.
        ("zh", ("谨慎常有好处", "强者永远是对的", "必须听从别人", "勤劳常有好处"), "永远, 必须"),
        ("zh", ("谨慎常有好处", "强者总是赢", "任何人都不可信", "善良毫无用处"), "总是, 任何, 毫无"),
        ("zh", ("它可能饿了", "它一定饿了"), "一定"),
        ("zh", ("它可能饿了", "它从来不饿", "它想睡觉"), "从来"),
        ("zh", ("不必处处争先", "绝对不能认输", "无论如何要赢", "赢家唯一"), "绝对, 无论, 唯一"),
        ("zh", ("小心为好", "所有人都坏", "所有人都好", "朋友可靠"), "所有"),
        # English, good.
        ("en", ("Care often pays", "Courage often pays", "Kindness often pays", "Work often pays"), None),
        ("en", ("Always take care", "The strong are always right", "You must obey", "Friends help"), None),
        ("en", ("Care often pays", "The strong are always right", "Courage pays", "Work pays"), None),
        ("en", ("Only work pays", "Courage often pays", "Kindness often pays", "Luck pays"), None),
        ("en", ("Care pays", "The strong are not always right", "Not all friends lie", "Luck pays"), None),
        ("en", ("Care pays", "It was small after all", "She fell at the wall", "He came lonely"), None),
        # English, bad.
        ("en", ("Care often pays", "The strong are always right", "You must obey", "Luck"), "always, must"),
        ("en", ("Care pays", "Nobody can be trusted", "ONLY fools work", "Luck pays"), "nobody, only"),
        ("en", ("It may be hungry", "It is never hungry"), "never"),
        ("en", ("It may be hungry", "It wants everything", "It sleeps"), "everything"),
        ("en", ("Take care", "It is impossible", "No one helps", "Only so"), "impossible, no one, only"),
        ("en", ("Some are kind", "All men lie", "All men help", "Friends help"), "all"),
    ],
)  # fmt: skip
def test_it_finds_absolutes_in_distractors_only(language: str, options: Texts, named: str | None) -> None:
    found = findings("absolutes_in_distractors", with_options(SOUND[language], *options))
    assert [(one.severity, one.place, one.params["words"]) for one in found] == (
        [] if named is None else [("warning", "options", named)]
    )


@pytest.mark.parametrize(
    ("language", "field", "text", "is_found"),
    [
        # Chinese, good: names, units, abbreviations and a single foreign word among Chinese ones.
        ("zh", "stem", "松鼠为什么藏松果？", False),
        ("zh", "stem", "NBA 是什么？", False),
        ("zh", "option", "500 kg", False),
        ("zh", "option", "DNA", False),
        ("zh", "option", "WiFi", False),
        ("zh", "option", "12：00", False),
        ("zh", "explanation", "《The Squirrel》里的松鼠储存食物过冬。", False),
        ("zh", "option", "→", False),
        # Chinese, bad.
        ("zh", "stem", "Why does the squirrel hide the cones?", True),
        ("zh", "option", "squirrel", True),
        ("zh", "option", "a hollow tree", True),
        ("zh", "option", "りすがいました", True),
        ("zh", "explanation", "Squirrels store food 冬天。", True),
        ("zh", "stem", "белка спрятала шишки", True),
        # English, good.
        ("en", "stem", "Why does the squirrel hide the cones?", False),
        ("en", "option", "500 kg", False),
        ("en", "option", "the character 松", False),
        ("en", "option", "café", False),
        ("en", "option", "7", False),
        ("en", "explanation", "The Chinese word 松鼠 means squirrel, of course.", False),
        # English, bad.
        ("en", "stem", "松鼠为什么藏松果？", True),
        ("en", "option", "松", True),
        ("en", "option", "松鼠松果 squirrel", True),
        ("en", "option", "белка", True),
        ("en", "explanation", "因为 winter 没有食物", True),
        ("en", "stem", "Why 松鼠藏松果？", True),
    ],
)
def test_it_finds_text_in_another_language(language: str, field: str, text: str, is_found: bool) -> None:
    sound = SOUND[language]
    rest = [one.text for one in sound.options[1:]]
    item = with_options(sound, text, *rest) if field == "option" else change(sound, {field: text})
    place = "option-1" if field == "option" else field
    found = findings("wrong_language", item)
    assert [(one.severity, one.place) for one in found] == ([("warning", place)] if is_found else [])


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    "types",
    [
        ("social",),
        ("biological",),
        ("temporal",),
        ("spatial",),
        ("physical",),
        ("social", "spatial"),
        ("our_own",),
    ],
)
def test_it_takes_any_type_and_any_number_of_them(language: str, types: Texts) -> None:
    assert findings("type_missing", change(SOUND[language], {"types": types})) == []


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"stem": ""}, {"options": ()}, {"explanation": ""}, {"story": ""}, {"options": ("1", "2")}],
)
def test_it_wants_a_type_of_commonsense_items(language: str, changes: dict[str, Any]) -> None:
    item = change(SOUND[language], changes | {"types": ()})
    (found,) = findings("type_missing", item)
    assert (found.severity, found.place) == ("error", "types")
    assert findings("type_missing", change(item, {"task": "moral"})) == []


NO_WORDS = ["", " ", "\n", "\u200b", "　", "\t\ufeff "]
WORDS = {
    "zh": ["松鼠冬眠。", "因为冷", "略", "？", "3<5", "见上"],
    "en": ["It is cold.", "cold", "x", "?", "3<5", "-"],
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("text", NO_WORDS)
def test_it_wants_an_explanation_of_commonsense_items(language: str, text: str) -> None:
    (found,) = findings("explanation_missing", change(SOUND[language], {"explanation": text}))
    assert (found.severity, found.place) == ("error", "explanation")
    assert (
        findings("explanation_missing", change(SOUND[language], {"explanation": text, "task": "moral"})) == []
    )


@pytest.mark.parametrize(("language", "text"), _cases(WORDS))
def test_it_does_not_judge_what_an_explanation_says(language: str, text: str) -> None:
    assert findings("explanation_missing", change(SOUND[language], {"explanation": text})) == []
