"""Hostile text costs no more than its length: the readers are linear, or stop at a limit.

What is compared is processor time at two lengths inside one test, with a wide margin: a reader whose work
grows with the square of the length would need sixteen times as long for four times the text.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable

import openpyxl
import pytest

from parable.formats import limits, read_stories
from parable.formats.json_reader import has_more_values, is_too_deep
from parable.llm.proposals import parse_candidates
from parable.quality.story_groups import similarity
from parable.reading import differences, mentions
from parable.reading.answers import LONGEST, read_answer
from parable.reading.differences import DEL, INS, SAME, line_diff, word_diff
from parable.reading.markers import MOST_MARKERS
from parable.reading.mentions import MOST_MENTIONS, read_mentions
from parable.reading.option_texts import read_option_texts

OPTIONS = ["The sun rises", "Water is wet", "甲的想法", "B is good"]
FACTOR = 8
"""Between four times the text and sixteen times the work, with room for a busy machine."""
LEAST_SECONDS = 0.02
"""Less than that is noise."""

Read = Callable[[str], object]


def seconds(read: Read, text: str) -> float:
    """Processor time of one reading; the least of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        read(text)
        times.append(time.process_time() - start)
    return min(times)


UNITS = ["A ", "A\t", "so A ", "- A) ", "final answer: ", "answer is ", "\n", "\r", "ﷺ", "🄐", "不选A"]


@pytest.mark.parametrize("unit", UNITS)
def test_an_answer_takes_no_longer_than_its_length(unit: str) -> None:
    def read(text: str) -> None:
        read_answer(text, OPTIONS)

    short, long = (unit * size)[:size] if (size := LONGEST // 4) else "", (unit * LONGEST)[:LONGEST]
    limit = FACTOR * max(seconds(read, short), LEAST_SECONDS)
    assert seconds(read, long) < limit
    assert seconds(read, long * 10) < 2 * limit, "an endless answer is cut before and after it is folded"


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("proposals", lambda text: parse_candidates(text, wanted=3)),
        ("resemblance", lambda text: similarity(text, text + "x")),
        ("option texts", lambda text: read_option_texts(text, ["ab", "b a", "ab ab ab", "a"])),
    ],
)
@pytest.mark.parametrize("unit", ['{"a":', "[", "1. ", "- ", '"', "ab ", "ﷺ", "<think>"])
def test_text_of_models_takes_no_longer_than_its_length(name: str, read: Read, unit: str) -> None:
    short, long = (unit * 4000)[:4000], (unit * 16_000)[:16_000]
    assert seconds(read, long) < FACTOR * max(seconds(read, short), LEAST_SECONDS), name


def test_an_answer_is_looked_at_so_many_times_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(list(read_mentions("A is wrong. B, " * 2000, 4))) <= 2 * MOST_MENTIONS
    asked = []
    around = mentions._around

    def counted(*args: object, **named: object) -> tuple[str, str]:
        asked.append(args)
        return around(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(mentions, "_around", counted)
    read_answer("final answer: so A ... " * 1000, OPTIONS)
    assert len(asked) < 4 * MOST_MENTIONS + 4 * MOST_MARKERS


REPETITIVE = ["the cat and the dog and ", "a b ", "。，", "1) x\n", "的了"]


@pytest.mark.parametrize("unit", REPETITIVE)
def test_a_difference_compares_so_many_pieces_and_no_more(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[differences._Budget] = []

    class Noted(differences._Budget):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(differences, "_Budget", Noted)
    before = unit * 2000
    after = before[len(before) // 3 :] + "zz" + before[: len(before) // 2]
    for diff in (word_diff, line_diff):
        diff(before, after)
    parts = word_diff(before, after)
    assert all(budget.left >= 0 for budget in made)
    assert len(made) == 3, "the lines of a text share one budget"
    assert "".join(part.text for part in parts if part.op in (SAME, DEL)) == before
    assert "".join(part.text for part in parts if part.op in (SAME, INS)) == after


def test_a_small_change_in_a_long_text_is_still_shown_alone() -> None:
    before = "word of many " * 20_000
    parts = word_diff(before, before[:100_000] + "new " + before[100_000:])
    assert [part.op for part in parts].count(INS) == 1
    assert sum(len(part.text) for part in parts if part.op != SAME) < 20


def test_json_is_refused_by_its_nesting_before_it_is_parsed() -> None:
    deep = "[" * 4000 + "]" * 4000
    assert is_too_deep(deep)
    assert is_too_deep('{"a":' * 100_000)
    assert not is_too_deep(json.dumps({"text": deep}))
    assert not is_too_deep("[" * limits.MAX_NESTING + "]" * limits.MAX_NESTING)


@pytest.mark.parametrize("unit", ['\\"', "\\\\", '"\n', '"', '","', '{"a":"\\"'])
@pytest.mark.parametrize("name", ["nesting", "values", "rows"])
def test_json_is_looked_through_in_the_time_of_its_length(name: str, unit: str) -> None:
    def read(text: str) -> object:
        if name == "rows":
            return read_stories(f'[{{"text":"{text}'.encode(), name="x.json").errors
        return is_too_deep(f'["{text}') if name == "nesting" else has_more_values(f'["{text}', 10**9)

    short, long = unit * (8000 // len(unit)), unit * (32_000 // len(unit))
    assert seconds(read, long) < FACTOR * max(seconds(read, short), LEAST_SECONDS)


def test_a_table_of_a_million_columns_is_refused_by_its_header() -> None:
    def read(text: str) -> None:
        errors = read_stories(text.encode(), name="x.csv").errors
        assert [error.code for error in errors] == ["too_many_columns"]

    def header(columns: int) -> str:
        return "text," + ",".join(f"c{number}" for number in range(columns)) + "\n"

    assert seconds(read, header(200_000)) < FACTOR * max(seconds(read, header(50_000)), LEAST_SECONDS)


def test_a_spreadsheet_that_repeats_one_text_is_refused_by_its_characters() -> None:
    book = openpyxl.Workbook(write_only=False)
    sheet = book.worksheets[0]
    sheet.append(["title", "text"])
    for _ in range(limits.MAX_SHEET_CHARS // 30_000 + 2):
        sheet.append(["a", "x" * 30_000])
    packed = io.BytesIO()
    book.save(packed)
    assert len(packed.getvalue()) < 2**20
    errors = read_stories(packed.getvalue(), name="x.xlsx").errors
    assert [error.code for error in errors] == ["xlsx_too_large"]
