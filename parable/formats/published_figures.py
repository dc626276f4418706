"""Reads published results from a CSV file: table, row, task, column, published and, if known, n."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from parable.formats import table_writer
from parable.formats.csv_reader import header_of, read_csv_rows
from parable.formats.errors import ErrorCode, ErrorList, InputError, RowError, excerpt
from parable.formats.sources import decode, load
from parable.psychometrics.results.replication import Key, Published

COLUMNS: Final = ("table", "row", "task", "column", "published", "n")
REQUIRED: Final = ("table", "row", "column", "published")
MOST: Final = 3000
"""Maximum number of published values in one file; the page shows them all."""
LONGEST: Final = 200
_NUMBER: Final = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,6})?")


def read_figures(data: bytes, name: str) -> tuple[list[Published], tuple[RowError, ...]]:
    """Return the published values in a file, without blank ones, and the file's errors.

    If there are errors, the values must not be used. If a cell is given twice, its first value is kept.
    """
    errors = ErrorList(name)
    found: dict[Key, Published] = {}
    try:
        for one in _figures(decode(load(data)), errors):
            found.setdefault(one.key, one)
    except InputError as refused:
        errors.refuse(refused)
    return list(found.values()), errors.in_order()


def write_figures(keys: Iterable[Key]) -> bytes:
    """Return a CSV file with a line for each of these cells, in which the published values are left blank."""
    rows = [[*key, "", ""] for key in keys]
    return table_writer.write_csv(table_writer.Sheet("figures", COLUMNS, rows))


def _figures(text: str, errors: ErrorList) -> Iterable[Published]:
    header = [cell.strip().lower() for cell in header_of(text, COLUMNS.__contains__)]
    for column in REQUIRED:
        if column not in header:
            raise InputError(ErrorCode.MISSING_COLUMN, column=column, found=excerpt(", ".join(header)))
    read = 0
    for line, cells in islice(read_csv_rows(text, errors, COLUMNS.__contains__), 1, None):
        if (one := _figure(line, header, cells, errors)) is None:
            continue
        read += 1
        if read > MOST:
            raise InputError(ErrorCode.TOO_MANY_ROWS, limit=MOST)
        yield one


def _figure(
    line: int, header: Sequence[str], cells: Sequence[str | InputError], errors: ErrorList
) -> Published | None:
    texts = {
        name: "" if isinstance(cell, InputError) else cell.strip()
        for name, cell in zip(header, cells, strict=False)
    }
    printed = texts.get("published", "").rstrip("%").strip()
    if not printed:
        return None
    before = len(errors)
    if not _NUMBER.fullmatch(printed):
        errors.add(line, "published", ErrorCode.NOT_DECIMAL, found=excerpt(printed))
    n = texts.get("n", "")
    if n and not re.fullmatch(r"[1-9]\d{0,8}", n):
        errors.add(line, "n", ErrorCode.NOT_WHOLE_NUMBER, found=excerpt(n))
    for name in ("table", "row", "column"):
        text = texts.get(name, "")
        if not text:
            errors.add(line, name, ErrorCode.MISSING)
        elif len(text) > LONGEST:
            errors.add(line, name, ErrorCode.TOO_LONG, length=len(text), limit=LONGEST)
    if len(errors) > before:
        return None
    key = (texts["table"], texts["row"], texts.get("task", "")[:LONGEST], texts["column"])
    return Published(*key, printed, int(n) if n else None)
