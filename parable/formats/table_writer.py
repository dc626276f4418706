"""Writes tables as CSV and XLSX, without cells that a spreadsheet would run as a formula."""

import csv
import io
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, Final

import orjson

from parable.extras import require

Cell = str | int | float | bool | None

_FORMULA: Final = frozenset("=+-@")
_LEADS_IN: Final = ("\t", "\r", "\n")
_SHEET_NAME: Final = re.compile(r"[\[\]:*?/\\']")
_LONGEST_SHEET_NAME: Final = 31
_LONGEST_CELL: Final = 32_767
_NOT_IN_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ESCAPE: Final = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
"""An underscore at the start of text that a spreadsheet would read as an escape, such as `_x000D_`."""
_ROWS_A_CHUNK: Final = 500


@dataclass(frozen=True, slots=True)
class Sheet:  # so named: a sheet of a workbook
    """A table: its name, its heading, and rows of the same length."""

    name: str
    heading: Sequence[str]
    rows: Iterable[Sequence[Cell]]


def defused(cell: Cell) -> Cell:
    """Return the cell as safe for spreadsheets: text that would run as a formula gets an apostrophe.

    A formula that already has apostrophes before it gets one more, since `undefused` removes one.
    """
    if isinstance(cell, str):
        own = cell.lstrip("'")
        seen = (char for char in own if not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf"))
        # A full-width `=` also begins a formula.
        first = unicodedata.normalize("NFKC", next(seen, ""))[:1]
        if own.startswith(_LEADS_IN) or first in _FORMULA:
            return f"'{cell}"
    return cell


def undefused(text: str) -> str:
    """Return a text without the apostrophe that `defused`, or a spreadsheet, puts before a formula."""
    return text[1:] if text.startswith("'") and defused(text[1:]) == text else text


def write_csv(sheet: Sheet) -> bytes:
    """Return a table as UTF-8 CSV with a byte order mark, without which spreadsheets misread Chinese."""
    return b"".join(csv_chunks(sheet))


def csv_chunks(sheet: Sheet) -> Iterator[bytes]:
    """Yield a table as CSV in pieces of some hundred rows, so that long tables need little memory."""
    yield b"\xef\xbb\xbf"
    heading = [defused(name) for name in sheet.heading]
    filled = (
        ["" if cell is None or _no_figure(cell) else defused(cell) for cell in row] for row in sheet.rows
    )
    rows = chain([heading], filled)
    while some := list(islice(rows, _ROWS_A_CHUNK)):
        out = io.StringIO(newline="")
        csv.writer(out).writerows(some)
        yield out.getvalue().encode()


def json_chunks(sheet: Sheet) -> Iterator[bytes]:
    """Yield a table as a JSON list in UTF-8, one object per line.

    The heading gives the names. Characters are not escaped.
    """
    rows = iter(sheet.rows)
    opening = b"[\n"
    while some := list(islice(rows, _ROWS_A_CHUNK)):
        lines = (orjson.dumps(dict(zip(sheet.heading, row, strict=True))) for row in some)
        yield opening + b",\n".join(lines)
        opening = b",\n"
    yield b"[]\n" if opening == b"[\n" else b"\n]\n"


def _no_figure(cell: Cell) -> bool:
    return isinstance(cell, float) and not math.isfinite(cell)


def write_xlsx(sheets: Iterable[Sheet]) -> bytes:
    """Return an XLSX workbook with one sheet per table."""
    out = io.BytesIO()
    save_xlsx(sheets, out)
    return out.getvalue()


def save_xlsx(sheets: Iterable[Sheet], out: IO[bytes]) -> None:
    """Write an XLSX workbook to an open file, row by row so that long tables need little memory."""
    require("xlsx")
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    for sheet in sheets:
        page = book.create_sheet(_SHEET_NAME.sub(" ", sheet.name).strip()[:_LONGEST_SHEET_NAME] or "1")
        page.freeze_panes = "A2"
        page.append([_storable(name) for name in sheet.heading])
        for row in sheet.rows:
            page.append([_storable(cell) for cell in row])
    book.save(out)


def _storable(cell: Cell) -> Cell:
    """Return a cell that a workbook accepts: without control characters, not too long, never a formula."""
    if not isinstance(cell, str):
        return None if _no_figure(cell) else cell
    return defused(_ESCAPE.sub("_x005F_", _NOT_IN_XML.sub("", cell)[: _LONGEST_CELL - 1]))
