"""Aiken: what Moodle reads, and what people write who have never met Moodle's reader."""

import pytest

from parable.formats import english_with_place, read_items
from parable.formats.foreign.aiken import FORMAT
from parable.formats.limits import ANYBODYS
from parable.formats.records import ItemRecord

MOODLE = """Who was thirsty?
A) the hare
B) the crow
ANSWER: B

乌鸦为什么投石子？
A. 为了喝水
B. 好玩
C. 唱歌
ANSWER: A
"""
ASKED = [
    ("Who was thirsty?", ("the hare", "the crow"), 1),
    ("乌鸦为什么投石子？", ("为了喝水", "好玩", "唱歌"), 0),
]


def read(text: str, **said: str) -> list[tuple[str, tuple[str, ...], int | None]]:
    found = read_items(text.encode(), name="t.txt", rules=ANYBODYS, **said)  # type: ignore[arg-type]  # options by name
    assert found.errors == ()
    return [(one.question, one.choices, one.answer) for one in found.records]


@pytest.mark.parametrize("text", [MOODLE, MOODLE.replace("\n", "\r\n"), f"\ufeff\n{MOODLE}", MOODLE.rstrip()])
def test_it_is_found_and_read(text: str) -> None:
    assert read(text) == ASKED


@pytest.mark.parametrize(
    ("written", "question", "choices"),
    [
        ("Look:\nwho?\nA) a\nB) b\nANSWER: B", "Look:\nwho?", ("a", "b")),
        ("谁？\nA、甲\nB、乙\nANSWER: B", "谁？", ("甲", "乙")),
        ("谁？\nA．甲\nB．乙\nANSWER: B", "谁？", ("甲", "乙")),
        ("A. Milne wrote it?\nA) a\nB) b\nANSWER: B", "A. Milne wrote it?", ("a", "b")),
        ("Which?\nA) b\nB) a\nANSWER: B", "Which?", ("b", "a")),
        ("Who?\n\nA)  a\n\nB)\tb\n\nANSWER:B", "Who?", ("a", "b")),
    ],
)
def test_no_line_of_a_question_is_lost(written: str, question: str, choices: tuple[str, ...]) -> None:
    assert read(written, format="aiken") == [(question, choices, 1)]


@pytest.mark.parametrize(
    ("text", "keys", "said"),
    [
        ("Who?\nA) a\nB) b\nANSWER: D\n", [None], "row 1, answer: The answer “D”"),
        ("Who?\nA) a\nB) b\n\nNext?\nA) a\nB) b\nANSWER: A\n", [None, 0], ""),
        ("Who?\nA) a\nB) b\nA. Milne?\nA) a\nB) b\nANSWER: A", [None, 0], ""),
        ("One?\nA) a\nB) b\nANSWER: A\nWho?\nA) a\nB) b", [0, None], ""),
    ],
)
def test_a_question_without_a_key_is_read_without(text: str, keys: list[int | None], said: str) -> None:
    found = read_items(text.encode(), name="t.txt", rules=ANYBODYS, format="aiken")
    assert [one.answer for one in found.records] == keys
    assert any(said in english_with_place(one) for one in found.remarks)
    assert found.errors == ()


@pytest.mark.parametrize(
    "text",
    [
        "question,A,B,answer\nWho?,a,b,A\n",
        "A) a\nB) b\nANSWER: A\n",
        "Who?\nA) a\nB) b\nanswer: A\n",
        "Who?\nA) a\nANSWER: C\n",
        '{"question": "Who?"}\n',
    ],
)
def test_other_files_are_not_taken_for_it(text: str) -> None:
    assert read_items(text.encode(), name="t.txt", rules=ANYBODYS).format != "aiken"


def test_an_import_asks_for_the_story_that_it_has_not() -> None:
    found = read_items(MOODLE.encode(), name="t.txt")
    assert "--map story=COLUMN, --map story:WORDS" in english_with_place(found.errors[0])
    found = read_items(MOODLE.encode(), name="t.txt", mapping="story:A crow found a jug.")
    assert [one.story for one in found.records] == ["A crow found a jug."] * 2


def test_it_writes_one_line_a_part_and_no_item_without_a_key() -> None:
    item = ItemRecord("1", "commonsense", None, "", "", "Look:\nwho?", ("a\nb", "c"), 1)
    assert FORMAT.writer is not None
    assert FORMAT.writer.whole([item]) == b"Look: who?\nA. a b\nB. c\nANSWER: B\n"
    with pytest.raises(ValueError, match="none of its options"):
        FORMAT.writer.whole([ItemRecord("1", "commonsense", None, "", "", "Who?", ("a", "b"), None)])
