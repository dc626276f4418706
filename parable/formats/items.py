"""Reads items in every format we know, named or detected by the content."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from parable.formats import limits
from parable.formats.collector import Collector
from parable.formats.crmus import CRMUS_FIELDS, read_crmus_item, split_of_name
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, listed
from parable.formats.fields import RowFields
from parable.formats.item_tables import (
    ANY_COLUMNS,
    ITEM_COLUMNS,
    REQUIRED_COLUMNS,
    number_of_first,
    numbered_answers,
    read_table_item,
)
from parable.formats.json_reader import (
    JsonRow,
    is_json_list,
    read_json_rows,
    read_long_lines,
)
from parable.formats.keys import FROM_ZERO, Numbers, find_numbers
from parable.formats.labels import TypeCodes, type_codes
from parable.formats.limits import OURS, ItemRules
from parable.formats.mapped_items import find_mapping, read_mapped
from parable.formats.mapping import ItemMapping
from parable.formats.our_layouts import is_half_ours, is_of_others
from parable.formats.parable_jsonl import (
    FOREIGN_FIELDS,
    OTHER_FIELDS,
    PARABLE_FIELDS,
    SEVERAL_FIELDS,
    read_parable_item,
)
from parable.formats.published import published_layout_of, read_published_item
from parable.formats.records import ItemRecord, Reading
from parable.formats.source_file import Readable, SourceFile, source_file
from parable.formats.sources import first_lines, refuse_stray
from parable.formats.tables import (
    Column,
    Columns,
    Table,
    fold_name,
    has_columns,
    json_columns,
    names_columns,
    renamed,
    table_columns,
)

AUTO: Final = "auto"
PARABLE: Final = "parable"
CRMUS: Final = "crmus"
TABLE: Final = "table"
MAPPED: Final = "mapped"
"""As others have theirs: read by a mapping, which is said or guessed."""
PUBLISHED: Final = "published"
"""As SpaCE2022 to SpaCE2024 and ePiC published theirs: which layout, the fields of the rows say."""
ITEM_FORMATS: Final = (AUTO, PARABLE, CRMUS, TABLE, PUBLISHED)

JSON_FIELDS: Final = tuple(
    field
    for field in (*PARABLE_FIELDS, *SEVERAL_FIELDS)
    if field not in {"canary", "split", "domain", "source_id"}
)
"""What the fields of a JSON file of others may be chosen for."""

_ASKED: Final = {
    ErrorCode.UNMAPPED,
    ErrorCode.RIVAL_KEYS,
    ErrorCode.STORY_MISSING,
    ErrorCode.OPEN_NUMBERS,
    ErrorCode.MIXED_NUMBERS,
}
"""What a person is asked of a file whose layout was recognised in part."""
_MORE: Final = {ErrorCode.TOO_MANY_ERRORS}

ReadItem = Callable[[RowFields], ItemRecord]


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
) -> Reading[ItemRecord]:
    """Read items; bad input gives errors in the reading, never an exception.

    `name` is what the errors call the file, and gives the split of a CRMUS file. `types` gives the codes
    of the commonsense types by label and by code: where it is None, the five published ones for `crmus`
    and `table`, and any code for `parable`. `columns` says which column of a table, or which field of a
    JSON file that is then read as ours, fills a field where the names do not. `rules` say what an item must
    have. `numbers`, 0 or 1, says from which one answers that are numbers count; where it is None, it is found
    over the whole file, or the file is refused. `sheet` names that of a spreadsheet; where it is empty, it is
    found. `mapping` says of a file of others what holds what, as `--map` has it; what it leaves open is
    guessed, as all of it is where a layout is not one of ours. Raises ValueError for a format that is not in
    ITEM_FORMATS.
    """
    if format not in ITEM_FORMATS:
        raise ValueError(format)
    errors = ErrorList(name)
    codes = type_codes() if types is None else types
    found = format
    items = _collector(errors)
    try:
        file = source_file(source)
        long = None
        if isinstance(source, Path) and rules.is_judged_elsewhere and not mapping:
            head = first_lines(source)
            file, long = (file, None) if head is None else (SourceFile(head), source)
        file.refuse_unreadable()
        if mapping or (format == AUTO and columns is None and is_of_others(file, sheet)):
            file, long = (file if long is None else SourceFile(long)), None
            reading = _read_by_mapping(file, name, codes, rules, numbers, mapping, sheet)
            if reading is not None:
                return reading
        found = _format_of(file, columns) if format == AUTO else format
        if long is not None and found not in {PARABLE, CRMUS}:
            file, long = SourceFile(long), None
        _read(file, found, errors, items, types, columns, rules, numbers, long, sheet)
    except InputError as refused:
        errors.refuse(refused)
    return items.reading("" if found == AUTO else found)


def _read_by_mapping(
    file: SourceFile,
    name: str,
    codes: TypeCodes,
    rules: ItemRules,
    numbers: int | None,
    said: str | ItemMapping,
    sheet: str,
) -> Reading[ItemRecord] | None:
    """What a mapping reads; None where none is said and the file is more likely one of ours."""
    errors = ErrorList(name)
    items = _collector(errors)
    try:
        mapped = find_mapping(file, errors, rules, codes, said, sheet)
        read_mapped(mapped, errors, items, codes, rules, numbers)
    except InputError as refused:
        if not said and (refused.code not in _ASKED or _is_likelier_ours(refused, file, rules, sheet)):
            return None
        errors.refuse(refused)
    return items.reading(MAPPED)


def _is_likelier_ours(refused: InputError, file: SourceFile, rules: ItemRules, sheet: str) -> bool:
    """Whether a file that a mapping lacks parts of is to be refused, or read, by our own reader."""
    if refused.code != ErrorCode.UNMAPPED:
        return False
    missing = {*str(refused.params["missing"]).split(", ")}
    return {"stem", "options"} <= missing or is_half_ours(file, rules, missing, sheet)


def _collector(errors: ErrorList) -> Collector[ItemRecord]:
    return Collector[ItemRecord](errors, key=lambda item: (item.task, item.id) if item.id else None)


def item_columns(source: Readable, sheet: str = "") -> tuple[Column, ...]:
    """The columns of a table of items with the fields they seem to fill; () where it is no table."""
    return table_columns(source, ITEM_COLUMNS, sheet)


def json_item_columns(source: Readable) -> tuple[Column, ...]:
    """The fields of a JSON file of items with those of ours they are; () where all are as CRMUS has them."""
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
    raise InputError(ErrorCode.UNKNOWN_FORMAT, field=FILE)


def _json_format_of(text: str) -> str:
    """By what the fields are called; a quotation mark inside a text is escaped, so this finds fields."""
    has_options, has_choices = '"options"' in text, '"choices"' in text
    if has_options != has_choices:
        return CRMUS if has_options else PARABLE
    if not has_options and {"A", "B"} <= {ITEM_COLUMNS.get(fold_name(name)) for name in _first_names(text)}:
        return TABLE  # an option a field, as tables have them
    return CRMUS if is_json_list(text) else PARABLE


def _first_names(text: str) -> Iterable[str]:
    """The fields of the first object of a JSON file."""
    _row, values = next(iter(read_json_rows(text, ErrorList(FILE))), (0, {}))
    return values


def _read(
    file: SourceFile,
    found: str,
    errors: ErrorList,
    items: Collector[ItemRecord],
    types: TypeCodes | None,
    columns: Columns | None,
    rules: ItemRules,
    numbers: int | None,
    long: Path | None,
    sheet: str,
) -> None:
    codes = type_codes() if types is None else types
    if found == PUBLISHED:
        _read_published(file, errors, items)
    elif found == TABLE:
        _read_table(file, errors, items, codes, columns, rules, numbers, sheet)
    elif found == CRMUS:
        split = split_of_name(errors.file)
        answers = (
            (row, values.get("answer"), _texts(values.get("options")))
            for row, values in _rows(file, long, ErrorList(errors.file))
        )
        counted = find_numbers(answers, given=numbers, is_judged_elsewhere=rules.is_judged_elsewhere)
        read_crmus = partial(read_crmus_item, split=split, codes=codes, numbers=counted)
        _read_json(_rows(file, long, errors), errors, items, CRMUS_FIELDS, read_crmus, rules)
    else:
        counted = FROM_ZERO if numbers is None else Numbers(numbers)
        read_ours = partial(read_parable_item, codes=types, numbers=counted)
        known = frozenset({*PARABLE_FIELDS, *OTHER_FIELDS})
        known |= FOREIGN_FIELDS if rules.is_judged_elsewhere else frozenset()
        _read_json(_rows(file, long, errors), errors, items, known, read_ours, rules, columns)


def _texts(options: object) -> tuple[str, ...]:
    values = [*options.values()] if isinstance(options, dict) else options
    return tuple(map(str, values)) if isinstance(values, list) else ()


def _rows(file: SourceFile, long: Path | None, errors: ErrorList) -> Iterator[JsonRow]:
    """The rows of a file, of a long one line by line."""
    return read_json_rows(file.text, errors) if long is None else read_long_lines(long, errors)


def _read_json(
    rows: Iterable[JsonRow],
    errors: ErrorList,
    items: Collector[ItemRecord],
    known: frozenset[str],
    read: ReadItem,
    rules: ItemRules,
    columns: Columns | None = None,
) -> None:
    names: dict[str, None] = {}
    for row, values in rows:
        if len(names) < limits.MAX_COLUMNS:
            names |= dict.fromkeys(values)
        chosen, ignored = renamed(values, columns, known)
        items.ignore(name for name in ignored if values[name] is not None)
        fields = RowFields(row, chosen, errors, columns, rules)
        items.add(fields, read(fields))
    if columns is None and names and items.is_empty and errors.codes <= {ErrorCode.MISSING, *_MORE}:
        _refuse_fields(errors, names, CRMUS if known == CRMUS_FIELDS else PARABLE, rules)


def _refuse_fields(errors: ErrorList, names: Iterable[str], layout: str, rules: ItemRules) -> None:
    """Say once that no row has a field that every item needs, in place of an error of each row."""
    own = ["story"] if layout == CRMUS else ["task"]
    needed = [
        "question",
        "options" if layout == CRMUS else "choices",
        *([] if rules.is_judged_elsewhere else own),
    ]
    missing = [name for name in needed if name not in names]
    if missing:
        errors.replace_all(
            1,
            FILE,
            ErrorCode.OTHER_FIELDS,
            missing=", ".join(missing),
            found=listed(names),
            layout="CRMUS" if layout == CRMUS else "Parable JSONL",
            wanted=", ".join([*needed, "answer"]),
        )


def _read_published(file: SourceFile, errors: ErrorList, items: Collector[ItemRecord]) -> None:
    layout = published_layout_of(file)
    if layout is None:
        raise InputError(ErrorCode.UNKNOWN_FORMAT, field=FILE)
    for row, values in read_json_rows(file.text, errors):
        fields = RowFields(row, values, errors)
        item = read_published_item(fields, layout, items)
        if item is not None:
            items.add(fields, item)


def _read_table(
    file: SourceFile,
    errors: ErrorList,
    items: Collector[ItemRecord],
    codes: TypeCodes,
    columns: Columns | None,
    rules: ItemRules,
    numbers: int | None,
    sheet: str,
) -> None:
    required = ANY_COLUMNS if rules.is_judged_elsewhere else REQUIRED_COLUMNS
    table = Table(file, errors, ITEM_COLUMNS, required=required, columns=columns, rules=rules, sheet=sheet)
    items.ignore(table.ignored, cells=0)
    rows = deque(table)
    counted = find_numbers(
        numbered_answers(rows),
        given=numbers,
        named=number_of_first(table.shown),
        is_judged_elsewhere=rules.is_judged_elsewhere,
    )
    while rows:  # each is let go once it is read: of a large file both would be too much
        fields = rows.popleft()
        items.ignore(fields.unread)
        items.add(fields, read_table_item(fields, codes=codes, numbers=counted))
