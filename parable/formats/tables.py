"""Reads rows of named fields from CSV, XLSX or JSON, with English, Chinese or user-chosen column names."""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from parable.formats import limits
from parable.formats.csv_reader import Cell, CellRow, header_of, read_csv_rows
from parable.formats.errors import FILE, ROW, ErrorCode, ErrorList, InputError, can_be_shown, excerpt, listed
from parable.formats.fields import RowFields
from parable.formats.format import ItemFile
from parable.formats.json_reader import read_json_rows, with_known_texts
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import Readable, SourceFile, source_file
from parable.formats.table_writer import undefused
from parable.formats.xlsx_reader import CellFinding

Aliases = Mapping[str, str]
"""The field that a column fills, by column name as `fold_name` returns it."""


Columns = Mapping[str, str]
"""The name of the column that a user chose for each field, by field."""

_SINGLE: Final = frozenset(LETTERS)
_WIDEST_GAP: Final = 3
"""Widest gap between the columns of two neighbouring options, in letters."""
_HEAD: Final = 64
"""Number of bytes at the start of a file that are examined to tell whether it is JSON."""
_JSON_ROWS_SEEN: Final = 100
"""Number of objects of a JSON file that are searched for column names; later objects seldom add any."""


_UNREAD: Final = {ErrorCode.MISSING, ErrorCode.TOO_MANY_ERRORS}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: the name in its header, and the field that it seems to fill ("" for none)."""

    name: str
    field: str = ""


def fold_name(name: str) -> str:
    """Return a column's name as aliases are spelt: folded case and width, without spaces, `-` and `_`."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in folded if not char.isspace() and char not in "_-\ufeff")


def names_columns(text: str, aliases: Aliases, required: Sequence[str]) -> bool:
    """Return whether the first row of the text names a column of a required field."""
    header = header_of(text, lambda name: fold_name(name) in aliases)
    return any(aliases.get(fold_name(name)) in required for name in header)


def has_columns(text: str, aliases: Aliases) -> bool:
    """Return whether a text looks like a table: its first row has several names, or one that is known."""
    header = header_of(text, lambda name: fold_name(name) in aliases)
    return len(header) > 1 or any(fold_name(name) in aliases for name in header)


def header_names(file: SourceFile, aliases: Aliases, sheet: str = "") -> tuple[str, ...]:
    """Return the column names in the header, "" for empty cells; raise InputError if there is no header."""
    header = _header(file, aliases, sheet)
    return tuple(cell.strip() if isinstance(cell, str) else "" for cell in header[: limits.MAX_COLUMNS])


def table_columns(source: Readable, aliases: Aliases, sheet: str = "") -> tuple[Column, ...]:
    """Return the columns of a table, each with the field guessed for it; () if the table cannot be read."""
    try:
        file = source_file(source)
        if file.is_json:
            return ()
        header = _header(file, aliases, sheet)
    except InputError:
        return ()
    names = [cell.strip() for cell in header if isinstance(cell, str) and cell.strip() and can_be_shown(cell)]
    guessed: set[str] = set()
    found = []
    names = names[: limits.MAX_COLUMNS]
    for name, known in zip(names, _fields(names, aliases, None), strict=True):
        field = known or ""
        found.append(Column(name, "" if field in guessed else field))
        guessed.add(field)
    return tuple(found)


def json_columns(source: Readable, fields: Collection[str]) -> tuple[Column, ...]:
    """Return the members of the first objects of a JSON file as columns; () if the file is not readable JSON.

    A column with the name of one of `fields` is matched to that field, any other to "".
    """
    try:
        file = source_file(source)
        if not file.is_json:
            return ()
    except InputError:
        return ()
    names: dict[str, None] = {}
    for number, (_row, values) in enumerate(read_json_rows(file.text, ErrorList(FILE))):
        if number == _JSON_ROWS_SEEN:
            break
        names |= dict.fromkeys(values)
    shown = [name for name in names if can_be_shown(name)][: limits.MAX_COLUMNS]
    return tuple(Column(name, name if name in fields else "") for name in shown)


def renamed(
    values: Mapping[str, object], columns: Columns | None, known: Collection[str]
) -> tuple[Mapping[str, object], Collection[str]]:
    """Return the values of a JSON object by field, renamed according to `columns`, and the unused names."""
    if columns is None:
        return values, values.keys() - known
    chosen = {field: values[name] for field, name in columns.items() if name in values}
    return chosen, values.keys() - set(columns.values())


