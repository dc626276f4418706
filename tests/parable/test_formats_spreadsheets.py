"""Spreadsheets: values are read as a person sees them, and hostile files are refused soon."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

import openpyxl
import pytest

from parable.formats import ErrorCode, limits, read_items, read_stories

HEADER = ["编号", "故事", "题干", "A", "B", "C", "D", "答案", "类型"]
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"


def workbook(*rows: Sequence[object]) -> bytes:
    """A spreadsheet of one sheet with these rows."""
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(list(row))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_sheet(content: bytes, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A spreadsheet whose sheet is these bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook(HEADER))) as old, zipfile.ZipFile(file, "w", compression) as new:
        for part in old.namelist():
            new.writestr(part, content if part == SHEET else old.read(part))
    return file.getvalue()


def with_parts(parts: Mapping[str, bytes], rows: str = "") -> bytes:
    """A spreadsheet with these parts in place of, or beside, those that openpyxl writes."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(with_sheet(sheet(rows or HEAD)))) as old:
        kept = {part: old.read(part) for part in old.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part, content in {**kept, **parts}.items():
            new.writestr(part, content)
    return file.getvalue()


def elsewhere(part: str, path: str, content: bytes = b"") -> bytes:
    """A spreadsheet one of whose parts lies at another path, as its relationships say."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(with_sheet(sheet(HEAD)))) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            held = old.read(name)
            if name.endswith(".rels"):
                held = held.replace(f"/{part}".encode(), f"/{path}".encode())
                held = held.replace(f'"{part}"'.encode(), f'"/{path}"'.encode())
            new.writestr(path if name == part else name, content if content and name == part else held)
    return file.getvalue()


def shared_texts(inside: str, declaration: str = "") -> dict[str, bytes]:
    """The part with the texts that cells share, and what leads to it; openpyxl writes texts into cells."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    sheets = f'<Relationship Id="rId1" Type="{kind}/worksheet" Target="worksheets/sheet1.xml"/>'
    texts = f'<Relationship Id="rId2" Type="{kind}/sharedStrings" Target="sharedStrings.xml"/>'
    return {
        "xl/_rels/workbook.xml.rels": f"<Relationships>{sheets}{texts}</Relationships>".encode(),
        "xl/sharedStrings.xml": f'{declaration}<sst xmlns="{NAMESPACE}">{inside}</sst>'.encode(),
    }


def sheet(rows: str, declaration: str = "") -> bytes:
    """The XML of a sheet that states a wrong size."""
    return (
        f'<?xml version="1.0"?>{declaration}<worksheet xmlns="{NAMESPACE}"><dimension ref="A1"/>'
        f"<sheetData>{rows}</sheetData></worksheet>"
    ).encode()


def cell(place: str, text: str) -> str:
    """The XML of a cell with text."""
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


HEAD = f'<row r="1">{cell("A1", "story")}{cell("B1", "id")}</row>'


def test_it_reads_numbers_and_truths_as_they_are_shown() -> None:
    data = workbook(HEADER, ["7", "s", "q", 1, 2.5, True, 1e3, "D", "社会常识"], [], [8, "t", "", None, "b"])

    reading = read_items(data, name="table.xlsx")

    assert (reading.errors, reading.format) == ((), "table")
    assert [row.row for row in reading.rows] == [2, 4]
    assert reading.records[0].choices == ("1", "2.5", "TRUE", "1000")
    assert reading.records[0].answer == 3
    assert (reading.records[1].id, reading.records[1].choices) == ("8", ("b",))


def test_it_reads_the_value_of_a_formula() -> None:
    rows = f'{HEAD}<row r="2"><c r="A2" t="str"><f>"a"&amp;"b"</f><v>ab</v></c></row>'

    assert read_items(with_sheet(sheet(rows)), name="table").records[0].story == "ab"


def test_it_reads_past_a_wrong_size_and_keeps_row_numbers() -> None:
    rows = f'{HEAD}<row r="5">{cell("A5", "hello")}{cell("B5", "7")}</row>'

    (row,) = read_items(with_sheet(sheet(rows)), name="table").rows

    assert (row.row, row.record.story, row.record.id) == (5, "hello", "7")


def test_it_reads_stories_with_chinese_headers() -> None:
    reading = read_stories(
        workbook(["标题", "故事", "寓意"], ["乌鸦", " 乌鸦口渴。", None]), name="stories.xlsx"
    )

    assert (reading.format, reading.errors) == ("xlsx", ())
    assert (reading.records[0].title, reading.records[0].text, reading.records[0].moral) == (
        "乌鸦",
        "乌鸦口渴。",
        None,
    )


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("#REF!", ErrorCode.CELL_IS_ERROR),
    ],
)
def test_it_refuses_a_cell_that_the_spreadsheet_has_changed(value: object, code: ErrorCode) -> None:
    (error,) = read_items(workbook(HEADER, ["1", "s", "q", value]), name="table").errors

    assert (error.row, error.field, error.code) == (2, "A", code)


