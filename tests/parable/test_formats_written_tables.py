"""Tables with any letters, numbers and blanks are read as they were meant, or something is said."""

import csv
import io
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parable.formats.errors import ErrorCode
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS, OURS
from parable.formats.options import is_blank, normalise_option
from parable.formats.records import ItemRecord

MARKS = ("", "{}.", "{}. ", "{}、", "({})", "（{}）", "{}：", "{} ", "【{}】", "选项{}")
KEYS = ("{}", "({})", "（{}）", "{})", "选{}", "【{}】", '["{}"]', "{}.", "答案：{}")
WORDS = st.sampled_from(
    [
        "fox",
        "A fox",
        "乌鸦",
        "A、B两只",
        "1",
        "2",
        "3",
        "0",
        "1.5",
        "2³",
        "23",
        "None",
        "NA",
        "-",
        "A. Milne",
        "①②",
        "B",
    ]
)
TEXT = WORDS | st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=6)
ITEM = st.lists(TEXT, min_size=2, max_size=5).flatmap(
    lambda options: st.tuples(st.just(options), st.integers(0, len(options) - 1))
)
TABLE = st.tuples(
    st.lists(ITEM, min_size=1, max_size=6),
    st.sampled_from(MARKS),
    st.sampled_from(KEYS) | st.sampled_from([0, 1, "text"]),
    st.sampled_from(["csv", "xlsx"]),
)


def as_csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def as_xlsx(rows: list[list[str]]) -> bytes:
    book, data = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)  # type: ignore[union-attr]
        for cell in book.active[book.active.max_row]:  # type: ignore[index,union-attr]
            cell.data_type = "s"
    book.save(data)
    return data.getvalue()


def written(options: list[str], place: int, mark: str, key: str | int) -> tuple[list[str], str]:
    cells = [mark.format(chr(65 + at)) + option for at, option in enumerate(options)]
    if key == "text":
        return cells, options[place]
    return cells, str(place + key) if isinstance(key, int) else key.format(chr(65 + place))


def check(table: Any) -> None:
    """What is read equals what was meant, but for outer space; else there is an error or a remark."""
    items, mark, key, kind = table
    rows = [["id", "story", "question", "A", "B", "C", "D", "E", "answer"]]
    for number, (options, place) in enumerate(items):
        cells, answer = written(options, place, mark, key)
        rows.append([f"i{number}", "A tale.", "Which?", *cells, *[""] * (5 - len(cells)), answer])
    data = as_csv(rows) if kind == "csv" else as_xlsx(rows)
    for rules in (OURS, ANYBODYS):
        reading = read_items(data, name="items", rules=rules)
        if reading.errors:
            continue
        said = {row for one in reading.remarks if one.code != ErrorCode.NUMBERS_FROM for row in one.rows}
        assert len(reading.rows) == len(items)
        for row, (options, place) in zip(reading.rows, items, strict=True):
            meant = [option.strip() for option in options]
            is_whole = [*row.record.choices] == meant and _key(row.record) == meant[place]
            assert is_whole or row.row in said or _is_trivial(meant), (row, meant, place)


def _key(record: ItemRecord) -> str | None:
    return None if record.answer is None else record.choices[record.answer]


def _is_trivial(options: list[str]) -> bool:
    """Whether options are blank or equal, which checks of items say."""
    return any(map(is_blank, options)) or len({*map(normalise_option, options)}) < len(options)


@settings(deadline=None, max_examples=60)
@given(TABLE)
def test_a_written_table_is_read_as_it_was_meant_or_something_is_said(table: Any) -> None:
    check(table)


@pytest.mark.drill
@settings(deadline=None, max_examples=1_000)
@given(TABLE)
def test_many_written_tables_are_read_as_they_were_meant(table: Any) -> None:
    check(table)
