"""ODS: a cell is what a person sees, also where other readers lose it; what is not read is said."""

import io
import tracemalloc
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from parable.formats import english_with_place, read_items, read_stories
from parable.formats.limits import ANYBODYS

NAMESPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"))
)
STYLES = (
    '<style:style style:name="out" style:family="text"><style:text-properties'
    ' style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/>'
    "</style:style>"
)
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
RUBY = "<text:ruby><text:ruby-base>狐</text:ruby-base><text:ruby-text>hú</text:ruby-text></text:ruby>"
HEADER = ("story", "question", "A", "B", "answer")
ROW = ("A crow drank.", "Who drank?", "a crow", "a hare", "A")


def cell(words: str, more: str = 'office:value-type="string"') -> str:
    return f"<table:table-cell {more}>{words}</table:table-cell>"


def plain(*texts: str) -> str:
    return "".join(cell(f"<text:p>{text}</text:p>") for text in texts)


def row(cells: str, more: str = "") -> str:
    return f"<table:table-row{more}>{cells}</table:table-row>"


def sheet(*rows: str, name: str = "items", style: str = "") -> str:
    return f'<table:table table:name="{name}" table:style-name="{style}">{"".join(rows)}</table:table>'


def ods(*sheets: str, content: str = "", mimetype: str = MIMETYPE) -> bytes:
    body = f"<office:body><office:spreadsheet>{''.join(sheets)}</office:spreadsheet></office:body>"
    styles = f"<office:automatic-styles>{STYLES}</office:automatic-styles>"
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("mimetype", mimetype, ZIP_STORED)
        whole = content or f"<office:document-content {NAMESPACES}>{styles}{body}</office:document-content>"
        archive.writestr("content.xml", whole, ZIP_DEFLATED)
    return file.getvalue()


def items(*rows: str, header: tuple[str, ...] = HEADER) -> bytes:
    return ods(sheet(row(plain(*header)), *rows))


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("<text:p>one<text:line-break/>two</text:p>", "one\ntwo"),
        ("<text:p>one</text:p><text:p>two</text:p>", "one\ntwo"),
        ('<text:p>one<text:s text:c="3"/>two<text:s/>three</text:p>', "one   two three"),
        ("<text:p>one<text:tab/>two</text:p>", "one\ttwo"),
        ("<text:p>one\n   two</text:p>", "one two"),
        ("<text:p>one <text:span>two</text:span> three</text:p>", "one two three"),
        ('<text:p>one<text:a office:href="x">two</text:a></text:p>', "onetwo"),
        ("<office:annotation><text:p>a note</text:p></office:annotation><text:p>one</text:p>", "one"),
        (f"<text:p>{RUBY}来</text:p>", "狐来"),
    ],
)
def test_words_are_read_as_they_stand_in_the_cell(words: str, read: str) -> None:
    found = read_items(items(row(cell(words) + plain(*ROW[1:]))), name="t.ods")
    assert found.errors == ()
    assert [(one.story, one.choices, one.answer) for one in found.records] == [
        (read, ("a crow", "a hare"), 0)
    ]


@pytest.mark.parametrize(
    ("option", "read", "said"),
    [
        (cell("<text:p>50%</text:p>", 'office:value-type="percentage" office:value="0.5"'), "50%", "“50%”"),
        (cell("<text:p>008</text:p>", 'office:value-type="float" office:value="8"'), "008", "“008”"),
        (cell("<text:p>8</text:p>", 'office:value-type="float" office:value="8"'), "8", ""),
        (
            cell("<text:p>WAHR</text:p>", 'office:value-type="boolean" office:boolean-value="true"'),
            "TRUE",
            "",
        ),
        (
            cell('<text:p>the <text:span text:style-name="out">old </text:span>crow</text:p>'),
            "the crow",
            "“old ”",
        ),
    ],
)
def test_numbers_are_read_as_they_show_and_struck_words_are_not(option: str, read: str, said: str) -> None:
    found = read_items(items(row(plain(*ROW[:2]) + option + plain(*ROW[3:]))), name="t.ods")
    assert found.errors == ()
    assert [one.choices[0] for one in found.records] == [read]
    assert any(said in english_with_place(one) for one in found.remarks) or not said
    assert bool(found.remarks) == bool(said)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (cell("<text:p>3-4</text:p>", 'office:value-type="date" office:date-value="2026-03-04"'), "a date"),
        (cell("<text:p>8:30</text:p>", 'office:value-type="time" office:time-value="PT08H30M00S"'), "a date"),
        (cell("", 'table:formula="of:=1+1"'), "formula without a stored value"),
    ],
)
def test_what_a_spreadsheet_made_of_words_is_refused(option: str, said: str) -> None:
    found = read_items(items(row(plain(*ROW[:2]) + option + plain(*ROW[3:]))), name="t.ods")
    assert said in english_with_place(found.errors[0])


