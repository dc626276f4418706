"""XLSX as rows of cells: the first sheet, values in place of formulas, bounded before it is unpacked."""

from __future__ import annotations

import datetime as dt
import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from parable.formats import limits
from parable.formats.csv_reader import Cell, CellRow
from parable.formats.errors import FILE, ErrorCode, InputError
from parable.formats.sources import OLE_MARK

if TYPE_CHECKING:
    from openpyxl.cell import Cell as SheetCell
    from openpyxl.cell import MergedCell

_CHUNK_BYTES: Final = 1024 * 1024
_DECLARATION: Final = b"<!DOCTYPE"
_XML_PARTS: Final = (".xml", ".rels")


def read_xlsx_rows(data: bytes) -> list[CellRow]:
    """Each row of the first sheet that holds anything, with its number in the sheet.

    A formula gives the value that the spreadsheet last saw. Raises InputError where the file is no XLSX,
    unpacks to too much, or has too many rows.
    """
    if data.startswith(OLE_MARK):
        raise InputError(ErrorCode.OLD_EXCEL, field=FILE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of parts it leaves out: colours, validations
            _check_archive(data)
            return list(_rows(data))
    except InputError:
        raise
    except Exception as error:  # a broken part raises whatever its reader stumbled over
        raise InputError(ErrorCode.NOT_XLSX, field=FILE) from error


def _rows(data: bytes) -> Iterator[CellRow]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    sheet = book.worksheets[0]
    sheet.reset_dimensions()  # the size a file states may be wrong, and rows past it would be lost
    found, chars = 0, 0
    blank: tuple[SheetCell | MergedCell, ...] | None = None
    for row, cells in enumerate(sheet.iter_rows(max_col=limits.MAX_COLUMNS + 1), start=1):
        if row > limits.MAX_SHEET_ROWS or found > limits.MAX_ROWS:
            raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, row=row, limit=limits.MAX_ROWS)
        if cells is blank or all(cell.value is None for cell in cells):
            blank = cells  # one and the same for all the rows that are left out, which may be a million
            continue
        texts = tuple(_text(cell) for cell in cells)
        chars += sum(len(text) for text in texts if isinstance(text, str))
        if chars > limits.MAX_SHEET_CHARS:
            raise InputError(ErrorCode.XLSX_TOO_LARGE, field=FILE, limit=limits.MAX_SHEET_CHARS)
        if any(texts):
            found += 1
            yield row, texts


def _text(cell: SheetCell | MergedCell) -> Cell:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "e":
        return InputError(ErrorCode.CELL_IS_ERROR, found=str(value))
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        return InputError(ErrorCode.CELL_IS_DATE)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _check_archive(data: bytes) -> None:
    """Refuse what unpacks to too much and what may expand further: entities, rare compressions."""
    with ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        if len(parts) > limits.MAX_PARTS or sum(part.file_size for part in parts) > limits.MAX_UNPACKED_BYTES:
            raise InputError(ErrorCode.XLSX_TOO_LARGE, field=FILE, limit=limits.MAX_UNPACKED_BYTES)
        for part in parts:
            if part.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
                raise InputError(ErrorCode.NOT_XLSX, field=FILE)
            if part.filename.lower().endswith(_XML_PARTS):
                _check_part(archive, part)


def _check_part(archive: ZipFile, part: ZipInfo) -> None:
    """Refuse XML with declarations of its own, or in an encoding in which they could hide."""
    before = b""
    with archive.open(part) as file:
        while chunk := file.read(_CHUNK_BYTES):
            if _DECLARATION in before + chunk or (not before and b"\x00" in chunk[:4]):
                raise InputError(ErrorCode.NOT_XLSX, field=FILE)
            before = chunk[-len(_DECLARATION) :]
