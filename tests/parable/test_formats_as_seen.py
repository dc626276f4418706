"""A spreadsheet is read as a person sees it; what is read otherwise, or not at all, is said."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from parable.formats import ErrorCode, ItemRecord, Reading, read_items, read_stories
from parable.formats.errors import error_message
from parable.formats.number_formats import displayed
from parable.formats.table_writer import Sheet, write_xlsx
from parable.formats.xlsx_reader import read_xlsx
from tests.parable.test_formats_spreadsheets import HEAD, cell, sheet, with_parts, with_sheet

HEADER = ["id", "story", "question", "A", "B", "C", "D", "answer"]
ROW = ["1", "A crow was thirsty.", "How full?", "a", "b", "c", "d", "B"]

# Value, format, and what a spreadsheet program shows.
SHOWN = [
    (0.5, "0%", "50%"),
    (0.125, "0.0%", "12.5%"),
    (1.5, "0.00", "1.50"),
    (1 / 3, "0.00", "0.33"),
    (2.5, "0", "3"),
    (8, "000", "008"),
    (0, "00", "00"),
    (12_345_678, "000-0000-0000", "000-1234-5678"),
    (1234.5, "#,##0.00", "1,234.50"),
    (1_234_567, "#,##0", "1,234,567"),
    (12_345, "0,", "12"),
    (1.25, "0.0#", "1.25"),
    (1.2, "0.0#", "1.2"),
    (-5, "0_);(0)", "(5)"),
    (-5, "0.0", "-5.0"),
    (-0.001, "0.00", "0.00"),
    (0, '0;-0;"none"', "none"),
    (3, '"¥"0.00', "¥3.00"),
    (3, "[$¥-804]#,##0.00", "¥3.00"),
    (3, "[$$-409]0", "$3"),
    (1234.5, '_ "¥"* #,##0.00_ ;_ "¥"* \\-#,##0.00_ ;_ "¥"* "-"??_ ;_ @_ ', "¥1,234.50"),
    (3, "[Red]0.0", "3.0"),
    (5, '0"个"', "5个"),
    (5, 'General"岁"', "5岁"),
    (5, "0\\%", "5%"),
    (0.5, "# ?/?", "1/2"),
    (1.5, "# ?/?", "1 1/2"),
    (0.75, "# ?/8", "6/8"),
    (12_345, "0.00E+00", "1.23E+04"),
    (43_894, "m-d", "3-4"),
    (43_894, "yyyy-mm-dd", "2020-03-04"),
    (43_894, "yyyy\\-mm\\-dd", "2020-03-04"),
    (43_894, 'm"月"d"日"', "3月4日"),
    (43_894, '[$-804]yyyy"年"m"月"d"日";@', "2020年3月4日"),
    (43_894.5, "yyyy/m/d h:mm", "2020/3/4 12:00"),
    (43_894, "dd/mm/yy", "04/03/20"),
    (0.3541666667, "h:mm", "8:30"),
    (0.75, "h:mm AM/PM", "6:00 PM"),
    (1.5, "[h]:mm:ss", "36:00:00"),
    (0.1 + 0.2, "General", "0.3"),
    (3, "G/通用格式", "3"),
    (3, "@", "3"),
    # What the reader's own settings decide, or what is too rare to be read.
    (43_894, "d-mmm", None),
    (43_894, "dddd", None),
    (3, "[>2]0.0;0", None),
    (3, "[DBNum1]0", None),
    (1e300, "0.00", None),
]


@pytest.mark.parametrize(("value", "code", "seen"), SHOWN)
def test_a_number_is_read_as_its_format_shows_it(value: float, code: str, seen: str | None) -> None:
    assert displayed(float(value), code) == seen


def test_days_are_counted_from_where_the_file_says() -> None:
    assert displayed(60.0, "yyyy-mm-dd", since_1904=True) == "1904-03-01"
    assert displayed(1.0, "yyyy-mm-dd") == "1900-01-01"
    assert displayed(61.0, "yyyy-mm-dd") == "1900-03-01"


SHEET_READ = (
    "Of the sheets of the file, this one is read. To read another: --sheet, or “Sheet or configuration” on"
    " the import page."
)


def read(change: Callable[[Workbook, Worksheet], object], sheet: str = "") -> Reading[ItemRecord]:
    """What is read of a workbook with one item, after this change to it."""
    book = openpyxl.Workbook()
    page = book.worksheets[0]
    page.append(HEADER)
    page.append(ROW)
    change(book, page)
    file = io.BytesIO()
    book.save(file)
    return read_items(file.getvalue(), name="items.xlsx", sheet=sheet)


def remarks(reading: Reading[ItemRecord]) -> list[tuple[int, str, str]]:
    return [(remark.row, remark.field, error_message(remark)) for remark in reading.remarks]


def test_it_says_which_numbers_are_read_as_they_are_shown() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        for place, value, code in (("D2", 0.5, "0%"), ("E2", 1.5, "0.00"), ("F2", 8, "000"), ("G2", 3, "0")):
            page[place] = value
            page[place].number_format = code

    reading = read(change)
    assert reading.records[0].choices == ("50%", "1.50", "008", "3")
    assert remarks(reading) == [
        (2, "A", "The number is read as its format shows it: “50%”."),
        (2, "B", "The number is read as its format shows it: “1.50”."),
        (2, "C", "The number is read as its format shows it: “008”."),
    ]


def test_a_date_is_read_as_it_is_shown_or_refused() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        page["D2"] = dt.date(2020, 3, 4)
        page["D2"].number_format = "m-d"

    assert read(change).records[0].choices[0] == "3-4"

    def in_the_order_of_the_country(_book: Workbook, page: Worksheet) -> None:
        page["D2"] = dt.date(2020, 3, 4)
        page["D2"].number_format = "mm-dd-yy"  # number 14, which each country shows in its own order

    (error,) = read(in_the_order_of_the_country).errors
    assert (error.row, error.field, error.code) == (2, "A", ErrorCode.CELL_IS_DATE)


def test_a_format_that_the_file_does_not_settle_is_said() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        page["D2"] = 3.25
        page["D2"].number_format = "[>2]0.0;0"

    reading = read(change)
    assert reading.records[0].choices[0] == "3.25"
    assert [one.code for one in reading.remarks] == [ErrorCode.NUMBER_AS_STORED]


@pytest.mark.parametrize(
    ("stored", "seen"),
    [("a_x000D_\nb", "a\r\nb"), ("a_x005F_x000D_b", "a_x000D_b"), ("a_x00_b _X000D_", "a_x00_b _X000D_")],
)
def test_escaped_characters_are_turned_back(stored: str, seen: str) -> None:
    rows = f'{HEAD}<row r="2">{cell("A2", stored)}{cell("B2", "1")}</row>'
    story = read_stories(with_sheet(sheet(rows.replace("story", "text"))), name="s.xlsx").records[0].text
    assert story.replace("\r\n", "\n") == seen.replace("\r\n", "\n")


@pytest.mark.parametrize("text", ["_x000D_", "a _x0041_ b", "__x0041__", "_x00_"])
def test_what_looks_like_an_escape_comes_back_from_our_own_files(text: str) -> None:
    data = write_xlsx([Sheet("stories", ["id", "text"], [["1", text]])])
    assert read_stories(data, name="s.xlsx").records[0].text == text


def test_the_first_visible_sheet_with_known_columns_is_read_and_the_others_are_named() -> None:
    def change(book: Workbook, page: Worksheet) -> None:
        old = book.create_sheet("old", 0)
        old.append(HEADER)
        old.append(["9", *ROW[1:]])
        old.sheet_state = "hidden"
        cover = book.create_sheet("cover", 1)
        cover.append(["How to fill this in"])
        cover.append(["Ask Wen."])
        book.create_sheet("empty")
        page.title = "items"

    reading = read(change)
    assert [record.id for record in reading.records] == ["1"]
    assert remarks(reading) == [
        (1, "old", "This sheet is not read; filled rows in it: 2."),
        (1, "cover", "This sheet is not read; filled rows in it: 2."),
        (1, "items", SHEET_READ),
    ]


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), min_size=1, max_size=30)
VALUES = TEXTS | st.integers(-(10**14), 10**14) | st.floats(-1e9, 1e9).map(lambda value: round(value, 4))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(VALUES, st.sampled_from(["General", "0.00", "0%", "000", "#,##0.0", "@"])), min_size=1)
)
def test_any_cell_is_read_as_it_was_meant_or_something_is_said(
    cells: list[tuple[str | int | float, str]],
) -> None:
    book = openpyxl.Workbook()
    page = book.worksheets[0]
    for column, (value, code) in enumerate(cells, start=1):
        at = page.cell(1, column)
        at.value = value.replace("_x", "_y") if isinstance(value, str) else value
        at.data_type, at.number_format = "s" if isinstance(value, str) else "n", code
    file = io.BytesIO()
    book.save(file)
    found = read_xlsx(file.getvalue())
    said_of = {finding.column for finding in found.remarks}
    ((_row, texts),) = found.rows
    for column, (value, _code) in enumerate(cells[:64]):
        if isinstance(value, str):
            assert texts[column] == value.replace("_x", "_y")
        elif column not in said_of:
            assert isinstance(read_as := texts[column], str)
            assert float(read_as) == value


def test_a_title_above_the_names_of_the_columns_is_looked_past_and_said() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        page.insert_rows(1, 3)
        page["A1"], page["B2"] = "Items of spring", "by Wen"

    reading = read(change)
    assert [(row.row, row.record.id) for row in reading.rows] == [(5, "1")]
    assert remarks(reading) == [
        (1, "row", "The row is above the names of the columns, and is not read. (2 rows: 1, 2)")
    ]

    def of_another_kind(_book: Workbook, page: Worksheet) -> None:
        page.insert_rows(1)
        page["A1"], page["B1"] = "Items", "of spring"

    assert [error.code for error in read(of_another_kind).errors] == [ErrorCode.MISSING_COLUMN]


def test_struck_out_words_are_no_part_of_an_option_or_a_key() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        struck = InlineFont(strike=True)
        page["D2"] = CellRichText(TextBlock(struck, "She slept"), TextBlock(InlineFont(), "She dozed"))
        page["F2"] = CellRichText(TextBlock(InlineFont(strike=False), "kept"))
        page["G2"].font = Font(strike=True)
        page["H2"] = CellRichText(TextBlock(struck, "A"), "B")

    reading = read(change)
    assert reading.errors == ()
    (record,) = reading.records
    assert (record.choices, record.answer) == (("She dozed", "b", "kept"), 1)
    assert remarks(reading) == [
        (2, "A", "Struck-out words are not read: “She slept”."),
        (2, "D", "Struck-out words are not read: “d”."),
        (2, "answer", "Struck-out words are not read: “A”."),
    ]


def test_hidden_and_filtered_rows_are_counted() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        for number in range(2, 5):
            page.append([str(number), *ROW[1:]])
            page.row_dimensions[number].hidden = True

    reading = read(change)
    assert len(reading.rows) == 4
    assert remarks(reading) == [
        (2, "row", "The row is hidden or filtered out in the spreadsheet, and is read. (3 rows: 2, 3, 4)")
    ]


def test_a_hidden_column_that_is_read_is_said_and_others_are_not() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        for letter in "FXZ":  # an option, and two columns that hold nothing
            page.column_dimensions[letter].hidden = True

    reading = read(change)
    assert [record.id for record in reading.records] == ["1"]
    assert remarks(reading) == [(1, HEADER[5], "The column is hidden in the spreadsheet, and is read.")]


def test_of_several_sheets_with_known_columns_a_person_chooses() -> None:
    def change(book: Workbook, page: Worksheet) -> None:
        page.title = "first round"
        second = book.create_sheet("Second Round")
        second.append(HEADER)
        second.append(["9", *ROW[1:]])

    for chosen, ids in (
        ("", ["1"]),
        ("first round", ["1"]),
        ("second round", ["9"]),
        (" Second Round ", ["9"]),
    ):
        reading = read(change, chosen)
        assert [record.id for record in reading.records] == ids
        name = "first round" if ids == ["1"] else "Second Round"
        assert (1, name, SHEET_READ) in remarks(reading)
    (error,) = read(change, "third").errors
    assert error_message(error) == "The file has no sheet “third”. Its sheets: first round, Second Round."


def test_a_formula_without_a_stored_value_is_no_empty_cell() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        page["D2"] = '="a"&"b"'

    (error,) = read(change).errors
    assert (error.row, error.field, error.code) == (2, "A", ErrorCode.CELL_HAS_NO_VALUE)


def test_a_merged_cell_counts_for_all_its_rows() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        for number in (2, 3):
            page.append([str(number), None, *ROW[2:]])
        page.append(["4", "Another story.", *ROW[2:]])
        page.merge_cells("B2:B4")

    reading = read(change)
    assert [record.story for record in reading.records] == [ROW[1], ROW[1], ROW[1], "Another story."]
    assert remarks(reading) == [
        (3, "story", "The merged cell of row 2 also counts here. (2 rows: 3, 4)"),
    ]


def test_a_merged_header_fills_no_row() -> None:
    def change(_book: Workbook, page: Worksheet) -> None:
        page.merge_cells("G1:G2")
        page.merge_cells("I1:J1")

    assert read(change).records[0].choices == ("a", "b", "c")


@pytest.mark.parametrize(
    ("calculation", "said"),
    [
        ('<calcPr calcId="124519" fullCalcOnLoad="1"/>', True),
        ('<calcPr fullCalcOnLoad="0"/>', False),
        ("", False),
    ],
)
def test_it_is_said_that_no_program_has_calculated_a_formula_yet(calculation: str, said: bool) -> None:
    """XlsxWriter 3.3.1 writes 0 for every formula, and takes texts as "=1+1" for formulas; Excel shows 2."""
    formula = '<c r="D2"><f>1+1</f><v>0</v></c>'
    cells = "".join(cell(f"{'ABCEFGH'[at]}2", text) for at, text in enumerate([*ROW[:3], *ROW[4:]]))
    before, behind = cells[: cells.index('<c r="E2"')], cells[cells.index('<c r="E2"') :]
    names = "".join(cell(f"{'ABCDEFGH'[at]}1", text) for at, text in enumerate(HEADER))
    rows = f'<row r="1">{names}</row><row r="2">{before}{formula}{behind}</row>'
    book = (
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r='
        '"http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
        f'<sheet name="Sheet" sheetId="1" r:id="rId1"/></sheets>{calculation}</workbook>'
    )
    reading = read_items(with_parts({"xl/workbook.xml": book.encode()}, rows), name="items.xlsx")
    assert reading.records[0].choices == ("0", "b", "c", "d")
    found = [(one.row, one.field, one.code) for one in reading.remarks]
    assert ((2, "A", ErrorCode.FORMULA_NOT_COMPUTED) in found) == said
