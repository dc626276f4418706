"""Options: when two read the same, which letters are prefixes, and what an answer names."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parable.formats import ErrorCode, letter, normalise_option
from parable.formats.errors import InputError
from parable.formats.items import read_items
from parable.formats.keys import find_numbers, read_key
from parable.formats.limits import ANYBODYS
from parable.formats.option_marks import check_order, misplaced, typed_marks, without_marks
from parable.formats.options import (
    equal_pair,
    position_of_letter,
)

SAME = [
    ("ＡＢＣ", "abc"),
    ("Straße", "STRASSE"),
    ("a  b\n c", " A b C "),
    ("全角　空格", "全角 空格"),
    ("（一）", "(一)"),
    ("①", "1"),
    ("word\u200b", "word"),
    ("e\u0301", "é"),
]
DIFFERENT = [
    ("2³", "23"),
    ("H₂", "H2"),
    ("x²", "x³"),
    ("狼", "狗"),
    ("ab", "a b"),
    ("1", "2"),
    ("不对", "对"),
    ("a.", "a"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_it_takes_options_that_read_the_same_as_equal(one: str, other: str) -> None:
    assert normalise_option(one) == normalise_option(other)
    assert equal_pair(["else", one, other]) == (1, 2)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_it_keeps_options_that_differ_apart(one: str, other: str) -> None:
    assert normalise_option(one) != normalise_option(other)
    assert equal_pair([one, other]) is None


@settings(deadline=None)
@given(st.text(max_size=20))
def test_it_changes_a_normal_option_no_further(text: str) -> None:
    once = normalise_option(text)

    assert normalise_option(once) == once


MARKED = [
    (["A．甲", "B．乙"], ("甲", "乙")),
    (["A.甲", "B. 乙", "C、丙", "D．  丁"], ("甲", "乙", "丙", "丁")),
    (["Ａ．甲", "Ｂ．乙"], ("甲", "乙")),
    (["a.x", "b.y"], ("x", "y")),
    ([" A．甲 ", "B．乙\u3000"], ("甲", "乙")),
    (["(A)甲", "(B)乙"], ("甲", "乙")),
    (["（A）甲", "（B） 乙"], ("甲", "乙")),
    (["A)甲", "B）乙"], ("甲", "乙")),
    (["A:甲", "B：乙"], ("甲", "乙")),
    (["A 甲", "B\u3000乙"], ("甲", "乙")),
    (["【A】甲", "【B】乙"], ("甲", "乙")),
    (["选项A甲", "选项B：乙"], ("甲", "乙")),
    (["Option A: cat", "option B dog"], ("cat", "dog")),
    (["①甲", "② 乙"], ("甲", "乙")),
    (["Ⓐ甲", "Ⓑ乙"], ("甲", "乙")),
    (["1.甲", "2．乙"], ("甲", "乙")),
    (["1、甲", "2、乙"], ("甲", "乙")),
    (["(1)甲", "（2）乙"], ("甲", "乙")),
    ([f"{letter(place)}.o{place}" for place in range(26)], tuple(f"o{place}" for place in range(26))),
    (["A．A．x", "B．B．y"], ("A．x", "B．y")),
    (["A. x", "", "C. z"], ("x", "", "z")),
    (["A. x", "B. y", "C."], ("x", "y", "")),
]
UNMARKED = [
    ["甲", "乙"],
    ["A．甲", "乙", "C．丙"],
    ["A. Milne", "Kipling", "Carroll"],
    ["B. Franklin", "C. Darwin", "Plato"],
    ["Apple", "Banana"],
    ["A、B两只", "B、C两只", "C、D两只", "D、A两只"],
    ["A、B两只", "狗", "鸟", "鱼"],
    ["A fox", "A hen", "A dog"],
    ["A fox", "the hen"],
    ["A", "B", "C", "D"],
    ["①②", "②③", "③④", "④①"],
    ["(1)(2)", "(2)(3)"],
    ["1.5 m", "2.5 m"],
    ["1:30", "2:30"],
    ["1 cat", "2 cats"],
    ["A.甲", "2.乙"],
]


@pytest.mark.parametrize(("options", "stripped"), MARKED)
def test_it_takes_marks_off_that_all_options_have_at_their_place(
    options: list[str], stripped: tuple[str, ...]
) -> None:
    assert without_marks(options) == stripped
    assert typed_marks(options)


@pytest.mark.parametrize("options", UNMARKED)
def test_it_cuts_no_text_that_only_begins_like_a_mark(options: list[str]) -> None:
    assert without_marks(options) == tuple(options)


@pytest.mark.parametrize(
    ("options", "places"),
    [
        (["A．甲", "乙", "C．丙"], {0, 2}),
        (["(C) x", "(A) y", "(B) z"], {0, 1, 2}),
        (["②x", "①y"], {0, 1}),
        (["x", "B) y"], {1}),
        (["A. Milne", "Kipling"], set()),
        (["A. Milne", "B. Potter", "Carroll"], set()),
        (["A、B两只", "狗"], set()),
    ],
)
def test_it_knows_marks_that_a_release_would_contradict(options: list[str], places: set[int]) -> None:
    assert set(typed_marks(options)) == places


def test_it_refuses_letters_in_another_order() -> None:
    with pytest.raises(InputError) as refused:
        check_order(["B.x", "A.y", "C.z"])

    assert (refused.value.code, refused.value.params) == (ErrorCode.OPTION_LETTERS, {"found": "B A C"})
    assert not misplaced(["B、A", "A、C", "C、B"])


ANSWERS = [("A", 0), ("d", 3), ("Ｃ", 2), (" B ", 1), ("B.", 1), ("A．", 0), ("", None), (" ", None)]


@pytest.mark.parametrize(("answer", "position"), ANSWERS)
def test_it_reads_a_letter_as_a_position(answer: str, position: int | None) -> None:
    assert position_of_letter(answer, 4) == position


OPTIONS = ("to eat", "to sing", "to yawn", "2")
KEYS: list[tuple[object, int, int | None]] = [
    *((answer, 1, position) for answer, position in ANSWERS),
    ("1", 1, 0), ("４", 1, 3), ("1.0", 1, 0), (1.0, 1, 0), (3, 1, 2), (0, 0, 0), ("0.0", 0, 0), (0.0, 0, 0),
    ("(1)", 1, 0), ("[1]", 0, 1), ([1], 0, 1), ("Ⓑ", 1, 1), ("③", 1, 2), ("③", 0, 2),
    ("（B）", 1, 1), ("(B)", 1, 1),
    ("B)", 1, 1), ("选B", 1, 1), ("【B】", 1, 1), ('["B"]', 1, 1), (["B"], 1, 1),
    ("b.", 1, 1),
    ("答案：B", 1, 1), ("Answer: B", 1, 1), ("B项", 1, 1), ("B。", 1, 1),
    ([], 1, None), (None, 1, None),
    ("to sing", 1, 1), (" To  SING ", 1, 1), (["to sing"], 1, 1), ("B. to sing", 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "first", "place"), KEYS)
def test_it_reads_a_key_however_it_is_written(answer: object, first: int, place: int | None) -> None:
    assert read_key(answer, OPTIONS, first=first).place == place


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("E", ErrorCode.KEY_OUTSIDE),
        ("0", ErrorCode.KEY_OUTSIDE),
        ("5", ErrorCode.KEY_OUTSIDE),
        ("AB", ErrorCode.TWO_KEYS),
        ("A和C", ErrorCode.TWO_KEYS),
        ("A、E", ErrorCode.TWO_KEYS),
        ("1,2", ErrorCode.TWO_KEYS),
        (["A", "B"], ErrorCode.TWO_KEYS),
        ("AA", ErrorCode.BAD_ANSWER),
        ("to fly", ErrorCode.BAD_ANSWER),
        ("null", ErrorCode.BAD_ANSWER),
        ("投石子", ErrorCode.BAD_ANSWER),
        ("-1", ErrorCode.BAD_ANSWER),
        (1.5, ErrorCode.BAD_ANSWER),
        (True, ErrorCode.BAD_ANSWER),
        ({}, ErrorCode.BAD_ANSWER),
        ("2", ErrorCode.AMBIGUOUS_KEY),
        (2, ErrorCode.AMBIGUOUS_KEY),
        ("A. to sing", ErrorCode.AMBIGUOUS_KEY),
    ],
)
def test_it_refuses_an_answer_that_names_no_single_option(answer: object, code: ErrorCode) -> None:
    with pytest.raises(InputError) as refused:
        read_key(answer, OPTIONS, first=1)

    assert refused.value.code == code


def test_a_letter_that_is_the_text_of_another_option_is_ambiguous() -> None:
    blood = ("A", "B", "AB", "O")
    assert [read_key(answer, blood, first=1).place for answer in ("A", "B", "AB", "O", "D")] == [
        0,
        1,
        2,
        3,
        3,
    ]
    with pytest.raises(InputError) as refused:
        read_key("A", ("B", "A", "AB", "O"), first=1)
    assert refused.value.params == {"found": "A", "place": "A", "text": "B"}


@pytest.mark.parametrize(
    ("answer", "place"), [("A", 0), ("b", 1), ("(B)", 1), ("AB", 2), ("D", 3), ("1", None), (4, 3)]
)
def test_where_options_have_letters_a_letter_is_one_of_them(answer: object, place: int | None) -> None:
    """But a number is still the place of one option and the text of another."""
    options = ("B", "A", "AB", "1")
    if place is None:
        with pytest.raises(InputError):
            read_key(answer, options, first=1, is_lettered=True)
    else:
        assert read_key(answer, options, first=1, is_lettered=True).place == place


@pytest.mark.parametrize(
    ("answers", "first"),
    [
        ([0, 1, 2], 0),
        (["0.0", "3.0"], 0),
        ([1, 4], 1),
        (["A", "B"], None),
        ([["1", "2", "3", "4"]], 1),
        (["0,2"], 0),
        ([7, 0], 0),
    ],
)
def test_it_finds_over_a_file_from_which_number_options_count(
    answers: list[object], first: int | None
) -> None:
    rows = [(row, answer, ("w", "x", "y", "z")) for row, answer in enumerate(answers, start=1)]
    assert find_numbers(rows, given=None).first == first
    assert find_numbers(rows, given=1).first == 1


@pytest.mark.parametrize(
    ("answers", "code"), [([1, 2, 3], ErrorCode.OPEN_NUMBERS), ([1, 0, 4], ErrorCode.MIXED_NUMBERS)]
)
def test_it_does_not_guess_what_a_file_leaves_open(answers: list[object], code: ErrorCode) -> None:
    rows = [(row, answer, ("w", "x", "y", "z")) for row, answer in enumerate(answers, start=1)]
    with pytest.raises(InputError) as refused:
        find_numbers(rows, given=None)
    assert refused.value.code == code
    assert find_numbers(rows, given=None, named=0).first == 0 if code == ErrorCode.OPEN_NUMBERS else True


def test_it_names_positions_by_letters() -> None:
    assert [letter(position) for position in range(8)] == list("ABCDEFGH")


CRMUS_ROW = {
    "id": "1_1", "title": "T", "story": "S.", "question": "Why?", "answer": "A", "type": "社会常识",
    "domain": "out",
    "options": ["A．cat ", "B．dog", "C．cow", "D．hen"],
}  # fmt: skip
OURS_ROW = {
    "id": "1",
    "task": "commonsense",
    "story": "S.",
    "question": "Why?",
    "choices": ["cat ", "dog"],
    "answer": 0,
}


@pytest.mark.parametrize(
    ("source", "typed"),
    [
        (json.dumps([CRMUS_ROW]), ("A．cat ", "B．dog", "C．cow", "D．hen")),
        (json.dumps(OURS_ROW), ("cat ", "dog")),
        (json.dumps(OURS_ROW | {"choices": ["cat", "dog"]}), ()),
        ("id,story,question,A,B,answer\n1,S.,Why?,cat ,dog,A\n", ("cat ", "dog")),
        ("id,story,question,A,B,answer\n1,S.,Why?,A. cat,B. dog,A\n", ("A. cat", "B. dog")),
        ("id,story,question,A,B,answer\n1,S.,Why?,cat,dog,A\n", ()),
    ],
)
def test_it_keeps_options_as_they_were_typed_beside_those_that_are_used(
    source: str, typed: tuple[str, ...]
) -> None:
    reading = read_items(source.encode(), name="dev_CRMUS_CR.json", rules=ANYBODYS)
    assert [row.typed for row in reading.rows] == [typed]
    assert [option.strip() for option in reading.records[0].choices] == [*reading.records[0].choices]
