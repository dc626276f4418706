"""XLSX as rows of cells: the first sheet, values in place of formulas, counted while they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import isfinite
from typing import Final

from parable.formats import limits
from parable.formats.csv_reader import Cell, CellRow
from parable.formats.errors import FILE, ErrorCode, InputError, excerpt
from parable.formats.sources import OLE_MARK
from parable.formats.xlsx_package import Package

_MOST_CELLS: Final = limits.MAX_COLUMNS + 1
"""Cells of a row that are kept apart; what stands further right is in the last one, so that it is noticed."""
_MOST_LETTERS: Final = 8
_DATES: Final = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Number formats of dates and times that every spreadsheet has."""
_NOT_FORMAT: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_DATE_MARK: Final = re.compile(r"[dmyhse]", re.IGNORECASE)


def read_xlsx_rows(data: bytes, *, most: int | None = None) -> list[CellRow]:
    """Each row of the first sheet that holds anything, with its number in the sheet; or the first `most`.

    A formula gives the value that the spreadsheet last saw. Raises InputError where the file is no XLSX,
    unpacks to too much, or has too many rows.
    """
    if data.startswith(OLE_MARK):
        raise InputError(ErrorCode.OLD_EXCEL, field=FILE)
    try:
        return _Workbook(data).rows(most)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a broken part raises whatever its reader stumbled over
        raise InputError(ErrorCode.NOT_XLSX, field=FILE) from error


class _Enough(Exception):
    """Ends reading where all that was asked for is there."""


class _Workbook:
    """A file with what its sheets have in common."""

    def __init__(self, data: bytes) -> None:
        self._package = Package(data)
        self._most_chars = min(
            limits.MAX_SHEET_CHARS, max(limits.LEAST_SHEET_CHARS, limits.MAX_CHARS_PER_BYTE * len(data))
        )
        related = self._package.related(self._package.book)
        self._sheets = self._read_sheets(related)
        parts = dict(related.values())
        self._texts = self._read_texts(parts["sharedStrings"]) if "sharedStrings" in parts else []
        self._dates = self._read_dates(parts["styles"]) if "styles" in parts else []

    def _read_sheets(self, related: Mapping[str, tuple[str, str]]) -> list[str]:
        """The parts of the sheets with cells, in the order of their tabs."""
        found: list[str] = []

        def start(name: str, attributes: Mapping[str, str]) -> None:
            if name != "sheet":
                return
            number = next(value for key, value in attributes.items() if key.rpartition(":")[2] == "id")
            kind, part = related.get(number, ("", ""))
            if kind == "worksheet":
                found.append(part)
            if len(found) > limits.MAX_SHEETS:
                raise InputError(ErrorCode.XLSX_TOO_MANY_SHEETS, field=FILE, limit=limits.MAX_SHEETS)

        self._package.read(self._package.book, start)
        return found

    def _read_texts(self, part: str) -> list[str]:
        """The texts that cells share."""
        found: list[str] = []
        words = _Words()

        def end(name: str) -> None:
            if name == "si":
                found.append(words.take())
            else:
                words.end(name)

        self._package.read(part, words.start, end, words.chars)
        return found

    def _read_dates(self, part: str) -> list[bool]:
        """Of each format of cells whether it shows dates or times."""
        found: list[bool] = []
        codes: dict[str, str] = {}
        is_of_cells = False

        def start(name: str, attributes: Mapping[str, str]) -> None:
            nonlocal is_of_cells
            if name == "numFmt":
                codes[attributes["numFmtId"]] = attributes["formatCode"]
            elif name == "cellXfs":
                is_of_cells = True
            elif name == "xf" and is_of_cells:
                number = attributes.get("numFmtId", "0")
                code = codes.get(number)
                found.append(int(number) in _DATES if code is None else _is_date(code))
            if max(len(found), len(codes)) > limits.MAX_STYLES:
                raise InputError(ErrorCode.XLSX_TOO_MANY_STYLES, field=FILE, limit=limits.MAX_STYLES)

        def end(name: str) -> None:
            nonlocal is_of_cells
            is_of_cells = is_of_cells and name != "cellXfs"

        self._package.read(part, start, end)
        return found

    def rows(self, most: int | None) -> list[CellRow]:
        """The rows of the first sheet that hold anything, or the first `most`."""
        sheet = _Grid(self._most_chars, self._shown, most)
        with suppress(_Enough):
            self._package.read(self._sheets[0], sheet.start, sheet.end, sheet.chars)
        return sheet.rows

    def _shown(self, value: str, kind: str, style: str) -> Cell:
        """The text of a cell by its value and the type of that."""
        if kind == "s":
            return self._texts[_index(value)]
        if kind == "e":
            return InputError(ErrorCode.CELL_IS_ERROR, found=excerpt(value))
        if kind == "d" or (kind == "n" and style and self._dates[_index(style)]):
            return InputError(ErrorCode.CELL_IS_DATE)
        if kind == "b":
            return "TRUE" if value.strip() in {"1", "true"} else "FALSE"
        return _number(value) if kind == "n" else value


