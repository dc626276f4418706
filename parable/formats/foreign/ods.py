"""OpenDocument spreadsheets, as LibreOffice saves them: read like XLSX, items and stories alike.

A cell is read as it is displayed: a number in its format, with a remark; line breaks, tabs and spaces as
typed; a merged cell in all its rows. Dates and times are refused, since spreadsheets turn words such as 3-4
into dates. Notes, readings beside words (ruby) and pictures are not read. Struck-out words are not read
either, with a remark. The format is not written: an export as CSV or XLSX opens in LibreOffice.

Made by *Save As*, *ODF Spreadsheet* in LibreOffice. Tried with LibreOffice 7.4.7 and odfpy.
"""

import re
from collections.abc import Mapping
from typing import Final

from parable.formats import limits
from parable.formats.csv_reader import Cell
from parable.formats.errors import FILE, ErrorCode, InputError
from parable.formats.format import Content, Format
from parable.formats.number_formats import plain
from parable.formats.xlsx_reader import MOST_CELLS, Archive, Grid, Tab, Workbook, refused

_MIMETYPE: Final = b"application/vnd.oasis.opendocument.spreadsheet"
_CONTENT: Final = "content.xml"
_CELLS: Final = frozenset({"table-cell", "covered-table-cell"})
_NUMBERS: Final = frozenset({"float", "percentage", "currency"})
_APART: Final = frozenset({"annotation", "ruby-text", "frame", "custom-shape", "g", "dde-link", "shapes"})
"""Elements whose text is not part of the text of a cell."""
_SPACE: Final = re.compile(r"[ \t\r\n]+")
_CODE: Final = "ods"


def _no_ods() -> InputError:
    return InputError(ErrorCode.NOT_OF_FORMAT, field=FILE, format=_CODE)


class _OdsBook(Workbook):
    """A spreadsheet file; all its sheets are in one XML document, which is read once."""

    @refused(_no_ods)
    def __init__(self, data: bytes) -> None:
        self._tabs = []
        self._grids = {}
        self._most_chars = min(
            limits.MAX_SHEET_CHARS, max(limits.LEAST_SHEET_CHARS, limits.MAX_CHARS_PER_BYTE * len(data))
        )
        self._hidden: set[str] = set()
        self._crossed: set[str] = set()
        self._style = ""
        self._apart = 0
        self._sheet: _OdsGrid | None = None
        Archive(data).read(_CONTENT, self._start, self._end, self._chars)
        if not self._tabs:
            raise _no_ods()

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _APART or (name == "table" and self._sheet is not None):
            self._apart += 1
        elif self._apart:
            return
        elif name == "style":
            self._style = attributes.get("style:name", "")
        elif name == "table-properties" and attributes.get("table:display") == "false":
            self._hidden.add(self._style)
        elif name == "text-properties" and any(
            attributes.get(f"style:text-line-through-{kind}", "none") != "none" for kind in ("style", "type")
        ):
            self._crossed.add(self._style)
        elif name == "table":
            self._open_sheet(attributes)
        elif self._sheet is not None:
            self._sheet.start(name, attributes)

    def _open_sheet(self, attributes: Mapping[str, str]) -> None:
        if len(self._tabs) == limits.MAX_SHEETS:
            raise InputError(ErrorCode.XLSX_TOO_MANY_SHEETS, field=FILE, limit=limits.MAX_SHEETS)
        is_visible = attributes.get("table:style-name") not in self._hidden
        tab = Tab(attributes.get("table:name", ""), f"{len(self._tabs)}", is_visible)
        self._tabs.append(tab)
        held = sum(sheet.held for sheet in self._grids.values())
        self._sheet = _OdsGrid(self._most_chars - held, self._crossed)
        self._grids[tab.part] = self._sheet

    def _end(self, name: str) -> None:
        if name in _APART or (name == "table" and self._apart):
            self._apart -= 1
        elif self._apart or self._sheet is None:
            return
        elif name == "table":
            self._sheet.is_whole = True
            self._sheet = None
        else:
            self._sheet.end(name)

    def _chars(self, text: str) -> None:
        if self._sheet is not None and not self._apart:
            self._sheet.add_text(text)


