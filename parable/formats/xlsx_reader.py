"""Reads one sheet of an XLSX file as rows of displayed cells, and checks limits while reading.

The remarks name values that are read differently than stored, and content that is not read. The parts of the
file are found by their relationships, whatever their names. Every part is read by the same parser, which
refuses document types and stops at the limits.
"""

from __future__ import annotations

import io
import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import Final, NamedTuple
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from parable.formats import limits
from parable.formats.csv_reader import Cell, CellRow
from parable.formats.errors import FILE, ROW, ErrorCode, InputError, Parameter, excerpt, listed
from parable.formats.number_formats import BUILT_IN, GENERAL, displayed, is_date, plain
from parable.formats.sources import OLE_MARK

Start = Callable[[str, Mapping[str, str]], None]
"""A callback for the start of an element: its name without prefix, and its attributes."""
End = Callable[[str], None]
Chars = Callable[[str], None]

_CHUNK_BYTES: Final = 64 * 1024
_LONGEST_TAG: Final = 512 * 1024
"""Maximum length of a tag or comment, in bytes.

With each chunk, expat before 2.6 parses an unfinished tag again from its start.
"""
_DEEPEST: Final = 64

has_slow_parser: Final = expat.version_info < (2, 6, 0)
"""Whether this Python's XML parser needs quadratic time for long tokens that arrive in pieces."""


class Archive:
    """A ZIP archive of XML parts, read within limits.

    Raises InputError or an exception of zipfile if it is invalid.
    """

    def __init__(self, data: bytes) -> None:
        self._archive = ZipFile(io.BytesIO(data))
        found = self._archive.infolist()
        if len(found) > limits.MAX_PARTS:
            raise InputError(ErrorCode.XLSX_TOO_MANY_PARTS, field=FILE, limit=limits.MAX_PARTS)
        self._parts = {_plain(part.filename): part for part in found}
        if len(self._parts) < len(found):
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)  # two parts with the same name are ambiguous
        self._dense = max(limits.LEAST_UNPACKED_BYTES, limits.MAX_UNPACKED_TIMES * len(data))
        self._unpacked = 0
        self._counted: set[str] = set()

    def read(
        self, name: str, start: Start, end: End = lambda _name: None, chars: Chars = lambda _text: None
    ) -> None:
        """Parse a part, calling `start`, `end` and `chars` for its elements and text in order."""
        part = self._parts.get(name)
        if part is None or part.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)
        if name not in self._counted:
            self._unpacked += part.file_size
            if self._unpacked > limits.MAX_UNPACKED_BYTES:
                raise InputError(ErrorCode.XLSX_TOO_LARGE, field=FILE, limit=limits.MAX_UNPACKED_BYTES)
            if self._unpacked > self._dense:
                raise InputError(ErrorCode.XLSX_TOO_DENSE, field=FILE, limit=self._dense)
            self._counted.add(name)  # only now, so that this raises again if the file is read again
        parser = _parser(start, end, chars)
        with self._archive.open(part) as file:
            fed = 0
            while chunk := file.read(_CHUNK_BYTES):
                parser.Parse(chunk, False)
                fed += len(chunk)
                if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                    raise InputError(ErrorCode.XLSX_LONG_TAG, field=FILE, limit=_LONGEST_TAG)
            parser.Parse(b"", True)


class Package(Archive):
    """The parts of an XLSX file; raises the errors of `Archive` if it is not an XLSX file."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        books = [name for kind, name in self.related("").values() if kind == "officeDocument"]
        if not books:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)
        self.book: Final = books[0]

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the relationships of a part by id, each as its type ("worksheet") and target part."""
        folder, file = posixpath.split(name)
        found: dict[str, tuple[str, str]] = {}

        def start(element: str, attributes: Mapping[str, str]) -> None:
            if element == "Relationship" and attributes.get("TargetMode") != "External":
                kind = attributes["Type"].rpartition("/")[2]
                found[attributes["Id"]] = kind, _plain(posixpath.join("/", folder, attributes["Target"]))

        relationships = posixpath.join(folder, "_rels", f"{file}.rels")
        if relationships in self._parts:
            self.read(relationships, start)
        return found


