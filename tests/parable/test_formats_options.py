"""Options: when two read the same, which letters are prefixes, and what an answer names."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parable.formats import ErrorCode, letter, normalise_option
from parable.formats.errors import InputError
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS
from parable.formats.options import (
    equal_pair,
    position_of_letter,
    position_of_letter_or_number,
    strip_letters,
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
DIFFERENT = [("狼", "狗"), ("ab", "a b"), ("1", "2"), ("不对", "对"), ("a.", "a")]


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


PREFIXES = [
    (["A．甲", "B．乙"], ("甲", "乙")),
    (["A.甲", "B. 乙", "C、丙", "D．  丁"], ("甲", "乙", "丙", "丁")),
    (["Ａ．甲", "Ｂ．乙"], ("甲", "乙")),
    (["a.x", "b.y"], ("x", "y")),
    ([" A．甲 ", "B．乙\u3000"], ("甲", "乙")),
    (["A．甲", "乙", "C．丙"], ("甲", "乙", "丙")),
    (["A.x", "B.y", "C.z", "D.u", "E.v", "F.w"], ("x", "y", "z", "u", "v", "w")),
    (["A．A．x", "B．B．y"], ("A．x", "B．y")),
    (["甲", "乙"], ("甲", "乙")),
    (["A. Milne", "Kipling", "Carroll"], ("A. Milne", "Kipling", "Carroll")),
    (["B. Franklin", "C. Darwin", "Plato"], ("B. Franklin", "C. Darwin", "Plato")),
    (["Apple", "Banana"], ("Apple", "Banana")),
]


@pytest.mark.parametrize(("options", "stripped"), PREFIXES)
def test_it_strips_letters_only_where_they_are_prefixes(
    options: list[str], stripped: tuple[str, ...]
) -> None:
    assert strip_letters(options) == stripped


def test_it_refuses_letters_in_another_order() -> None:
    with pytest.raises(InputError) as refused:
        strip_letters(["B.x", "A.y", "C.z"])

    assert (refused.value.code, refused.value.params) == (ErrorCode.OPTION_LETTERS, {"found": "B A C"})


ANSWERS = [("A", 0), ("d", 3), ("Ｃ", 2), (" B ", 1), ("B.", 1), ("A．", 0), ("", None), (" ", None)]


@pytest.mark.parametrize(("answer", "position"), ANSWERS)
def test_it_reads_a_letter_as_a_position(answer: str, position: int | None) -> None:
    assert position_of_letter(answer, 4) == position


@pytest.mark.parametrize(("answer", "position"), [*ANSWERS, ("1", 0), ("４", 3)])
def test_it_counts_options_from_one_in_tables(answer: str, position: int | None) -> None:
    assert position_of_letter_or_number(answer, 4) == position


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
        ("AA", ErrorCode.BAD_ANSWER),
        ("null", ErrorCode.BAD_ANSWER),
        ("投石子", ErrorCode.BAD_ANSWER),
        ("-1", ErrorCode.BAD_ANSWER),
    ],
)
def test_it_refuses_an_answer_that_names_no_single_option(answer: str, code: ErrorCode) -> None:
    with pytest.raises(InputError) as refused:
        position_of_letter_or_number(answer, 4)

    assert refused.value.code == code


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