def read_json_items(
    source: ItemFile,
    known: Collection[str],
    read: Callable[[RowFields], ItemRecord],
    *,
    layout: str,
    needed: Sequence[str],
) -> None:
    """Read each object of a file in our layout with `read`; `known` are the fields of the layout.

    If no row has a field that every item needs, one error for the file replaces the errors of all rows.
    `needed` are the field of options and, for items to be imported, a second required field.
    """
    errors, items = source.errors, source.items
    names: dict[str, None] = {}
    usual: tuple[str, ...] = ()  # the names of the previous row, usually equal
    for row, values in source.json_rows(errors):
        chosen: Mapping[str, object] = values
        if source.columns is not None or tuple(values) != usual:
            if len(names) < limits.MAX_COLUMNS:
                names |= dict.fromkeys(values)
            chosen, ignored = renamed(values, source.columns, known)
            usual = () if ignored else tuple(values)
            if ignored:
                items.ignore(name for name in ignored if values[name] is not None)
        fields = RowFields(row, chosen, errors, source.columns, source.rules)
        items.add(fields, read(fields))
    if source.columns is None and names and items.is_empty and errors.codes <= _UNREAD:
        wanted = ["question", *(needed[:1] if source.rules.is_judged_elsewhere else needed)]
        if missing := [name for name in wanted if name not in names]:
            errors.replace_all(
                1,
                FILE,
                ErrorCode.OTHER_FIELDS,
                missing=", ".join(missing),
                found=listed(names),
                layout=layout,
                wanted=", ".join([*wanted, "answer"]),
            )