def _plain(name: str) -> str:
    """Return a part's name in comparable form: no leading slash, lower case, forward slashes."""
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/").lower()


def _parser(start: Start, end: End, chars: Chars) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    depth = 0

    def open_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)
        if ":" in name:
            name = name.rpartition(":")[2]
        start(name, attributes)

    def close_element(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(":")[2] if ":" in name else name)

    def refuse(*_named: object) -> None:
        raise InputError(ErrorCode.NOT_XLSX, field=FILE)

    parser.buffer_text = True
    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = chars
    parser.StartDoctypeDeclHandler = refuse
    return parser


MOST_CELLS: Final = limits.MAX_COLUMNS + 1
"""Maximum number of cells that are stored for a row.

All cells further right are stored in the last one, so that their presence is noticed.
"""
_MOST_LETTERS: Final = 8
_MOST_TITLES: Final = 10
"""Maximum number of title rows, of one cell each, that may precede the header."""
_ESCAPE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_OFF: Final = frozenset({"0", "false", "off"})


class CellFinding(NamedTuple):
    """A remark on a value read differently than stored: in a 0-based `column` or, if None, in `field`."""

    row: int
    column: int | None
    field: str
    code: ErrorCode
    params: Mapping[str, Parameter]


class Worksheet(NamedTuple):
    """The rows of a sheet that are not empty, with the remarks on the sheet."""

    rows: list[CellRow]
    remarks: list[CellFinding]


def read_xlsx(
    data: bytes,
    *,
    knows: Callable[[str], bool] = lambda _name: False,
    most: int | None = None,
    sheet: str = "",
) -> Worksheet:
    """Return the rows of a sheet that are not empty, at most `most`, with their numbers in the sheet.

    `sheet` is the name of the sheet; if empty, the first visible sheet whose header has a column for which
    `knows` is true is read, or else the first sheet that is not empty. Title rows of one cell above such a
    header are skipped. A number is read as its format displays it, a formula as its last stored value, a
    merged cell in all its rows; struck-out text is left out. Raises InputError if the file is no XLSX,
    unpacks to too much, has too many rows, or has no sheet of that name.
    """
    return Workbook(data).read(knows, most, sheet)


@contextmanager
def refused(
    by: Callable[[], InputError] = lambda: InputError(ErrorCode.NOT_XLSX, field=FILE),
) -> Iterator[None]:
    """Convert any exception of reading a broken part to the InputError that `by` returns."""
    try:
        yield
    except MemoryError:
        raise
    except InputError as error:
        if error.code != ErrorCode.NOT_XLSX:
            raise
        raise by() from error
    except Exception as error:
        raise by() from error


class _Enough(Exception):
    """Raised to end reading when all requested rows are read."""


@dataclass(frozen=True, slots=True)
class Tab:
    """A sheet of the file: its name, its part, and whether it is visible."""

    name: str
    part: str
    is_visible: bool


