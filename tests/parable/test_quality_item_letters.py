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


@pytest.mark.parametrize(
    "text",
    [
        "The correct answer is (B).",
        "The right answer is option B: it is cold in winter.",
        "Correct answer: B",
        "Answer - B",
        "Ans. B",
        "Ans: B.",
        "Correct: B, as the text says.",
        "The key is B because food is scarce.",
        "The answer must be B, since it is cold.",
        "The best choice would be B.",
        "B is correct because squirrels store food.",
        "(B) is correct.",
        "B is the correct answer.",
        "B is therefore the only right option.",
        "B is the answer.",
        "Option B fits the story best.",
        "Only B matches what the squirrel does.",
        "Choice B is right.",
        "Squirrels store food in autumn, so B.",
        "The others are false. Hence, B.",
        "Therefore B is right.",
        "Thus the answer is B, not A.",
        "We choose B, since it is cold.",
        "That rules out A, C and D, which leaves B.",
        "A, C and D are wrong, so the answer is B.",
        "B, because it is cold.",
        "答案：B",
        "答案为B。",
        "答案B",
        "正确答案是（B）。",
        "正确答案应该是B",
        "故选B。",
        "故本题选B。",
        "所以答案选B。",
        "因此应选B。",
        "因此，B项正确。",
        "本题应选择B。",
        "排除A、C、D，选B。",
        "综上所述，正确选项为B。",
        "由此可知B是正确答案。",
        "选项B正确。",
        "B选项符合题意。",
        "只有B符合原文。",
        "B才是正确答案。",
        "故B正确。",
        "选B，因为冬天很冷。",
        "故答案为：B",
        "【答案】B",
    ],
)
def test_it_reads_the_usual_ways_to_name_an_answer(text: str) -> None:
    found = findings("explanation_names_other", change(SOUND["en"], {"explanation": text}))
    assert [one.params["named"] for one in found] == ["B"]


@pytest.mark.parametrize(
    "text",
    [
        "B is wrong because it sleeps.",
        "B is not correct.",
        "If B is correct, the fox would starve.",
        "Many people think that B is correct.",
        "Some choose B, which is a trap.",
        "B seems right, but the story says otherwise.",
        "The answer is not B.",
        "The answer is B or C depending on the reading.",
        "Plan B is the best way out.",
        "Vitamin B is right for you.",
        "Hepatitis B is the correct term.",
        "B is the first letter of bear.",
        "The answer is a matter of taste.",
        "So a fox came by.",
        "Thus a squirrel survives.",
        "The answer is in the last line.",
        "A and B are correct.",
        "Why B is correct is another question.",
        "We choose a winter store.",
        "B不正确。",
        "B项错误。",
        "B看似正确，其实不然。",
        "如果选B，松鼠就会饿死。",
        "不选B。",
        "不能选B，因为不合原文。",
        "容易误选B。",
        "B不符合题意。",
        "A和B都正确。",
        "答案是B还是C？",
        "答案不是B。",
        "小B正确地说出了原因。",
        "松鼠A对松鼠B说话。",
        "选项B和C都提到冬天。",
    ],
)
def test_it_takes_no_doubt_or_denial_for_an_answer(text: str) -> None:
    assert not findings("explanation_names_other", change(SOUND["en"], {"explanation": text}))


def test_it_does_not_compare_explanations_without_a_key() -> None:
    item = change(SOUND["en"], {"explanation": "The answer is B.", "options": ("a", "b"), "key": None})
    assert not findings("explanation_names_other", item)
