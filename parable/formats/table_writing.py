"""Tables for people: CSV and XLSX of figures, with cells that no spreadsheet runs as formulas."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import openpyxl
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

Cell = str | int | float | bool | None

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_SHEET_NAME: Final = re.compile(r"[\[\]:*?/\\']")
_LONGEST_SHEET_NAME: Final = 31
_LONGEST_CELL: Final = 32_767


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: a heading and rows of as many cells."""

    name: str
    heading: Sequence[str]
    rows: Iterable[Sequence[Cell]]


def defused(cell: Cell) -> Cell:
    """The cell as a spreadsheet may hold it: text that would run as a formula begins with an apostrophe."""
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return cell


def write_csv(sheet: Sheet) -> bytes:
    """One table as UTF-8 CSV with a byte order mark, without which spreadsheets misread Chinese."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([defused(name) for name in sheet.heading])
    writer.writerows([_plain(defused(cell)) for cell in row] for row in sheet.rows)
    return out.getvalue().encode("utf-8-sig")


def _plain(cell: Cell) -> Cell:
    return "" if cell is None else cell


def write_xlsx(sheets: Iterable[Sheet]) -> bytes:
    """Tables as one workbook, a sheet each, row by row so that long ones need little memory."""
    book = openpyxl.Workbook(write_only=True)
    for sheet in sheets:
        page = book.create_sheet(_sheet_name(sheet.name))
        page.freeze_panes = "A2"
        page.append([_storable(name) for name in sheet.heading])
        for row in sheet.rows:
            page.append([_storable(cell) for cell in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _storable(cell: Cell) -> Cell:
    """What a workbook takes: no control characters, at most as long as a cell may be, never a formula."""
    if not isinstance(cell, str):
        return cell
    return defused(ILLEGAL_CHARACTERS_RE.sub("", cell)[: _LONGEST_CELL - 1])


def _sheet_name(name: str) -> str:
    return _SHEET_NAME.sub(" ", name).strip()[:_LONGEST_SHEET_NAME] or "1"