DOCTYPE = "<!DOCTYPE a [<!ENTITY b 'c'>]>"
HOSTILE: list[tuple[str, Callable[[], bytes], ErrorCode]] = [
    ("not a sheet", lambda: with_sheet(b"<html/>"), ErrorCode.MISSING_COLUMN),
    ("no XML", lambda: with_sheet(b"\x01\x02"), ErrorCode.NOT_XLSX),
    ("cut off", lambda: workbook(HEADER)[:-100], ErrorCode.NOT_XLSX),
    ("damaged", lambda: workbook(HEADER).replace(b"PK\x01\x02", b"PK\x09\x09"), ErrorCode.NOT_XLSX),
    ("a zip of something else", lambda: with_sheet(b"")[:4] + b"\x00" * 500, ErrorCode.NOT_XLSX),
    ("entities", lambda: with_sheet(sheet(HEAD, DOCTYPE)), ErrorCode.NOT_XLSX),
    (
        "entities in UTF-16",
        lambda: with_sheet(sheet(HEAD, DOCTYPE).decode().encode("utf-16")),
        ErrorCode.NOT_XLSX,
    ),
    (
        "entities in a part of another name",
        lambda: elsewhere(SHEET, "xl/a.png", sheet(HEAD, DOCTYPE)),
        ErrorCode.NOT_XLSX,
    ),
    (
        "entities in shared texts",
        lambda: with_parts(shared_texts("<si/>", DOCTYPE)),
        ErrorCode.NOT_XLSX,
    ),
    (
        "entities in styles",
        lambda: with_parts({"xl/styles.xml": DOCTYPE.encode() + b"<a/>"}),
        ErrorCode.NOT_XLSX,
    ),
    (
        "entities in relationships",
        lambda: with_parts({"_rels/.rels": DOCTYPE.encode() + b"<a/>"}),
        ErrorCode.NOT_XLSX,
    ),
    ("two parts of one name", lambda: with_parts({"XL\\workbook.XML": b"<a/>"}), ErrorCode.NOT_XLSX),
    (
        "a text from the end of the list",
        lambda: with_parts(shared_texts("<si><t>story</t></si>"), '<row><c t="s"><v>-1</v></c></row>'),
        ErrorCode.NOT_XLSX,
    ),
    ("rows that go back", lambda: with_sheet(sheet(f'{HEAD}<row r="1"/>')), ErrorCode.NOT_XLSX),
    (
        "a number of a million digits",
        lambda: with_sheet(sheet(f"<row><c><v>{'9' * 400_000}</v></c></row>")),
        ErrorCode.NOT_XLSX,
    ),
    (
        "a column of endless letters",
        lambda: with_sheet(sheet(f"<row>{cell('A' * 400_000, 'x')}</row>")),
        ErrorCode.TOO_MANY_COLUMNS,
    ),
    ("a deep nest", lambda: with_sheet(sheet("<a>" * 100_000 + "</a>" * 100_000)), ErrorCode.NOT_XLSX),
    ("a long comment", lambda: with_sheet(sheet(f"<!--{'x' * 10**6}-->")), ErrorCode.XLSX_LONG_TAG),
    ("a long attribute", lambda: with_sheet(sheet(f'<a b="{">" * 10**6}"/>')), ErrorCode.XLSX_LONG_TAG),
    ("far more than its size", lambda: with_sheet(sheet("<row/>" * 400_000)), ErrorCode.XLSX_TOO_DENSE),
    (
        "far more in two parts",
        lambda: with_parts(shared_texts("<si/>" * 250_000), "<row/>" * 200_000),
        ErrorCode.XLSX_TOO_DENSE,
    ),
    (
        "100,000 formats",
        lambda: with_parts({"xl/styles.xml": b"<a><cellXfs>" + b"<xf/>" * 100_000}),
        ErrorCode.XLSX_TOO_MANY_STYLES,
    ),
    (
        "10,000 parts",
        lambda: with_parts({f"a{number}": b"" for number in range(limits.MAX_PARTS)}),
        ErrorCode.XLSX_TOO_MANY_PARTS,
    ),
    ("a rare compression", lambda: with_sheet(sheet(HEAD), zipfile.ZIP_LZMA), ErrorCode.NOT_XLSX),
    ("a bomb", lambda: with_sheet(b" " * (limits.MAX_UNPACKED_BYTES + 1)), ErrorCode.XLSX_TOO_LARGE),
    ("a row far away", lambda: with_sheet(sheet(f'{HEAD}<row r="99999999999"/>')), ErrorCode.TOO_MANY_ROWS),
    ("two columns of one name", lambda: workbook(["story", "故事"]), ErrorCode.DUPLICATE_COLUMN),
    (
        "too many columns",
        lambda: workbook(["story"] + ["x"] * limits.MAX_COLUMNS),
        ErrorCode.TOO_MANY_COLUMNS,
    ),
]


