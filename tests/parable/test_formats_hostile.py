"""Hostile and broken files: each gives an error with file, row, field and a sentence, never an exception."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parable.formats import (
    SENTENCES,
    ErrorCode,
    ItemRecord,
    Reading,
    english,
    english_with_place,
    item_columns,
    json_item_columns,
    limits,
    parameters,
    read_items,
    read_stories,
    story_columns,
)
from parable.formats.errors import ErrorList, InputError
from parable.formats.limits import ANYBODYS
from parable.formats.mapped_items import offer_mapping
from parable.formats.source_file import SourceFile
from parable.formats.stories import foreign_story_columns
from tests.parable.hostile_files import CASES, CRMUS_ITEM, DEEP, PARABLE_ITEM, STORY_CASES, Case, crmus, lines


def codes(reading: Reading[Any]) -> list[tuple[int, str, ErrorCode]]:
    """The errors as row, field and code."""
    return [(error.row, error.field, error.code) for error in reading.errors]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_it_names_file_row_and_field_of_what_is_wrong(case: Case) -> None:
    reading = read_items(case.data, name="items.file", format=case.format)

    assert (case.row, case.field, case.code) in codes(reading)
    assert case.row not in [row.row for row in reading.rows]
    for error in reading.errors:
        assert error.file == "items.file"
        assert error.params.keys() == parameters(error.code)
        sentence = english(error)
        assert sentence[0].isupper() or sentence[0] == "“"
        assert sentence.endswith((".", ")."))
        assert len(sentence) < 500
        assert sentence.isprintable()
        assert english_with_place(error).startswith(f"items.file, row {error.row}, {error.field}: ")


@pytest.mark.parametrize("case", [case for case in CASES if case.row == 2], ids=lambda case: case.label)
def test_it_says_no_more_than_one_thing_about_one_fault(case: Case) -> None:
    reading = read_items(case.data, name="items", format=case.format)

    assert len([error for error in reading.errors if (error.row, error.field) == (case.row, case.field)]) == 1


def test_it_has_a_sentence_for_every_code_that_takes_its_parameters() -> None:
    assert set(SENTENCES) == set(ErrorCode)
    for code in ErrorCode:
        assert SENTENCES[code] % dict.fromkeys(parameters(code), 1)


def test_it_reads_on_after_a_broken_row_and_shows_all_errors() -> None:
    sound = json.dumps(PARABLE_ITEM)
    rows = [sound, '{"id": ', DEEP, '{"task": 3, "choices": []}', sound.replace("crow-c1", "crow-c2")]

    reading = read_items("\n".join(rows).encode(), name="items", format="parable")

    assert [row.row for row in reading.rows] == [1, 5]
    assert {row for row, _, _ in codes(reading)} == {2, 3, 4}
    assert {field for row, field, _ in codes(reading) if row == 4} == {
        "id",
        "task",
        "story",
        "question",
        "choices",
    }


def test_it_reads_on_in_a_list_whose_elements_are_broken() -> None:
    sound = json.dumps(CRMUS_ITEM)
    elements = [sound, '{"id": tru}', "{" + DEEP + "}", "3", sound.replace("1_1", "1_2")]

    reading = read_items(f"[{','.join(elements)}]".encode(), name="items")

    assert [row.row for row in reading.rows] == [1, 5]
    assert [row for row, _, _ in codes(reading)] == [2, 3, 4]


def test_it_names_line_and_column_of_broken_json() -> None:
    error = read_items(b'[\n  {},\n  {"id": oops}\n]', name="items").errors[-1]

    assert (error.row, error.field) == (2, "id")
    assert error.params == {"line": 3, "column": 10, "near": "oops}"}


def test_it_stops_after_a_thousand_errors_and_says_so() -> None:
    reading = read_items(b"[" + b"1," * 5_000 + b"1]", name="items")

    assert len(reading.errors) == limits.MAX_ERRORS + 1
    assert reading.errors[-1].code == ErrorCode.TOO_MANY_ERRORS


def test_it_takes_no_row_that_was_found_broken_when_errors_were_full() -> None:
    broken = {**PARABLE_ITEM, "answer": 9, "question": 3}
    data = "".join(json.dumps({**broken, "id": str(number)}) + "\n" for number in range(2_000))

    assert read_items(data.encode(), name="items").rows == ()


@pytest.mark.parametrize(
    "data",
    [b"[" * 9_000_000, b"[" + b"," * 9_000_000, b"{" + b"[" * 9_000_000, b'["' + b"\\" * 9_000_000],
)
def test_it_gives_up_soon_on_files_of_brackets(data: bytes) -> None:
    assert read_items(data, name="items").errors


def test_it_refuses_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 100)

    (error,) = read_items(b"x" * 101, name="items").errors

    assert (error.code, error.params) == (ErrorCode.FILE_TOO_LARGE, {"size": 101, "limit": 100})


def test_it_reads_a_long_file_of_others_line_by_line_and_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "items.jsonl"
    broken = b"\n{\n" + b'{"id": "c", "story": "\xff"}\n' + lines(id="d", answer=9)
    file.write_bytes(b"\xef\xbb\xbf" + lines() + lines(id="b") + lines(id="\u00e9\u0007") + broken)
    short = read_items(file, name="items", rules=ANYBODYS)
    for limit in ("LONG_FILE_BYTES", "MAX_ROWS"):
        monkeypatch.setattr(limits, limit, 1)

    long = read_items(file, name="items", rules=ANYBODYS)

    assert long == short
    assert (len(long.rows), long.remarks[-1].code) == (7, ErrorCode.KEY_OUTSIDE)
    assert long.records[0].story is long.records[1].story
    assert codes(read_items(file, name="items"))[-1][-1] == ErrorCode.TOO_MANY_ROWS
    monkeypatch.setattr(limits, "MAX_LONG_ROWS", 1)
    assert codes(read_items(file, name="items", rules=ANYBODYS))[-1][-1] == ErrorCode.TOO_MANY_ROWS


@pytest.mark.parametrize("first", ["id,question\n", "[{}]\n"])
def test_it_reads_no_other_long_file_line_by_line(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "items"
    file.write_text(first * 50, encoding="utf-8")
    monkeypatch.setattr(limits, "LONG_FILE_BYTES", 1)
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 100)

    (error,) = read_items(file, name="items", rules=ANYBODYS).errors

    assert error.code == ErrorCode.FILE_TOO_LARGE


def test_it_refuses_more_rows_than_it_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 3)
    table = b"story\n" + b"a\n" * 5

    for data in (lines() + lines(id="c") + lines(id="d"), table, b"[" + b",".join([b"{}"] * 5) + b"]"):
        assert read_items(data, name="items").errors[-1].code == ErrorCode.TOO_MANY_ROWS


def test_it_shows_what_it_found_on_one_printable_line() -> None:
    (error,) = read_items(crmus(answer="x\n" + "y" * 90), name="items").errors[:1]

    assert error.code == ErrorCode.LINE_BREAK
    (error,) = read_items(lines(answer=["\x00" + "y" * 90, "a"]), name="items").errors
    assert error.params["found"] == '["\\u0000' + "y" * 52 + "…"


@pytest.mark.parametrize(
    ("name", "field"),
    [("", "row"), ("mood", "mood"), ("a\0", "aU+0000"), ("\x1b[1m", "U+001B[1m"), ("\ud800", "U+D800")],
)
def test_it_spells_out_what_cannot_be_shown(name: str, field: str) -> None:
    (remark,) = read_items(lines(**{name: "x"}), name="items", format="parable").remarks
    assert (remark.field, remark.code) == (field, ErrorCode.UNREAD_COLUMN)

    errors = ErrorList("items")
    errors.add(1, name, ErrorCode.NOT_TEXT, (name,), found=name)
    errors.refuse(InputError(ErrorCode.NOT_TEXT, field=name, found=name))
    added, refused = errors.in_order()
    assert [added.field, refused.field] == [field] * 2
    assert [added.params, refused.params, added.items] == [{"found": field if name else ""}] * 2 + [
        (field if name else "",)
    ]
    assert InputError(ErrorCode.NOT_TEXT, found=name).params == added.params


@pytest.mark.parametrize("name", ["a\0", "\ud800"])
def test_it_offers_no_column_whose_name_cannot_be_shown(name: str) -> None:
    item = {name: "x", "question": "Who?", "A": "a", "B": "b"}
    for look in (json_item_columns, story_columns):
        assert name not in [column.name for column in look(json.dumps([item]).encode())]
    offer = offer_mapping(json.dumps([item]).encode())
    assert offer is not None
    assert offer.names == ("question", "A", "B")
    assert [column.name for column in item_columns(b"story,a\0,question\n1,2,3\n")] == ["story", "question"]
    tasks = json.dumps([{"data": item | {"story": "A fox."}, "annotations": []}]).encode()
    columns = foreign_story_columns(SourceFile(tasks))
    assert [column.name for column in columns] == ["question", "A", "B", "story"]


@pytest.mark.parametrize(("data", "row", "field", "code"), STORY_CASES)
def test_it_names_what_is_wrong_with_stories(data: bytes, row: int, field: str, code: str) -> None:
    reading = read_stories(data, name="stories")

    assert codes(reading) == [(row, field, code)]


@pytest.mark.parametrize("asked", ["jsonl", "csv", "xlsx"])
def test_it_reads_stories_in_the_format_asked_for_or_says_why_not(asked: str) -> None:
    assert read_stories(b"hello", name="stories", format=asked).errors


def test_it_says_that_a_file_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.jsonl", tmp_path, tmp_path / "nul\x00"):
        (error,) = read_stories(path, name="stories").errors
        assert error.code == ErrorCode.UNREADABLE_FILE


def test_it_refuses_a_format_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="xml"):
        read_items(b"", name="items", format="xml")
    with pytest.raises(ValueError, match="xml"):
        read_stories(b"", name="stories", format="xml")


MARKS = [
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b":",
    b'"',
    b"\\",
    b"\n",
    b"\r",
    b";",
    b"\x00",
    b"\xff",
    b"\xfe",
    b"\t",
]
WORDS = [
    b"null",
    b"true",
    b"NaN",
    b"1e999",
    b"-1",
    b"id",
    b"story",
    b"A",
    b'"options"',
    b'"answer"',
    b"PK\x03\x04",
]
SCRAPS = st.sampled_from(MARKS + WORDS)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(SCRAPS | st.binary(max_size=5), max_size=40).map(b"".join),
    st.sampled_from(["auto", "parable", "crmus", "table"]),
)
def test_it_never_raises_for_any_bytes(data: bytes, asked: str) -> None:
    _check(read_items(data, name="items", format=asked))
    _check(read_stories(data, name="stories"))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([crmus, lines]), st.data())
def test_it_never_raises_for_a_damaged_file(make: Callable[[], bytes], data: st.DataObject) -> None:
    sound = make()
    start = data.draw(st.integers(0, len(sound)))
    end = data.draw(st.integers(start, min(len(sound), start + 9)))
    damaged = sound[:start] + data.draw(SCRAPS | st.binary(max_size=4)) + sound[end:]

    _check(read_items(damaged, name="items"))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda values: st.lists(values, max_size=5) | st.dictionaries(st.text(max_size=3), values, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(CRMUS_ITEM)), st.sampled_from(sorted(PARABLE_ITEM)), JSON_VALUES)
def test_it_never_raises_for_any_value_in_any_field(in_crmus: str, in_lines: str, value: Any) -> None:
    _check(read_items(crmus(**{in_crmus: value}), name="items"))
    _check(read_items(lines(**{in_lines: value}), name="items"))
    for first in ({**CRMUS_ITEM, in_crmus: value}, {**PARABLE_ITEM, in_lines: value}):
        _check(read_items(json.dumps([first]).encode(), name="items"))


def _check(reading: Reading[Any]) -> None:
    for error in reading.errors:
        assert english(error)
        assert error.row >= 1
        assert error.field
    for record in reading.records:
        if isinstance(record, ItemRecord):
            assert record.answer is None or record.answer < len(record.choices)