class Workbook:
    """An Excel file with the data that its sheets share, and the rows read of each sheet; see `read_xlsx`."""

    @refused()
    def __init__(self, data: bytes) -> None:
        if data.startswith(OLE_MARK):
            raise InputError(ErrorCode.OLD_EXCEL, field=FILE)
        self._grids: dict[str, Grid] = {}
        self._package = Package(data)
        self._most_chars = min(
            limits.MAX_SHEET_CHARS, max(limits.LEAST_SHEET_CHARS, limits.MAX_CHARS_PER_BYTE * len(data))
        )
        self._since_1904 = self._is_unopened = False
        related = self._package.related(self._package.book)
        self._tabs = self._read_tabs(related)
        parts = dict(related.values())
        self._texts: list[str] = []
        self._struck: dict[int, str] = {}
        if "sharedStrings" in parts:
            self._read_texts(parts["sharedStrings"])
        self._styles = _read_styles(self._package, parts["styles"]) if "styles" in parts else []

    def _read_tabs(self, related: Mapping[str, tuple[str, str]]) -> list[Tab]:
        """Return the worksheets in the order of their tabs.

        Also set `_since_1904` and `_is_unopened` of the file.
        """
        found: list[Tab] = []

        def start(name: str, attributes: Mapping[str, str]) -> None:
            if name == "workbookPr":
                self._since_1904 = attributes.get("date1904", "0") not in _OFF
            # Libraries set it if they store placeholder values for formulas (XlsxWriter: 0).
            if name == "calcPr":
                self._is_unopened = attributes.get("fullCalcOnLoad", "0") not in _OFF
            if name != "sheet":
                return
            number = next(value for key, value in attributes.items() if key.rpartition(":")[2] == "id")
            kind, part = related.get(number, ("", ""))
            if kind == "worksheet":
                is_visible = attributes.get("state", "visible") == "visible"
                found.append(Tab(attributes.get("name", ""), part, is_visible))
            if len(found) > limits.MAX_SHEETS:
                raise InputError(ErrorCode.XLSX_TOO_MANY_SHEETS, field=FILE, limit=limits.MAX_SHEETS)

        self._package.read(self._package.book, start)
        return found

    def _read_texts(self, part: str) -> None:
        """Read the shared texts, to which cells refer by index."""
        words = _Words()

        def end(name: str) -> None:
            if name == "si":
                text, struck = words.take()
                if struck:
                    self._struck[len(self._texts)] = struck
                self._texts.append(text)
            else:
                words.end(name)

        self._package.read(part, words.start, end, words.chars)

    @refused()
    def read(self, knows: Callable[[str], bool], most: int | None, sheet: str) -> Worksheet:
        """Return the rows of the chosen sheet, at most `most`, and the remarks on them."""
        tab = self._choose(knows, sheet)
        head = self._head(tab)
        titles = _titles(head, knows)
        if most == 1 or not head:
            return Worksheet(head[titles : titles + 1], [])
        grid = self._whole(tab)
        rows = grid.rows[titles:]
        remarks = [
            CellFinding(row, None, ROW, ErrorCode.ROW_ABOVE_NAMES, {}) for row, _ in grid.rows[:titles]
        ]
        remarks += [*grid.remarks, *grid.hidden_columns(rows), *grid.fill_merged(rows)]
        others = [one for one in self._tabs if one is not tab and self._head(one)]
        for one in others:
            params = {"rows": len(self._whole(one).rows)}
            remarks.append(CellFinding(1, None, excerpt(one.name), ErrorCode.SHEET_NOT_READ, params))
        if others:
            remarks.append(CellFinding(1, None, excerpt(tab.name), ErrorCode.SHEET_READ, {}))
        return Worksheet(rows if most is None else rows[:most], remarks)

    def _choose(self, knows: Callable[[str], bool], sheet: str) -> Tab:
        """Return the sheet with this name; raise InputError if there is none.

        If no name is given, return the likeliest sheet: visible ones first, then those with known columns.
        """
        heads = {tab.part: self._head(tab) for tab in self._tabs}

        def worth(tab: Tab) -> tuple[bool, bool, bool]:
            rows = heads[tab.part]
            names = rows[_titles(rows, knows)][1] if rows else ()
            known = any(knows(name) for name in names if isinstance(name, str))
            return tab.is_visible, known, bool(names)

        if not sheet:
            return max(self._tabs, key=worth)
        for tab in self._tabs:
            if tab.name.strip().casefold() == sheet.strip().casefold():
                return tab
        names = listed(tab.name for tab in self._tabs)
        raise InputError(ErrorCode.NO_SUCH_SHEET, field=FILE, found=excerpt(sheet), sheets=names)

    def _head(self, tab: Tab) -> list[CellRow]:
        """Return the first rows of a sheet."""
        if tab.part not in self._grids:
            self._grids[tab.part] = self._grid(tab, _MOST_TITLES + 1)
        return self._grids[tab.part].rows[: _MOST_TITLES + 1]

    def _whole(self, tab: Tab) -> Grid:
        """Return all rows of a sheet."""
        if tab.part not in self._grids or not self._grids[tab.part].is_whole:
            self._grids[tab.part] = self._grid(tab, None)
        return self._grids[tab.part]

    def _grid(self, tab: Tab, most: int | None) -> Grid:
        grid = Grid(self._most_chars, self._value, most)
        with suppress(_Enough):
            self._package.read(tab.part, grid.start, grid.end, grid.chars)
            grid.is_whole = True
        return grid

    def _value(self, found: _Found) -> tuple[Cell, ErrorCode | None, str]:
        """Return the text of a cell, and the code and detail of a remark on it (or None)."""
        text, code, said = self._stored(found)
        if found.is_formula and self._is_unopened and isinstance(text, str):
            return text, ErrorCode.FORMULA_NOT_COMPUTED, text
        return text, code, said

    def _stored(self, found: _Found) -> tuple[Cell, ErrorCode | None, str]:
        number_format, is_struck = self._styles[_index(found.style)] if found.style else (GENERAL, False)
        struck = found.struck
        text: Cell
        code = None
        if found.kind == "s":
            number = _index(found.value)
            text, struck = _unescaped(self._texts[number]), self._struck.get(number, "")
        elif found.kind == "n":
            text, code = self._number(found.value, number_format)
        elif found.kind == "e":
            text = InputError(ErrorCode.CELL_IS_ERROR, found=excerpt(found.value))
        elif found.kind == "d":
            text = InputError(ErrorCode.CELL_IS_DATE)
        elif found.kind == "b":
            text = "TRUE" if found.value.strip() in {"1", "true"} else "FALSE"
        else:
            text = _unescaped(found.value)
        if isinstance(text, str) and is_struck and (text or struck):
            return "", ErrorCode.STRUCK_OUT, text or struck
        if struck.strip():
            return text, ErrorCode.STRUCK_OUT, struck
        return text, code, text if isinstance(text, str) else ""

    def _number(self, value: str, code: str) -> tuple[Cell, ErrorCode | None]:
        number = float(value)
        if not isfinite(number):
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)
        found = displayed(number, code, since_1904=self._since_1904)
        if found is None and is_date(code):
            return InputError(ErrorCode.CELL_IS_DATE), None
        if found is None:
            return plain(number), ErrorCode.NUMBER_AS_STORED
        return found, ErrorCode.NUMBER_AS_SHOWN if found != plain(number) else None


