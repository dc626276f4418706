"""Reads items in every known format; the caller names the format, or it is detected from the content."""

from pathlib import Path
from types import MappingProxyType
from typing import Final

from parable.formats import crmus, item_tables, mapped_items, parable_jsonl, published
from parable.formats.crmus import CRMUS_FIELDS
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import Begin, Format, ItemFile, foreign_formats, foreign_labels
from parable.formats.item_tables import ITEM_COLUMNS, REQUIRED_COLUMNS
from parable.formats.json_reader import is_json_list, read_json_rows
from parable.formats.labels import TypeCodes, type_codes
from parable.formats.limits import OURS, ItemRules
from parable.formats.mapped_items import is_half_ours, is_of_others, read_mapped
from parable.formats.mapping import ItemMapping
from parable.formats.parable_jsonl import PARABLE_FIELDS, SEVERAL_FIELDS
from parable.formats.published import published_layout_of
from parable.formats.records import Collector, ItemRecord, Reading, Row
from parable.formats.source_file import Readable, SourceFile, source_file
from parable.formats.sources import first_lines, refuse_stray
from parable.formats.spool import Spool
from parable.formats.tables import (
    Column,
    Columns,
    fold_name,
    has_columns,
    json_columns,
    names_columns,
    table_columns,
)

AUTO: Final = "auto"
PARABLE: Final = parable_jsonl.FORMAT.code
CRMUS: Final = crmus.FORMAT.code
TABLE: Final = item_tables.FORMAT.code
MAPPED: Final = mapped_items.FORMAT.code
"""The code of the format for other files, which are read by a given or guessed mapping of columns."""
PUBLISHED: Final = published.FORMAT.code
"""The code of the format of SpaCE2022 to SpaCE2024 and ePiC files.

The fields of the rows show which layout a file has.
"""
_OURS: Final = (
    parable_jsonl.FORMAT,
    crmus.FORMAT,
    published.FORMAT,
    item_tables.FORMAT,
    mapped_items.FORMAT,
)
FORMATS: Final = MappingProxyType({one.code: one for one in (*_OURS, *foreign_formats())})
"""Every format of items by its code, in the order in which a page offers them."""
ITEM_FORMATS: Final = (AUTO, *(code for code, one in FORMATS.items() if one.has_items))

JSON_FIELDS: Final = tuple(
    field
    for field in (*PARABLE_FIELDS, *SEVERAL_FIELDS)
    if field not in {"canary", "split", "domain", "source_id"}
)
"""The fields that the members of a foreign JSON file can be assigned to."""

_ASKED: Final = {
    ErrorCode.UNMAPPED,
    ErrorCode.RIVAL_KEYS,
    ErrorCode.STORY_MISSING,
    ErrorCode.OPEN_NUMBERS,
    ErrorCode.MIXED_NUMBERS,
}
"""Error codes that require a user's decision about a file whose layout was partly recognised."""


def read_items(
    source: Readable,
    *,
    name: str,
    format: str = AUTO,  # noqa: A002 - as the commands call it
    types: TypeCodes | None = None,
    columns: Columns | None = None,
    rules: ItemRules = OURS,
    numbers: int | None = None,
    sheet: str = "",
    mapping: str | ItemMapping = "",
    begin: Begin | None = None,
    spool: Spool[Row[ItemRecord]] | None = None,
    task: str = "",
) -> Reading[ItemRecord]:
    """Read items from a file; invalid input gives errors in the reading, never an exception.

    - `name`: the file's name in errors; for a CRMUS file it also gives the split.
    - `types`: the codes of the commonsense types by label and by code. If None, the five published types for
      `crmus` and `table`, and any code for `parable`.
    - `columns`: the column of a table, or the field of a JSON file in our format, that fills each of our
      fields. If None, fields are matched by name.
    - `rules`: what an item must have.
    - `numbers`: whether numeric answers count from 0 or from 1. If None, this is determined from the whole
      file; a file that leaves it open is refused.
    - `sheet`: the name of the sheet of a spreadsheet. If empty, the likeliest sheet is chosen.
    - `mapping`: which columns of a foreign file hold the parts of an item, in the form of `--map`. Parts that
      it does not name are guessed.
    - `begin`: see `ItemFile`.
    - `task`: the task of the items of a published file whose fields fit several tasks. If empty, the file's
      name decides; a file that leaves it open is refused.
    - `spool`: if given, the rows of a file in one of our formats are added to it.

    Raises ValueError for a format that is not in ITEM_FORMATS.
    """
    if format not in ITEM_FORMATS:
        raise ValueError(format)
    errors = ErrorList(name)
    codes = type_codes() if types is None else types
    found = format
    items = _collector(errors, spool)
    said = FORMATS.get(format)
    try:
        file = source_file(source)
        long = None
        if isinstance(source, Path) and rules.is_judged_elsewhere and not mapping:
            head = first_lines(source)
            file, long = (file, None) if head is None else (SourceFile(head), source)
        file.refuse_unreadable()
        if said is not None and said.book is not None:
            file.refuse_other_than(said)
            said = None  # its columns are mapped as in any other spreadsheet
        is_mapped = said is not None and (said.rows is not None or said.code == MAPPED)
        if is_mapped or mapping or (said is None and columns is None and is_of_others(file, sheet)):
            file, long = (file if long is None else SourceFile(long)), None
            reading = _read_by_mapping(file, name, codes, rules, numbers, mapping, sheet, said)
            if reading is not None:
                return reading
        file.remark_encoding(errors)
        found = _format_of(file, columns) if said is None else said.code
        if long is not None and found not in {PARABLE, CRMUS}:
            file, long = SourceFile(long), None
        read = FORMATS[found].read
        if read is not None:
            read(
                ItemFile(
                    file, errors, items, codes, types, columns, rules, numbers, sheet, "", long, begin, task
                )
            )
    except InputError as refused:
        errors.refuse(refused)
    return items.reading("" if found == AUTO else found)


