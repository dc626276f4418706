"""Tables of items with any letters, numbers, blanks and sheets, and what must hold when they are read.

What is read equals what was meant, but for white space around it; else there is an error or a remark.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Final

import openpyxl
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from parable.formats.errors import ErrorCode
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS, OURS, ItemRules
from parable.formats.options import is_blank, normalise_option
from parable.formats.records import ItemRecord, Reading

MARKS: Final = ("", "{}.", "{}. ", "{}、", "({})", "（{}）", "{}：", "{} ", "【{}】", "选项{}")
KEYS: Final = ("{}", "({})", "（{}）", "{})", "选{}", "【{}】", '["{}"]', "{}.", "答案：{}")
PLACES: Final = (0, 1)
TEXT_KEY: Final = "text"
WORDS: Final = st.sampled_from(
    [
        *("fox", "A fox", "乌鸦", "A、B两只", "1", "2", "3", "0", "1.5", "2³", "23", "None", "NA", "-"),
        *("A. Milne", "①②", "B", "50%", "1.50", "008", "3-4", "3月4日", "１", "TRUE", "1/2", "8:30", "1e5"),
        *("2020-01-05", "1,234", "¥3", "=1+1", "'7", "a\tb", "a,b", 'say "no"', "#N/A", "nan", "-5", "+3"),
    ]
)
TEXT: Final = WORDS | st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=6)
ITEM: Final = st.lists(TEXT, min_size=2, max_size=5).flatmap(
    lambda options: st.tuples(st.just(options), st.integers(0, len(options) - 1))
)
BLANKS: Final = ("", "row above", "rows between", "column before", "column between")
SHEETS: Final = ("", "notes first", "notes last", "hidden first", "empty first")
HEADER: Final = ("id", "story", "question", "A", "B", "C", "D", "E", "answer")
Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """Items, each with the place of its key, and how somebody writes them down."""

    items: list[tuple[list[str], int]]
    mark: str = ""
    key: str | int = "{}"
    blanks: str = ""
    sheets: str = ""

    def rows(self) -> Rows:
        """The cells, with their header, before blanks are put among them."""
        rows = [list(HEADER)]
        for number, (options, place) in enumerate(self.items):
            cells = [self.mark.format(chr(65 + at)) + option for at, option in enumerate(options)]
            gap = [""] * (5 - len(cells))
            rows.append([f"i{number}", "A tale.", "Which?", *cells, *gap, self._answer(options, place)])
        return rows

    def _answer(self, options: list[str], place: int) -> str:
        if self.key == TEXT_KEY:
            return options[place]
        if isinstance(self.key, int):
            return str(place + self.key)
        return self.key.format(chr(65 + place))


TABLE: Final = st.builds(
    WrittenTable,
    st.lists(ITEM, min_size=1, max_size=6),
    st.sampled_from(MARKS),
    st.sampled_from(KEYS) | st.sampled_from([*PLACES, TEXT_KEY]),
    st.sampled_from(BLANKS),
    st.sampled_from(SHEETS),
)


def drawn(count: int) -> list[WrittenTable]:
    """So many tables at once, for programs that take long to start."""
    found = list[WrittenTable]()

    @settings(max_examples=count, phases=[Phase.generate], database=None, deadline=None)
    @given(TABLE)
    def collect(table: WrittenTable) -> None:
        found.append(table)

    collect()
    return found


def with_blanks(rows: Rows, blanks: str) -> Rows:
    """The rows with blank ones, or with blank columns, as people leave them."""
    width = len(rows[0])
    match blanks:
        case "row above":
            return [[""] * width, *rows]
        case "rows between":
            return [row for one in rows for row in (one, [" "] * width)]
        case "column before":
            return [["", *row] for row in rows]
        case "column between":
            return [[*row[:3], "", *row[3:]] for row in rows]
    return rows


def as_csv(table: WrittenTable) -> bytes:
    """A CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(with_blanks(table.rows(), table.blanks))
    return text.getvalue().encode()


def as_xlsx(table: WrittenTable) -> bytes:
    """A workbook of text cells, with what other sheets the table has."""
    book, data = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for number, row in enumerate(with_blanks(table.rows(), table.blanks), start=1):
        for column, text in enumerate(row, start=1):
            if text:
                cell = sheet.cell(number, column)
                cell.value, cell.data_type = text, "s"
    if table.sheets:
        place = None if table.sheets == "notes last" else 0
        other = book.create_sheet("Notes", place)
        if table.sheets != "empty first":
            other.append(["Notes", "of the team"])
            other.append(["Ask Li about i0", "later"])
        other.sheet_state = "hidden" if table.sheets == "hidden first" else "visible"
        book.active = book.index(sheet)
    book.save(data)
    return data.getvalue()


def check_reading(data: bytes, table: WrittenTable, name: str = "items", *, keyless: int = 0) -> None:
    """Read a file by both sets of rules and hold it against what was meant; `keyless` rows stand last."""
    for rules in (OURS, ANYBODYS):
        reading = read(data, name, rules)
        if reading.errors:
            continue
        said = rows_said(reading)
        assert len(reading.rows) == len(table.items) + keyless, (name, table)
        for row, (options, place) in zip(reading.rows, table.items, strict=False):
            meant = [option.strip() for option in options]
            is_whole = [*row.record.choices] == meant and key_of(row.record) == meant[place]
            assert is_whole or row.row in said or is_trivial(meant), (name, row, meant, place, table)
        for row in reading.rows[len(table.items) :]:
            assert row.record.answer is None, (name, row)


def read(data: bytes, name: str, rules: ItemRules = ANYBODYS) -> Reading[ItemRecord]:
    """What is read of a file."""
    return read_items(data, name=name, rules=rules)


def rows_said(reading: Reading[ItemRecord]) -> set[int]:
    """The rows of which something is said; that numbers are places is said of every file that has some."""
    return {row for one in reading.remarks if one.code != ErrorCode.NUMBERS_FROM for row in one.rows}


def key_of(record: ItemRecord) -> str | None:
    """The words of the key."""
    return None if record.answer is None else record.choices[record.answer]


def is_trivial(options: list[str]) -> bool:
    """Whether options are blank or equal, which checks of items say."""
    return any(map(is_blank, options)) or len({*map(normalise_option, options)}) < len(options)