def test_repeated_cells_and_rows_merged_cells_and_their_places_count() -> None:
    merged = cell("<text:p>A hare.</text:p>", 'office:value-type="string" table:number-rows-spanned="2"')
    data = items(
        row(cell("", 'table:number-columns-repeated="1000"'), ' table:number-rows-repeated="7"'),
        row(merged + plain("Who?", "a", "b", "A")),
        row("<table:covered-table-cell/>" + plain("Whom?", "a", "b", "B")),
        row(
            plain("S.", "Which?")
            + cell("<text:p>a</text:p>", 'table:number-columns-repeated="2"')
            + plain("A")
        ),
        row(plain(*ROW), ' table:number-rows-repeated="2"'),
        row(cell("", 'table:number-columns-repeated="16000"'), ' table:number-rows-repeated="1048000"'),
    )
    found = read_items(data, name="t.ods", rules=ANYBODYS)
    assert found.errors == ()
    assert [(one.row, one.record.story, one.record.choices) for one in found.rows] == [
        (9, "A hare.", ("a", "b")),
        (10, "A hare.", ("a", "b")),
        (11, "S.", ("a", "a")),
        (12, "A crow drank.", ("a crow", "a hare")),
        (13, "A crow drank.", ("a crow", "a hare")),
    ]
    assert any("The merged cell of row 9 also" in english_with_place(one) for one in found.remarks)


def test_the_sheet_is_the_first_visible_one_with_known_columns_or_the_one_that_is_named() -> None:
    book = ods(
        sheet(row(plain(*HEADER)), row(plain(*ROW)), name="old", style="off"),
        sheet(row(plain("notes")), name="notes"),
        sheet(row(plain(*HEADER)), row(plain("S.", *ROW[1:])), row(plain("T.", *ROW[1:])), name="items"),
    )
    assert [one.story for one in read_items(book, name="t.ods").records] == ["S.", "T."]
    assert [one.story for one in read_items(book, name="t.ods", sheet="old").records] == ["A crow drank."]


def test_stories_and_layouts_of_others_come_in_as_from_any_table() -> None:
    stories = read_stories(ods(sheet(row(plain("title", "text")), row(plain("T", "A crow.")))), name="t.ods")
    assert [(one.title, one.text) for one in stories.records] == [("T", "A crow.")]
    others = ods(
        sheet(row(plain("passage", "prompt", "choice1", "choice2", "gold")), row(plain(*ROW[:4], "a hare")))
    )
    found = read_items(others, name="t.ods", format="ods")
    assert [(one.story, one.answer) for one in found.records] == [("A crow drank.", 1)]


@pytest.mark.parametrize(
    "data",
    [
        ods(content="<broken"),
        ods(content="<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"),
        ods(content="<a/>"),
        ods(sheet(row(plain("x"), ' table:number-rows-repeated="many"'))),
        items()[:-40],
    ],
)
def test_a_broken_file_is_refused_in_words(data: bytes) -> None:
    (error,) = read_items(data, name="t.ods").errors
    assert english_with_place(error).endswith(
        ("The file cannot be read as ods.", "XLSX file. Open it in Excel and save it again.")
    )


def test_a_text_document_is_no_spreadsheet() -> None:
    data = ods(mimetype="application/vnd.oasis.opendocument.text")
    assert "OpenDocument (ODS, ODT)" in english_with_place(read_items(data, name="t.odt").errors[0])
    assert "cannot be read as ods" in english_with_place(
        read_items(b"a,b\n", name="t", format="ods").errors[0]
    )


@pytest.mark.parametrize(
    "rows",
    [
        row(plain("x"), ' table:number-rows-repeated="900000000"'),
        row(cell('<text:p><text:s text:c="900000000"/>x</text:p>')) * 20,
        row(cell(f"<text:p>{'x' * 900}</text:p>"), ' table:number-rows-repeated="199000"'),
    ],
)
def test_what_repeats_without_end_is_refused(rows: str) -> None:
    (error,) = read_items(items(rows), name="t.ods").errors
    assert error.code.value in {"too_many_rows", "xlsx_too_many_chars"}


def test_spaces_that_stand_in_the_file_once_are_counted_before_they_are_made() -> None:
    spaces = '<text:s text:c="900000000"/>' * 2000
    data = items(row(cell(f"<text:p>{spaces}x</text:p>")))
    tracemalloc.start()
    (error,) = read_items(data, name="t.ods").errors
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert error.code.value == "xlsx_too_many_chars"
    assert most < 40 * 1024 * 1024