def _read_styles(package: Package, part: str) -> list[tuple[str, bool]]:
    """Return the number format of each cell style and whether it strikes out text, by the style's index."""
    found: list[tuple[str, bool]] = []
    codes: dict[str, str] = {}
    fonts: list[bool] = []
    inside = ""

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal inside
        if name in {"fonts", "cellXfs"}:
            inside = name
        elif name == "numFmt":
            codes[attributes["numFmtId"]] = attributes["formatCode"]
        elif name == "font" and inside == "fonts":
            fonts.append(False)
        elif name == "strike" and inside == "fonts":
            fonts[-1] = attributes.get("val", "1") not in _OFF
        elif name == "xf" and inside == "cellXfs":
            number = attributes.get("numFmtId", "0")
            code = codes.get(number) or BUILT_IN.get(int(number), GENERAL)
            font = _index(attributes.get("fontId", "0"))
            found.append((code, font < len(fonts) and fonts[font]))
        if max(len(found), len(codes), len(fonts)) > limits.MAX_STYLES:
            raise InputError(ErrorCode.XLSX_TOO_MANY_STYLES, field=FILE, limit=limits.MAX_STYLES)

    def end(name: str) -> None:
        nonlocal inside
        if name == inside:
            inside = ""

    package.read(part, start, end)
    return found


