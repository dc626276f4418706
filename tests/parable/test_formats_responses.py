"""Responses of any origin are read, or what is wrong is said with file, line and field."""

import json
from pathlib import Path
from typing import Any

import pytest

from parable.commands.wording import sentence_of
from parable.formats.errors import ErrorCode
from parable.formats.responses import read_responses

OPTIONS = {"crow-1": 4, "fox-1": 3}


def _file(tmp_path: Path, *rows: Any) -> Path:
    path = tmp_path / "responses.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _line(**changes: Any) -> dict[str, Any]:
    return {"model": "m", "item_id": "crow-1", "repeat": 1, "text": "B"} | changes


def test_it_reads_text_choice_and_what_has_neither(tmp_path: Path) -> None:
    rows = (
        _line(text="B\u0000", order=[3, 2, 1, 0], rotation=1),
        {"model": "m", "item_id": "crow-1", "repeat": 2, "choice": 3},
        {"model": "m", "item_id": "fox-1", "choice": "C"},
        _line(repeat=3, text=None),
        _line(repeat=4, text="", outcome="refused"),
        _line(repeat=5, text=""),
    )
    found = read_responses([_file(tmp_path, *rows)], options=OPTIONS)
    assert not found.errors
    read = [(one.repeat, one.rotation, one.order, one.text, one.choice, one.outcome) for one in found.records]
    assert read == [
        (1, 1, (3, 2, 1, 0), "B\u0000", None, None),
        (2, 0, None, None, 3, None),
        (1, 0, None, None, 2, None),
        (3, 0, None, None, None, "failed"),
        (4, 0, None, None, None, "refused"),
        (5, 0, None, "", None, None),
    ]


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        (_line(item_id="owl-1"), "item_id", ErrorCode.UNKNOWN_ITEM),
        (_line(model=""), "model", ErrorCode.MISSING),
        (_line(repeat="1"), "repeat", ErrorCode.NOT_WHOLE_NUMBER),
        (_line(rotation=-1), "rotation", ErrorCode.NOT_WHOLE_NUMBER),
        (_line(text=7), "text", ErrorCode.NOT_TEXT),
        ({"model": "m", "item_id": "crow-1"}, "text", ErrorCode.MISSING),
        ({"model": "m", "item_id": "fox-1", "choice": 3}, "choice", ErrorCode.KEY_OUTSIDE),
        ({"model": "m", "item_id": "fox-1", "choice": "AB"}, "choice", ErrorCode.TWO_KEYS),
        (_line(order=[0, 0, 1, 2]), "order", ErrorCode.BAD_ORDER),
        (_line(outcome="lost"), "outcome", ErrorCode.UNKNOWN_VALUE),
    ],
)
def test_it_names_line_and_field(tmp_path: Path, row: dict[str, Any], field: str, code: ErrorCode) -> None:
    found = read_responses([_file(tmp_path, _line(), row)], options=OPTIONS)
    assert (found.errors[0].row, found.errors[0].field, found.errors[0].code) == (2, field, code)


def test_it_takes_an_answer_once_and_the_later_of_one_that_failed(tmp_path: Path) -> None:
    rows = _line(text=None), _line(text="C"), _line(text="C"), _line(text=None)
    found = read_responses([_file(tmp_path, *rows)], options=OPTIONS)
    assert not found.errors
    assert [one.text for one in found.records] == ["C"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b'{"doc": {}, "resps": [["B"]], "filtered_resps": ["B"]}\n', "lm-evaluation-harness (samples)"),
        (b'{"version": 2, "eval": {}, "samples": []}', "Inspect (log)"),
        (b'{"custom_id": "1", "response": {}}', "OpenAI API (batch)"),
        (b'{"id": "m1", "question": "Why?", "choices": ["a"]}\n' * 3, "benchmark items"),
        (b'{"name": 1}', "JSON"),
        (b"item,answer\nm1,B\n", "CSV/TSV"),
        (b"PK\x03\x04rest", "ZIP"),
    ],
)
def test_it_says_in_one_sentence_what_a_file_of_another_kind_is(
    tmp_path: Path, content: bytes, what: str
) -> None:
    file = tmp_path / "answers"
    file.write_bytes(content)
    (error,) = read_responses([file], options={"m1": 4}).errors
    assert what in sentence_of(error, "en")
    assert what in sentence_of(error, "zh")


def test_it_refuses_two_answers_to_one_asking(tmp_path: Path) -> None:
    found = read_responses([_file(tmp_path, _line(), _line(text="D"))], options=OPTIONS)
    assert [(one.row, one.code) for one in found.errors] == [(2, ErrorCode.ANSWERED_TWICE)]