class _OdsGrid(Grid):
    """Collects the rows of a sheet, and repeats the cells and rows that the file stores only once."""

    def __init__(self, most_chars: int, crossed: set[str]) -> None:
        super().__init__(most_chars, lambda found: (found.value, None, ""), None)
        self._crossed = crossed
        self._attributes: Mapping[str, str] = {}
        self._pieces: list[str] = []
        self._struck: list[str] = []
        self._spans: list[bool] = []
        self._typed: list[str] = []
        self._paragraphs = self._columns = self._spaces = 0
        self._repeated = 1
        self._is_cell = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Process the start of a column, a row, a cell or a text."""
        if name == "table-column":
            count = _count(attributes, "table:number-columns-repeated")
            if attributes.get("table:visibility", "visible") != "visible":
                self._hidden.append((self._columns + 1, self._columns + count))
            self._columns += count
        elif name == "table-row":
            self._row += 1
            self._column = 0
            self._repeated = _count(attributes, "table:number-rows-repeated")
            self._is_hidden = attributes.get("table:visibility", "visible") != "visible"
        elif name in _CELLS:
            self._is_cell, self._attributes, self._paragraphs = True, attributes, 0
            self._spans = [attributes.get("table:style-name") in self._crossed]
        elif self._is_cell:
            self._start_words(name, attributes)

    def _start_words(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in {"p", "h"}:
            self._say("\n" if self._paragraphs else "")
            self._paragraphs += 1
        elif name == "span":
            self._write()
            self._spans.append(self._spans[-1] or attributes.get("text:style-name") in self._crossed)
        elif name == "s":
            count = _count(attributes, "text:c")
            self._spaces += count
            if self._spaces > self._most_chars:
                raise InputError(ErrorCode.XLSX_TOO_MANY_CHARS, field=FILE, limit=self._most_chars)
            self._say(" " * count)
        elif name in {"tab", "line-break"}:
            self._say("\t" if name == "tab" else "\n")

    def add_text(self, text: str) -> None:
        """Add a text to the current cell; ignore texts outside the paragraphs of cells."""
        if self._is_cell and self._paragraphs:
            self._typed.append(text)

    def _say(self, sign: str) -> None:
        self._write()
        if sign:
            (self._struck if self._spans[-1] else self._pieces).append(sign)

    def _write(self) -> None:
        """Add the collected text to the cell; a run of white space counts as one space in OpenDocument."""
        if self._typed:
            (self._struck if self._spans[-1] else self._pieces).append(_SPACE.sub(" ", "".join(self._typed)))
            self._typed.clear()

    def end(self, name: str) -> None:
        """Process the end of a row, a cell or a text."""
        if name == "table-row":
            self._end_rows()
        elif name in _CELLS:
            self._end_cell(is_covered=name != "table-cell")
            self._is_cell = False
        elif self._is_cell and name in {"p", "h"}:
            self._write()
        elif self._is_cell and name == "span":
            self._write()
            self._spans.pop()

    def _end_cell(self, *, is_covered: bool) -> None:
        text, struck = "".join(self._pieces), "".join(self._struck)
        self._pieces.clear()
        self._struck.clear()
        count = _count(self._attributes, "table:number-columns-repeated")
        cell, code, said = _value(text, struck, self._attributes)
        if is_covered or (cell == "" and code is None):
            self._column += count
            return
        rows = _count(self._attributes, "table:number-rows-spanned")
        if rows > 1 and self._column < MOST_CELLS:
            column = self._column + 1
            place = ""
            while column:
                column, rest = divmod(column - 1, 26)
                place = chr(65 + rest) + place
            self._merged.append(f"{place}{self._row}:{place}{self._row + rows - 1}")
        for _each in range(min(count, MOST_CELLS)):
            self._column += 1
            self._keep(cell, code, said)

    def _end_rows(self) -> None:
        cells = list(self._cells)
        if not cells:
            self._row += self._repeated - 1
            return
        for number in range(self._repeated):
            if number:
                self._row += 1
                self._cells.extend(cells)
                self._held += sum(len(cell) for cell in cells if isinstance(cell, str))
            if self._row > limits.MAX_SHEET_ROWS or len(self.rows) > limits.MAX_ROWS:
                raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, row=self._row, limit=limits.MAX_ROWS)
            self._end_row()


def _value(text: str, struck: str, attributes: Mapping[str, str]) -> tuple[Cell, ErrorCode | None, str]:
    """Return the value of a cell, the code of a remark (or None), and the text that the remark quotes."""
    kind = attributes.get("office:value-type", "")
    if kind in {"date", "time"}:
        return InputError(ErrorCode.CELL_IS_DATE), None, ""
    if attributes.get("calcext:value-type") == "error":
        return InputError(ErrorCode.CELL_IS_ERROR, found=text), None, ""
    if struck.strip():
        return text, ErrorCode.STRUCK_OUT, struck
    if kind == "boolean":
        return "TRUE" if attributes.get("office:boolean-value") == "true" else "FALSE", None, ""
    if kind in _NUMBERS:
        stored = plain(float(attributes["office:value"]))
        return text or stored, ErrorCode.NUMBER_AS_SHOWN if text not in {"", stored} else None, text
    if not (text or kind) and "table:formula" in attributes:
        return InputError(ErrorCode.CELL_HAS_NO_VALUE), None, ""
    return text or attributes.get("office:string-value", ""), None, ""


def _count(attributes: Mapping[str, str], name: str) -> int:
    """Return the number of repetitions in an attribute, from 1 to the number of rows of a sheet."""
    return max(1, min(int(attributes.get(name, "1")), limits.MAX_SHEET_ROWS))


FORMAT: Final = Format(
    code=_CODE,
    label="OpenDocument (ODS)",
    label_zh="OpenDocument（ODS）",
    contents=frozenset({Content.ARCHIVE}),
    detect=lambda file: _CONTENT in file.parts and _MIMETYPE in file.head,
    book=_OdsBook,
)