class Table:
    """The rows of one table.

    The constructor reads the header and raises InputError if the header is unusable.
    """

    def __init__(
        self,
        file: SourceFile,
        errors: ErrorList,
        aliases: Aliases,
        required: Sequence[str],
        columns: Columns | None = None,
        rules: limits.ItemRules = limits.OURS,
        sheet: str = "",
    ) -> None:
        """Read the header, which must name one of the `required` fields; the first of them is the usual one.

        `sheet` names the sheet of a spreadsheet to read; if empty, the likeliest is chosen.

        If `columns` is given, only the columns that it names are used, and none is matched by name.
        """
        self._errors = errors
        self._rules = rules
        self._rows, remarks = _cell_rows(file, errors, aliases, sheet=sheet)
        # spreadsheets do not open JSON, so its texts have no apostrophes to remove
        self._is_defused = file.data[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in {b"[", b"{"}
        number, header = next(self._rows, (1, ()))
        names = [_name(number, cell) for cell in header[: limits.MAX_SHEET_COLUMNS]]
        if any(names[limits.MAX_COLUMNS :]) or len(header) > limits.MAX_SHEET_COLUMNS:
            raise InputError(ErrorCode.TOO_MANY_COLUMNS, row=number, limit=limits.MAX_COLUMNS)
        fields = _fields(names, aliases, columns)
        self.ignored = tuple(
            excerpt(name) for name, field in zip(names, fields, strict=True) if name and not field
        )
        self._unread = {
            index: name or f"#{index + 1}"
            for index, (name, field) in enumerate(zip(names, fields, strict=True))
            if not field
        }
        self._fields = fields
        self.shown = {
            field: excerpt(name) for name, field in zip(names, fields, strict=True) if field is not None
        }
        self._check_header(number, names, required)
        for remark in remarks:
            if remark.column is None:
                errors.remark(remark.row, remark.field, remark.code, **remark.params)
            elif remark.column < len(fields) and fields[remark.column]:  # no remarks on columns not read
                errors.remark(remark.row, excerpt(names[remark.column]), remark.code, **remark.params)

    def _check_header(self, row: int, names: Sequence[str], required: Sequence[str]) -> None:
        seen: set[str] = set()
        for name, field in zip(names, self._fields, strict=True):
            if field in seen:
                raise InputError(ErrorCode.DUPLICATE_COLUMN, row=row, field=excerpt(name))
            seen.update([field] if field else [])
        if not seen & set(required):
            raise InputError(
                ErrorCode.MISSING_COLUMN, row=row, field=required[0], column=required[0], found=listed(names)
            )

    @property
    def fields(self) -> frozenset[str]:
        """The fields that have a column in the table."""
        return frozenset(self.shown)

    def __iter__(self) -> Iterator[RowFields]:
        """Yield the fields of each row; an absent or empty cell is "", and repeated texts are shared."""
        known: dict[str, str] = {}
        for number, (row, cells) in enumerate(self._rows, start=1):
            if number > limits.MAX_ROWS:
                raise InputError(ErrorCode.TOO_MANY_ROWS, row=row, field=FILE, limit=limits.MAX_ROWS)
            if any(cells[len(self._fields) :]):  # caused by a separator inside an unquoted text
                self._errors.add(row, ROW, ErrorCode.EXTRA_CELLS)
                continue
            named = {field: cell for field, cell in zip(self._fields, cells, strict=False) if field}
            values = with_known_texts(named, known)
            fields = RowFields(row, values, self._errors, self.shown, self._rules)
            for field, cell in values.items() if self._is_defused else ():
                if isinstance(cell, str) and (plain := undefused(cell)) != cell:
                    values[field] = plain
                    fields.remark(field, ErrorCode.APOSTROPHE_REMOVED, found=excerpt(plain))
            fields.unread = [self._unread[place] for place in self._unread if any(cells[place : place + 1])]
            yield fields


def _fields(names: Sequence[str], aliases: Aliases, columns: Columns | None) -> list[str | None]:
    if columns is None:
        return _with_options_in_a_row([aliases.get(fold_name(name)) for name in names])
    chosen = {name: field for field, name in columns.items()}
    return [chosen.pop(name, None) for name in names]  # for two columns with the same name, the first


def _with_options_in_a_row(fields: list[str | None]) -> list[str | None]:
    """Return the fields, with None for option letters far after the others, e.g. a column N beside A to D."""
    places = sorted(LETTERS.index(field) for field in fields if field and field in _SINGLE)
    last, stray = -1, ""
    for place in places:
        if place - last > _WIDEST_GAP:
            stray = LETTERS[place:]
            break
        last = place
    return [None if field and field in _SINGLE and field in stray else field for field in fields]


def _name(row: int, cell: Cell) -> str:
    if isinstance(cell, InputError):
        cell.row = row
        raise cell
    return cell.strip()


def _cell_rows(
    file: SourceFile, errors: ErrorList, aliases: Aliases, most: int | None = None, sheet: str = ""
) -> tuple[Iterator[CellRow], Sequence[CellFinding]]:
    """Return the rows of a table, at most `most`, and, for a spreadsheet, the remarks on it."""

    def knows(name: str) -> bool:
        return fold_name(name) in aliases

    if file.is_spreadsheet:
        read = file.workbook.read(knows, most, sheet)
        return iter(read.rows), read.remarks
    rows = _json_rows(file.text, errors) if file.is_json else read_csv_rows(file.text, errors, knows)
    return rows, ()


def _header(file: SourceFile, aliases: Aliases, sheet: str) -> Sequence[Cell]:
    """Return the cells of the first row of a table."""
    rows, _remarks = _cell_rows(file, ErrorList(FILE), aliases, most=1, sheet=sheet)
    return next(rows, (1, ()))[1]


def table_rows(data: bytes) -> Iterator[CellRow]:
    """Yield the rows of a spreadsheet or of a JSON list of objects, the header first.

    Raises InputError if the file or one of its rows cannot be read.
    """
    errors = ErrorList(FILE)
    rows, _remarks = _cell_rows(SourceFile(data), errors, {})
    yield from rows
    for error in errors.in_order():
        raise InputError(error.code, row=error.row, field=error.field, **error.params)


def _json_rows(text: str, errors: ErrorList) -> Iterator[CellRow]:
    """Yield a header, then one row per object of a JSON text, as in an exported table."""
    found = list(read_json_rows(text, errors))
    names = list(dict.fromkeys(name for _row, values in found for name in values))
    yield 1, tuple(names)
    for row, values in found:
        yield row, tuple(_json_cell(values.get(name)) for name in names)


def _json_cell(value: object) -> Cell:
    if isinstance(value, str) or value is None:
        return value or ""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "; ".join(value)
    return orjson.dumps(value).decode()