def _read_by_mapping(
    file: SourceFile,
    name: str,
    codes: TypeCodes,
    rules: ItemRules,
    numbers: int | None,
    mapping: str | ItemMapping,
    sheet: str,
    said: Format | None,
) -> Reading[ItemRecord] | None:
    """Return the items read by a mapping.

    Return None if no mapping is given and the file is more likely in our format.
    """
    errors = ErrorList(name)
    items = _collector(errors)
    source = ItemFile(file, errors, items, codes, rules=rules, numbers=numbers, sheet=sheet, mapping=mapping)
    found = said or (file.format if file.format is not None and file.format.rows is not None else None)
    try:
        file.remark_encoding(errors)
        read_mapped(source, found)
    except InputError as refused:
        if not (mapping or found) and (
            refused.code not in _ASKED or _is_likelier_ours(refused, file, rules, sheet)
        ):
            return None
        errors.refuse(refused)
    return items.reading(found.code if found else MAPPED)


def _is_likelier_ours(refused: InputError, file: SourceFile, rules: ItemRules, sheet: str) -> bool:
    """Return whether our own reader should handle a file for which a mapping is incomplete."""
    if refused.code != ErrorCode.UNMAPPED:
        return False
    missing = {*str(refused.params["missing"]).split(", ")}
    return {"stem", "options"} <= missing or is_half_ours(file, rules, missing, sheet)


def _collector(errors: ErrorList, spool: Spool[Row[ItemRecord]] | None = None) -> Collector[ItemRecord]:
    return Collector[ItemRecord](errors, lambda item: (item.task, item.id) if item.id else None, spool)


def item_columns(source: Readable, sheet: str = "") -> tuple[Column, ...]:
    """Return the columns of an item table with the fields they seem to fill; () if the file is no table."""
    return table_columns(source, ITEM_COLUMNS, sheet)


def json_item_columns(source: Readable) -> tuple[Column, ...]:
    """Return the members of a JSON file of items with the fields they match; () if all have CRMUS names."""
    found = json_columns(source, JSON_FIELDS)
    return () if {column.name for column in found} <= CRMUS_FIELDS else found


def _format_of(file: SourceFile, columns: Columns | None) -> str:
    if file.is_spreadsheet:
        return TABLE
    text = file.text
    if file.is_json:
        if columns:
            return PARABLE
        return PUBLISHED if published_layout_of(file) else _json_format_of(text)
    if columns or names_columns(text, ITEM_COLUMNS, REQUIRED_COLUMNS):
        return TABLE
    refuse_stray(text)
    if has_columns(text, ITEM_COLUMNS):
        return TABLE  # whose reader names the column that is missing
    raise InputError(ErrorCode.UNKNOWN_FORMAT, field=FILE, formats=foreign_labels())


def _json_format_of(text: str) -> str:
    """Return the format that the field names indicate; texts cannot match, as their quotes are escaped."""
    has_options, has_choices = '"options"' in text, '"choices"' in text
    if has_options != has_choices:
        return CRMUS if has_options else PARABLE
    if not has_options:
        _row, first = next(iter(read_json_rows(text, ErrorList(FILE))), (0, {}))
        if {"A", "B"} <= {ITEM_COLUMNS.get(fold_name(name)) for name in first}:
            return TABLE  # one field per option, as in tables
    return CRMUS if is_json_list(text) else PARABLE