class _Words:
    """Gathers the value of a cell or the words of a text, but not how they are read aloud."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._is_open = self._is_phonetic = False

    def start(self, name: str, _attributes: Mapping[str, str]) -> None:
        """Note where words begin."""
        if name in {"t", "v"}:
            self._is_open = not self._is_phonetic
        elif name == "rPh":
            self._is_phonetic = True

    def end(self, name: str) -> None:
        """Note where words end."""
        if name in {"t", "v"}:
            self._is_open = False
        elif name == "rPh":
            self._is_phonetic = False

    def chars(self, text: str) -> None:
        """Keep text that is of the words."""
        if self._is_open:
            self._pieces.append(text)

    def take(self) -> str:
        """The words so far; the next ones begin anew."""
        words = "".join(self._pieces)
        self._pieces.clear()
        return words


class _Grid:
    """Gathers the rows of a sheet that hold anything, and stops where they are too many or too long."""

    def __init__(self, most_chars: int, shown: Callable[[str, str, str], Cell], most: int | None) -> None:
        self.rows: list[CellRow] = []
        self._most = most
        self._most_chars = most_chars
        self._shown = shown
        self._words = _Words()
        self.chars = self._words.chars
        self._cells: list[Cell] = []
        self._row = self._column = self._held = 0
        self._kind = self._style = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Note where a row, a cell or its value begins."""
        if name == "c":
            place = attributes.get("r")
            self._column = self._column + 1 if place is None else _column(place)
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
        elif name == "row":
            self._begin_row(attributes.get("r"))
        else:
            self._words.start(name, attributes)

    def _begin_row(self, place: str | None) -> None:
        before, self._row, self._column = self._row, self._row + 1 if place is None else int(place), 0
        if self._row > limits.MAX_SHEET_ROWS or len(self.rows) > limits.MAX_ROWS:
            raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, row=self._row, limit=limits.MAX_ROWS)
        if self._row <= before:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)

    def end(self, name: str) -> None:
        """Keep a row or a cell that ends."""
        if name == "c":
            if value := self._words.take():
                self._keep(self._shown(value, self._kind, self._style))
        elif name == "row":
            if any(self._cells):
                self.rows.append((self._row, tuple(self._cells)))
            self._cells.clear()
            if len(self.rows) == self._most:
                raise _Enough
            if self._held > self._most_chars:
                raise InputError(ErrorCode.XLSX_TOO_MANY_CHARS, field=FILE, limit=self._most_chars)
        else:
            self._words.end(name)

    def _keep(self, cell: Cell) -> None:
        place = min(self._column, _MOST_CELLS)
        self._cells.extend([""] * (place - len(self._cells)))
        self._cells[place - 1] = cell
        self._held += len(cell) if isinstance(cell, str) else 0


def _index(value: str) -> int:
    """A place in a list, which is never counted from its end."""
    number = int(value)
    if number < 0:
        raise InputError(ErrorCode.NOT_XLSX, field=FILE)
    return number


def _number(value: str) -> str:
    number = float(value)
    if not isfinite(number):
        raise InputError(ErrorCode.NOT_XLSX, field=FILE)
    return str(int(number)) if number.is_integer() else str(number)


def _column(place: str) -> int:
    """The number of a cell's column, from 1: of "AB12" 28."""
    number = 0
    for letter in place[:_MOST_LETTERS]:
        if not "A" <= letter <= "Z":
            break
        number = 26 * number + ord(letter) - 64
    return number


def _is_date(code: str) -> bool:
    """Whether a number format shows a date or a time: letters of one stand outside quotation marks."""
    first = _NOT_FORMAT.sub("", code.partition(";")[0])
    return first.lower() != "general" and bool(_DATE_MARK.search(first))
