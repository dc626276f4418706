"""Reads CSV into rows of cells: the separator is guessed from the header, and quoting is strict."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from parable.formats import limits
from parable.formats.errors import ROW, ErrorCode, ErrorList, InputError
from parable.formats.sources import first_stray

if TYPE_CHECKING:
    import _csv  # the only place that names the type of a reader

Cell = str | InputError
"""The text of a cell, or an error if the cell could not be read."""
CellRow = tuple[int, tuple[Cell, ...]]

SEPARATORS: Final = ",;\t"

# The module's own limit of 131,072 characters would refuse a cell without naming its column; ours does.
csv.field_size_limit(max(csv.field_size_limit(), limits.MAX_FILE_BYTES))


def read_csv_rows(text: str, errors: ErrorList, knows: Callable[[str], bool]) -> Iterator[CellRow]:
    """Yield each row that is not empty with the number of its first line.

    `knows` tests for known column names.
    """
    reader = _reader(text, _separator(text, knows))
    while not errors.full:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            is_unclosed = "unexpected end of data" in str(error)
            errors.add(line, ROW, ErrorCode.UNCLOSED_QUOTE if is_unclosed else ErrorCode.BROKEN_CSV)
            continue
        if any(cell.strip() for cell in cells):
            yield line, tuple(_cell(cell) for cell in cells)


def header_of(text: str, knows: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the cells of the first row that is not empty.

    They are split at the separator that gives most known column names, and of these, most cells.
    """
    return _first_row(text, _separator(text, knows))


def _separator(text: str, knows: Callable[[str], bool]) -> str:
    def known_and_all(separator: str) -> tuple[int, int]:
        header = _first_row(text, separator)
        return sum(map(knows, header)), len(header)

    return max(SEPARATORS, key=known_and_all)


def _first_row(text: str, separator: str) -> tuple[str, ...]:
    """Return the cells of the first row that is not empty, at most `MAX_COLUMNS` + 1; () if there is none."""
    most = limits.MAX_COLUMNS + 1
    try:
        return next(
            (tuple(cells[:most]) for cells in _reader(text, separator) if any(map(str.strip, cells))), ()
        )
    except csv.Error:
        return ()


def _reader(text: str, separator: str) -> "_csv.Reader":
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)


def _cell(text: str) -> Cell:
    stray = first_stray(text)
    return InputError(ErrorCode.NOT_UTF8, byte=stray[1]) if stray else text
