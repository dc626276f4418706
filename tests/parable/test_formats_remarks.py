"""What is read otherwise than it is written is said: by every reader, once a field, with its rows."""

import json
from pathlib import Path

import pytest

from parable.__main__ import main
from parable.formats.errors import IN_ROWS, ErrorCode, ErrorList, RowError, english_with_place, error_message
from parable.formats.items import read_items
from parable.formats.limits import MAX_ERRORS, MAX_REMARKS
from parable.formats.stories import read_stories
from parable.sentences import translate

TABLE = """id,story,question,A,B,answer,difficulty,,note
g1,A fox praised a crow.,Who praised?,the fox,the crow,A,easy,x,
g2,A fox praised a crow.,Who was praised?,the fox,the crow,B,,,
g3,A fox praised a crow.,Who sang?,the fox,the crow,B,hard,,
"""


def remarks(found: tuple[RowError, ...]) -> dict[str, str]:
    return {remark.field: error_message(remark) for remark in found}


def test_it_names_columns_that_it_does_not_read_with_their_filled_cells() -> None:
    reading = read_items(TABLE.encode(), name="items.csv")
    assert remarks(reading.remarks) == {
        "difficulty": "The column is not read; filled cells in it: 2.",
        "#8": "The column is not read; filled cells in it: 1.",
    }
    lines = [{"text": "A fox.", "year": 1668}, {"text": "A crow.", "year": None, "tag": ["bird"]}]
    stories = read_stories("".join(json.dumps(one) + "\n" for one in lines).encode(), name="s.jsonl")
    assert [remark.params["cells"] for remark in stories.remarks] == [1, 1]


def test_a_remark_stands_for_all_rows_of_one_field() -> None:
    errors = ErrorList("items.csv")
    for row in range(2, MAX_ERRORS + 12):
        errors.remark(row, "answer", ErrorCode.UNREAD_COLUMN, cells=row)
        errors.remark(row, "answer", ErrorCode.UNREAD_COLUMN, cells=0)
    (remark,) = errors.remarks
    assert (remark.row, remark.count, len(remark.rows)) == (2, MAX_ERRORS + 10, MAX_ERRORS)
    assert english_with_place(remark) == (
        "items.csv, row 2, answer: The column is not read; filled cells in it: 2."
        " (1010 rows: 2, 3, 4, 5, 6, 7, 8, 9, …)"
    )
    assert len(errors) == 0


def test_remarks_without_end_are_cut_and_that_is_said() -> None:
    errors = ErrorList("items.csv")
    for number in range(MAX_REMARKS + 5):
        errors.remark(1, f"field {number}", ErrorCode.UNREAD_COLUMN, cells=1)
    assert [one.code for one in errors.remarks[-2:]] == [ErrorCode.UNREAD_COLUMN, ErrorCode.MORE_REMARKS]
    assert len(errors.remarks) == MAX_REMARKS + 1


@pytest.mark.parametrize(
    ("language", "heading"), [("en", "How the files were read:"), ("zh", "文件的读取方式：")]
)
def test_an_audit_says_how_files_were_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, heading: str
) -> None:
    path = tmp_path / "items.csv"
    path.write_text(TABLE, encoding="utf-8")
    main(["audit", str(path), "--json", "--language", language])
    out = capsys.readouterr().out.splitlines()
    assert out[0] == heading
    assert "difficulty" in out[1]
    found = json.loads(out[-1])["remarks"]
    assert {(one["field"], one["code"], *one["rows"]) for one in found} == {
        ("difficulty", "unread_column", 1),
        ("#8", "unread_column", 1),
    }
    assert translate(IN_ROWS, "zh") != IN_ROWS
