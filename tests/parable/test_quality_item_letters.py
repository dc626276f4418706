"""Checks of what nobody meant to leave: placeholders, unfinished stems, letters in stems and explanations."""

from __future__ import annotations

import pytest

from tests.parable.quality_items import SOUND, change, findings

PLACEHOLDERS = [
    "Option A", "option 3", "Distractor 2", "Wrong answer", "TODO", "tbd", "xxx", "...", "?", "—",
    "Insert option here", "lorem ipsum dolor", "选项A", "干扰项", "错误答案", "答案一", "待补充", "待定",
    "……",
]  # fmt: skip
WRITTEN = [
    "A bar", "An option to buy", "The answer", "3", "**", "//", "key", "Nobody answered", "不确定",
    "答案在书里", "他有三个选项", "a ?", "N/A",
]  # fmt: skip


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_it_finds_placeholders(text: str) -> None:
    (found,) = findings("placeholder_option", change(SOUND["en"], {"options": ("the fox", text, "a crow")}))
    assert (found.severity, found.place) == ("error", "option-2")


@pytest.mark.parametrize("text", WRITTEN)
def test_it_leaves_what_was_written(text: str) -> None:
    assert not findings("placeholder_option", change(SOUND["en"], {"options": ("the fox", text, "a crow")}))


def test_it_takes_signs_for_options_where_all_are_signs() -> None:
    assert not findings("placeholder_option", change(SOUND["en"], {"options": ("!", "?", "...")}))


@pytest.mark.parametrize(
    ("stem", "is_unfinished"),
    [
        ("Why did the", True),
        ("What did the crow drop because", True),
        ("What", True),
        ("Question 3", True),
        ("TODO: ask about the crow", True),
        ("todo: ask about the crow", True),
        ("Ask about the crow, TBD", True),
        ("tbd", True),
        ("¿Quién come todo?", False),
        ("Todos los animales comen, ¿por qué?", False),
        ("How does it（", True),
        ("Why did the crow drop stones", False),
        ("Why?", False),
        ("为什么？", False),
        ("The crow drops stones because", False),
        ("How long did it take? A", False),
        ("When the crow drops stones, the", False),
        ("Which of the following is", False),
        ("What is it made of?", False),
        ("为什么", True),
        ("为什么狐狸会", True),
        ("哪个选项是对的，", True),
        ("题目待补充", True),
        ("狐狸为什么走了", False),
        ("狐狸走了，因为", False),
        ("狐狸最可能去的地方是", False),
        ("狐狸去了哪里？", False),
    ],
)
def test_it_finds_stems_that_break_off(stem: str, is_unfinished: bool) -> None:
    found = findings("unfinished_stem", change(SOUND["en"], {"stem": stem}))
    assert [(one.severity, one.place) for one in found] == ([("error", "stem")] if is_unfinished else [])


@pytest.mark.parametrize(
    ("stem", "letter"),
    [
        ("Why does it hide cones? (Answer: B)", "B"),
        ("Why does it hide cones? The correct answer is option c.", "C"),
        ("Why does it hide cones? (A)", "A"),
        ("它为什么藏松果？答案是B", "B"),
        ("它为什么藏松果？正确答案：Ｄ", "D"),
        ("它藏松果是为了（A）", "A"),
        ("它藏松果是为了（B）", ""),  # not the key
        ("Why does it hide cones? (Answer: E)", ""),  # there are four
        ("What is the answer? A squirrel asks.", ""),
        ("Which vitamin (A)", ""),
        ("Which answer is an owl's?", ""),
        ("选项A和B有什么不同？", ""),
        ("答案B正确吗？", ""),
    ],
)
def test_it_finds_letters_in_stems(stem: str, letter: str) -> None:
    found = findings("stem_gives_letter", change(SOUND["en"], {"stem": stem}))
    assert [one.params["letter"] for one in found] == ([letter] if letter else [])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The answer is B, because it is cold.", "B"),
        ("A is wrong since it sleeps; so C is correct.", "C"),
        ("Option D is the right one.", "D"),
        ("Key: b.", "B"),
        ("Squirrels store food, hence B is the right answer.", "B"),
        ("故选C。", "C"),
        ("A不对，因此答案是B。", "B"),
        ("正确选项为Ｄ。", "D"),
        ("B项不对，选A。", ""),
        ("The answer is A.", ""),
        ("Vitamin B is the key to health.", ""),
        ("The answer is a matter of food.", ""),
        ("B是错误的，C也不对。", ""),
        ("选项E", ""),
        ("", ""),
    ],
)
def test_it_finds_explanations_that_name_another_option(text: str, named: str) -> None:
    found = findings("explanation_names_other", change(SOUND["en"], {"explanation": text}))
    assert [(one.place, one.params["named"], one.params["key"]) for one in found] == (
        [("explanation", named, "A")] if named else []
    )


def test_it_does_not_compare_explanations_without_a_key() -> None:
    item = change(SOUND["en"], {"explanation": "The answer is B.", "options": ("a", "b"), "key": None})
    assert not findings("explanation_names_other", item)
