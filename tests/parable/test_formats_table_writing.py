"""Tables that go into spreadsheets."""

import io

import openpyxl
import pytest

from parable.formats.table_writer import Sheet, defused, write_csv, write_xlsx

SHEET = Sheet("审核", ["人", "note"], [["文", "=1+1"], ["B", None], [3, 0.5]])


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n1", "=cmd|' /C calc'!A0"),
        *("＝1+1", "＋1", "－1", "＠SUM(A1)", "﹦1", "﹢1", "﹣1", "﹫SUM(A1)"),
        *(" =1+1", "\u3000＝1+1", "\u200b=1", "\ufeff=1", "\x00=1", "\u00a0\t=1"),
    ],
)
def test_it_defuses_what_a_spreadsheet_would_run(text: str) -> None:
    assert defused(text) == f"'{text}"


@pytest.mark.parametrize("cell", ["a=b", "", " ", "1-2", "寓言＝故事", -3, 4.5, None, True])
def test_it_leaves_everything_else_alone(cell: str | float | None) -> None:
    assert defused(cell) is cell


def test_it_writes_csv_that_spreadsheets_read_as_chinese() -> None:
    data = write_csv(SHEET)
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.decode("utf-8-sig").splitlines() == ["人,note", "文,'=1+1", "B,", "3,0.5"]


def test_it_writes_a_workbook_with_a_sheet_for_each_table() -> None:
    book = openpyxl.load_workbook(io.BytesIO(write_xlsx([SHEET, Sheet("a/b:c" * 10, ["x"], [["\x00bad"]])])))
    assert book.sheetnames[0] == "审核"
    assert len(book.sheetnames[1]) <= 31
    assert [list(row) for row in book["审核"].iter_rows(values_only=True)] == [
        ["人", "note"],
        ["文", "'=1+1"],
        ["B", None],
        [3, 0.5],
    ]
    assert book.worksheets[1]["A2"].value == "bad"