@pytest.mark.parametrize(("make", "code"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_it_refuses_a_hostile_spreadsheet(make: Callable[[], bytes], code: ErrorCode) -> None:
    data = make()
    for reading in (read_items(data, name="table.xlsx"), read_stories(data, name="table.xlsx")):
        (error,) = reading.errors
        assert (error.file, error.code) == ("table.xlsx", code)


def test_it_finds_parts_by_their_relationships_and_in_other_encodings() -> None:
    rows = f'{HEAD}<row r="2">{cell("A2", "s")}</row>'
    named = elsewhere(SHEET, "media/image1.png", sheet(rows))
    wide = with_sheet(sheet(rows).decode().encode("utf-16"))

    for data in (
        named,
        wide,
        with_sheet(
            sheet(rows).replace(b"xmlns=", b"xmlns:x=").replace(b"<c ", b"<x:c ").replace(b"</c>", b"</x:c>")
        ),
    ):
        assert [record.story for record in read_items(data, name="table").records] == ["s"]


def test_it_notices_what_stands_right_of_all_columns() -> None:
    (error,) = read_items(
        with_sheet(sheet(f"{HEAD}<row>{cell('A2', 's')}{cell('XFD2', 'B')}</row>")), name="t"
    ).errors

    assert (error.row, error.code) == (2, ErrorCode.EXTRA_CELLS)


def test_a_text_is_read_without_how_it_is_read_aloud() -> None:
    runs = "<r><t>東</t></r><r><t xml:space='preserve'> 京</t></r><rPh><t>x</t></rPh>"
    texts = f"<si><t>story</t></si><si>{runs}</si>"
    rows = '<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row>'

    (record,) = read_items(with_parts(shared_texts(texts), rows), name="table").records

    assert record.story == "東 京"


def test_it_passes_by_columns_far_to_the_right() -> None:
    rows = "".join(f'<row r="{row}">{cell(f"A{row}", "s")}<c r="XFD{row}"/></row>' for row in range(2, 3_000))

    assert len(read_items(with_sheet(sheet(HEAD + rows)), name="table").rows) == 2_998