class _Words:
    """Collects the text of a cell or of a shared string, without the phonetic readings."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._struck: list[str] = []
        self._is_open = self._is_phonetic = self._is_struck = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle the start of an element that holds or formats text."""
        if name in {"t", "v"}:
            self._is_open = not self._is_phonetic
        elif name == "rPh":
            self._is_phonetic = True
        elif name == "strike":
            self._is_struck = attributes.get("val", "1") not in _OFF

    def end(self, name: str) -> None:
        """Handle the end of an element that holds or formats text."""
        if name in {"t", "v"}:
            self._is_open = False
        elif name == "r":
            self._is_struck = False
        elif name == "rPh":
            self._is_phonetic = False

    def chars(self, text: str) -> None:
        """Add characters, if they belong to the text."""
        if self._is_open:
            (self._struck if self._is_struck else self._pieces).append(text)

    def take(self) -> tuple[str, str]:
        """Return the text so far and its struck-out part, and reset both."""
        words, struck = "".join(self._pieces), "".join(self._struck)
        self._pieces.clear()
        self._struck.clear()
        return words, struck


class _Found(NamedTuple):
    """A cell as it is stored in the file."""

    value: str
    struck: str
    kind: str
    style: str
    is_formula: bool


class Grid:
    """Collects the rows of a sheet that are not empty, and stops if there are too many rows or characters."""

    def __init__(
        self,
        most_chars: int,
        value: Callable[[_Found], tuple[Cell, ErrorCode | None, str]],
        most: int | None,
    ) -> None:
        self.rows: list[CellRow] = []
        self.remarks: list[CellFinding] = []
        self._most = most
        self._most_chars = most_chars
        self._value = value
        self._words = _Words()
        self.chars = self._words.chars
        self._cells: list[Cell] = []
        self._merged: list[str] = []
        self._hidden: list[tuple[int, int]] = []
        self._row = self._column = self._held = 0
        self._kind = self._style = ""
        self._is_hidden = self._has_formula = self._has_value = False
        self.is_whole = False
        """Whether the sheet was read to its end."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle the start of a row, a cell or a value."""
        if name == "c":
            place = attributes.get("r")
            self._column = self._column + 1 if place is None else _column(place)
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._has_formula = self._has_value = False
        elif name == "row":
            self._begin_row(attributes.get("r"))
            self._is_hidden = attributes.get("hidden", "0") not in _OFF
        elif name == "f":
            self._has_formula = True
        elif name == "mergeCell":
            self._merged.append(attributes["ref"])
        elif name == "col":
            if attributes.get("hidden", "0") not in _OFF and len(self._hidden) <= limits.MAX_SHEET_COLUMNS:
                self._hidden.append((int(attributes["min"]), int(attributes["max"])))
        else:
            self._has_value = self._has_value or name == "v"
            self._words.start(name, attributes)

    def _begin_row(self, place: str | None) -> None:
        before, self._row, self._column = self._row, self._row + 1 if place is None else int(place), 0
        if self._row > limits.MAX_SHEET_ROWS or len(self.rows) > limits.MAX_ROWS:
            raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, row=self._row, limit=limits.MAX_ROWS)
        if self._row <= before:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)

    def end(self, name: str) -> None:
        """Handle the end of a cell or a row, and store it."""
        if name == "c":
            value, struck = self._words.take()
            if value or struck:
                found = _Found(value, struck, self._kind, self._style, self._has_formula)
                self._keep(*self._value(found))
            elif self._has_formula and not (self._has_value and self._kind == "str"):
                self._keep(InputError(ErrorCode.CELL_HAS_NO_VALUE))
        elif name == "row":
            self._end_row()
        else:
            self._words.end(name)

    def _end_row(self) -> None:
        # As in CSV, rows of white space alone are skipped.
        if any(cell.strip() if isinstance(cell, str) else cell for cell in self._cells):
            self.rows.append((self._row, tuple(self._cells)))
            if self._is_hidden:
                self.remarks.append(CellFinding(self._row, None, ROW, ErrorCode.ROW_HIDDEN, {}))
        self._cells.clear()
        if len(self.rows) == self._most:
            raise _Enough
        if self._held > self._most_chars:
            raise InputError(ErrorCode.XLSX_TOO_MANY_CHARS, field=FILE, limit=self._most_chars)

    def _keep(self, cell: Cell, code: ErrorCode | None = None, found: str = "") -> None:
        place = min(self._column, MOST_CELLS)
        self._cells.extend([""] * (place - len(self._cells)))
        self._cells[place - 1] = cell
        self._held += len(cell) if isinstance(cell, str) else 0
        if code is not None:
            params = {"found": excerpt(found)}
            self.remarks.append(CellFinding(self._row, place - 1, "", code, params))

    @property
    def held(self) -> int:
        """The number of characters in all stored cells."""
        return self._held

    def hidden_columns(self, rows: list[CellRow]) -> list[CellFinding]:
        """Return a remark for each hidden column with values in these rows: hidden columns are read, too."""
        if not self._hidden:
            return []
        filled = {place for _row, cells in rows for place, cell in enumerate(cells) if cell}
        return [
            CellFinding(1, place, "", ErrorCode.COLUMN_HIDDEN, {})
            for place in sorted(filled)
            if any(first <= place + 1 <= last for first, last in self._hidden)
        ]

    def fill_merged(self, rows: list[CellRow]) -> list[CellFinding]:
        """Copy the value of each merged cell below the header to all its rows.

        Return a remark for each copy.
        """
        numbers = [row for row, _cells in rows]
        remarks: list[CellFinding] = []
        for reference in self._merged:
            first, _, last = reference.partition(":")
            place = _column(first) - 1
            top = bisect_left(numbers, _row(first))
            below = bisect_right(numbers, _row(last or first))
            if not 0 < top < below or numbers[top] != _row(first) or not 0 <= place < MOST_CELLS:
                continue
            cell = rows[top][1][place] if place < len(rows[top][1]) else ""
            for at in range(top + 1, below) if cell else ():
                row, cells = rows[at]
                rows[at] = row, (*cells[:place], *[""] * (place - len(cells)), cell, *cells[place + 1 :])
                remarks.append(
                    CellFinding(row, place, "", ErrorCode.CELL_IS_MERGED, {"first_row": numbers[top]})
                )
                if len(remarks) > limits.MAX_ROWS:
                    raise InputError(ErrorCode.XLSX_TOO_MANY_MERGED, field=FILE, limit=limits.MAX_ROWS)
        return remarks


def _titles(rows: list[CellRow], knows: Callable[[str], bool]) -> int:
    """Return the number of one-cell title rows before a row with several known columns.

    Return 0 if there is no such row.
    """
    for number, (_row, cells) in enumerate(rows):
        filled = [cell for cell in cells if cell]
        known = sum(knows(cell) for cell in filled if isinstance(cell, str))
        if known > 1:
            return number
        if len(filled) > 1 or known:
            break
    return 0


def _index(value: str) -> int:
    """Return a number as an index into a list; raise InputError if it is negative."""
    number = int(value)
    if number < 0:
        raise InputError(ErrorCode.NOT_XLSX, field=FILE)
    return number


def _unescaped(text: str) -> str:
    """Return a text with `_x000D_` escapes replaced by the characters they mean."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _column(place: str) -> int:
    """Return the column number, from 1, of a cell reference: 28 for "AB12"."""
    number = 0
    for letter in place[:_MOST_LETTERS].lstrip("$"):
        if not "A" <= letter <= "Z":
            break
        number = 26 * number + ord(letter) - 64
    return number


def _row(place: str) -> int:
    """Return the row number of a cell reference: 12 for "AB12"."""
    return int("".join(islice(filter(str.isdigit, place), _MOST_LETTERS)))
