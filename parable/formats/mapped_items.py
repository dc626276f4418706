"""Reads items from files of other tools: a mapping of columns, given or guessed, is applied to their rows.

The rows come from the format of another tool, from JSON of any shape, or from a table with any column names.
`mapping.py` determines which column holds which part of an item.

Made by projects that publish items as JSON or as a table. Tried with the layouts that
[layouts.md](layouts.md) lists.
"""

import csv
import io
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from parable.formats import limits
from parable.formats.csv_reader import SEPARATORS
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, can_be_shown, excerpt, listed
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.format import Format, ItemFile
from parable.formats.item_tables import (
    ANY_COLUMNS,
    ITEM_COLUMNS,
    REQUIRED_COLUMNS,
    number_of_first,
    numbered_answers,
    read_table_item,
    task_names,
)
from parable.formats.json_reader import is_json, read_json_values, with_known_texts
from parable.formats.keys import find_numbers
from parable.formats.labels import TypeCodes, type_codes
from parable.formats.layout_names import (
    EXPLANATION,
    KEY,
    OPTIONS,
    RIGHT,
    STORY,
    WEAK,
    best_named,
    is_named,
    story_families,
)
from parable.formats.mapping import (
    CHOICES,
    MAPPED_FIELDS,
    RIGHT_FIELD,
    SEVERAL,
    ItemMapping,
    guess_mapping,
    parse_mapping,
)
from parable.formats.nested_rows import read_nested_rows
from parable.formats.option_lists import read_option_list
from parable.formats.option_marks import LETTERS
from parable.formats.other_answers import OWN, read_own_field
from parable.formats.published import published_layout_of
from parable.formats.records import ItemRecord
from parable.formats.source_file import Readable, SourceFile, source_file
from parable.formats.sources import refuse_stray
from parable.formats.tables import Table, fold_name, header_names
from parable.kinds import codes as task_codes

REQUIRED_MAPPED: Final[Sequence[Sequence[str]]] = (
    ("story", "story_id"),
    ("question",),
    (CHOICES, LETTERS[0], RIGHT_FIELD),
)
"""Groups of fields, the usual one first; an import requires one field of each group."""
_SAMPLES: Final = 3
_SHORT: Final = 3
_LEAST_NAMELESS: Final = 4
"""Minimum number of columns of a table without a header: a stem, two options and a key."""
_NEVER_A_STEM: Final = frozenset({"id", "story_id", "title", "story", CHOICES, "language", "split"})
"""Fields that cannot be a stem; files of texts without questions have no others."""
_OWN_FIELDS: Final = frozenset({"id", "task", "story_id", "title", "story", "language", OWN})
_OWN_KEYS: Final = frozenset({"answer", "answer_letter", "answer_index", "answers", "answer_letters"})


@dataclass(frozen=True, slots=True)
class Source:
    """The rows of a file, with values by column, and the names of all columns in order.

    Rows of a table (`is_table`) may be unfinished. With `is_named`, the columns have the names of our fields.
    """

    rows: tuple[RowFields, ...]
    names: tuple[str, ...]
    is_table: bool = False
    is_named: bool = False


def read_source(
    file: SourceFile, errors: ErrorList, rules: limits.ItemRules, sheet: str = "", said: Format | None = None
) -> Source:
    """Read all rows of a file in the format `said` or the detected one; raise InputError if this fails."""
    found = said or file.format
    if found is not None and found.rows is not None:
        read = found.rows(file, errors)
        if found.sheet_rows is not None:
            read = found.sheet_rows(file, errors, sheet)
        own = _source(read, errors, rules, is_named=True)
        if not own.rows and not len(errors):
            raise InputError(ErrorCode.NOT_OF_FORMAT, field=FILE, format=found.code)
        return own
    if not file.is_spreadsheet:
        text = file.text
        refuse_stray(text)
        if rows := nameless_rows(text):
            errors.remark(1, FILE, ErrorCode.NO_HEADER, found=listed(rows[0]))
            return _source(enumerate(rows, start=1), errors, rules)
        if is_json(text):
            return _source(read_nested_rows(text, errors), errors, rules)
    names = list(dict.fromkeys(filter(None, header_names(file, ITEM_COLUMNS, sheet))))
    if not names:
        raise InputError(ErrorCode.NO_ROWS, field=FILE)
    columns = {name: name for name in names}
    table = Table(file, errors, ITEM_COLUMNS, required=names, columns=columns, rules=rules, sheet=sheet)
    return Source(tuple(table), tuple(names), is_table=True)


def _source(
    numbered: Iterable[tuple[int, Mapping[str, object]]],
    errors: ErrorList,
    rules: limits.ItemRules,
    *,
    is_named: bool = False,
) -> Source:
    rows = tuple(RowFields(row, values, errors, None, rules) for row, values in numbered)
    names: dict[str, None] = {}
    for one in rows:
        if len(names) < limits.MAX_COLUMNS:
            names |= dict.fromkeys(one.values)
    return Source(rows, tuple(names), is_named=is_named)


def nameless_rows(text: str) -> list[dict[str, object]] | None:
    """Return the rows of a table without header, like MMLU's: stem, options, key letter.

    Return None for other texts.
    """
    if is_json(text):
        return None
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        try:
            first = next((row for row in reader if any(row)), [])
            width = len(first)
            if not _LEAST_NAMELESS <= width <= limits.MAX_OPTIONS + 2 or not _ends_in_letter(first, width):
                continue
            rows = [first, *(row for row in reader if any(row))]
        except csv.Error:
            continue
        if all(_ends_in_letter(row, width) for row in rows):
            names = ["question", *LETTERS[: width - 2], "answer"]
            return [dict(zip(names, row, strict=True)) for row in rows]
    return None


def _ends_in_letter(row: Sequence[str], width: int) -> bool:
    """Return whether a row has `width` cells and the last is the letter of one of its options."""
    said = row[-1].strip().upper() if len(row) == width else ""
    return bool(said) and said in [*LETTERS[: width - 2]]


def find_mapping(items: ItemFile, source: Source) -> ItemMapping:
    """Return the mapping that a user gave for the rows of a foreign file, completed by guesses.

    Raises InputError, naming the missing parts or the contradicting columns, if no complete mapping is
    certain.
    """
    rules = items.rules
    given = None
    if isinstance(items.mapping, ItemMapping):
        given = items.mapping
    elif items.mapping:
        given = parse_mapping(items.mapping, source.names)
    guess = guess_mapping(
        source.rows,
        source.names,
        types=items.codes,
        tasks=task_names(),
        said=_with_names(given, source),
    )
    mapping = guess.mapping
    columns = listed(source.names)
    if guess.missing and not (mapping.is_whole and source.is_table):
        if source.is_named and "stem" in guess.missing and {*source.names} <= _NEVER_A_STEM:
            raise InputError(ErrorCode.NO_QUESTIONS, field=FILE)
        missing = ", ".join(guess.missing)
        option = f"--map {','.join(f'{part}=COLUMN' for part in guess.missing)}"
        raise InputError(ErrorCode.UNMAPPED, field=FILE, missing=missing, found=columns, option=option)
    if guess.rivals:
        rivals = listed(guess.rivals)
        raise InputError(ErrorCode.RIVAL_KEYS, field=FILE, found=rivals, option="--map key=COLUMN")
    if not rules.is_judged_elsewhere and not {"story", "story_id"} & {*mapping.columns, *mapping.constants}:
        option = "--map story=COLUMN, --map story:WORDS"
        raise InputError(ErrorCode.STORY_MISSING, field=FILE, found=columns, option=option)
    return mapping


def _with_names(given: ItemMapping | None, source: Source) -> ItemMapping | None:
    """Return the given mapping, completed with columns whose names are those of our fields."""
    if not source.is_named or (given is None and "answer" not in source.names):
        return given
    given = ItemMapping() if given is None else given
    if given.is_whole:
        return given
    said = {*given.columns, *given.constants}
    if {CHOICES, RIGHT_FIELD, *LETTERS} & said:
        said |= {CHOICES, *LETTERS}
    named = {name: (name,) for name in MAPPED_FIELDS if name in source.names and name not in said}
    return replace(given, columns={**given.columns, **named})


def _is_filled(row: RowFields, name: str) -> bool:
    return row.values[name] not in (None, "", [], {})


def read_mapped(items: ItemFile, said: Format | None = None) -> None:
    """Read items by the given or guessed mapping, and add a remark that names the columns used."""
    source = read_source(items.file, items.errors, items.rules, items.sheet, said)
    if source.is_named:
        rest = _read_own_answers(source, items)
        if not rest.rows and (source.rows or len(items.errors)):
            return
        source = rest
    mapping = find_mapping(items, source)
    shown = mapping.column_names
    items.errors.remark(1, FILE, ErrorCode.MAPPED, mapping=" ".join(str(mapping).split()))
    known: dict[str, str] = {}
    raw_rows = deque(source.rows)
    del source  # frees each row once it is mapped, and again once it is read
    rows = deque[RowFields]()
    while raw_rows:
        rows.append(_mapped_row(raw_rows.popleft(), mapping, items.errors, items.rules, known))
    counted = find_numbers(
        numbered_answers(rows),
        given=items.numbers if mapping.first is None else mapping.first,
        named=number_of_first(shown),
        is_judged_elsewhere=items.rules.is_judged_elsewhere,
    )
    while rows:
        fields = rows.popleft()
        items.items.ignore(fields.unread)
        items.items.add(fields, read_table_item(fields, codes=items.codes, numbers=counted))


def _read_own_answers(source: Source, items: ItemFile) -> Source:
    """Read the rows with an answer in the field `own`; return the source with the other rows."""
    others = []
    for row in source.rows:
        if OWN not in row.values:
            others.append(row)
            continue
        is_ours = not row.rules.is_judged_elsewhere
        record = ItemRecord(
            id=row.identifier("id") or ("" if is_ours else row.place),
            task=row.one_of("task", task_codes(), otherwise=None) or "",
            story_id=row.identifier("story_id") or None,
            title=row.text("title", limits.MAX_TITLE_CHARS),
            story=row.text("story", limits.MAX_STORY_CHARS, required=True),
            question="",
            choices=(),
            answer=None,
            language=row.line("language", limits.MAX_LANGUAGE_CHARS),
            own=read_own_field(row),
        )
        items.items.ignore(name for name in row.values if name not in _OWN_FIELDS and _is_filled(row, name))
        items.items.add(row, record)
    names = dict.fromkeys(name for row in others for name in row.values)
    return replace(source, rows=tuple(others), names=tuple(names)[: limits.MAX_COLUMNS])


def _mapped_row(
    raw: RowFields, mapping: ItemMapping, errors: ErrorList, rules: limits.ItemRules, known: dict[str, str]
) -> RowFields:
    values = with_known_texts(mapping.values_of(raw.values), known)
    fields = RowFields(raw.row, values, errors, mapping.column_names, rules)
    fields.remarks = list(raw.remarks)
    read = {name for columns in mapping.columns.values() for name in columns}
    fields.unread = [
        *raw.unread,
        *(name for name in raw.values if name not in read and _is_filled(raw, name)),
    ]
    if RIGHT_FIELD in mapping.columns:
        fields.remark(RIGHT_FIELD, ErrorCode.RIGHT_FIRST)
    for name in SEVERAL & {*mapping.columns}:
        if isinstance(raw.values.get(mapping.columns[name][0]), list):
            fields.remark(name, ErrorCode.LINES_JOINED)
    return fields


@dataclass(frozen=True, slots=True)
class Offer:
    """The choices that a page offers for a file: columns, guessed fields, and three sample values per column.

    A sample that might reveal a key is "".
    """

    names: tuple[str, ...]
    mapping: ItemMapping
    samples: Mapping[str, Sequence[str]]
    required: Sequence[Sequence[str]] = REQUIRED_MAPPED
    """Groups of fields, the usual one first; an import requires one field of each group."""


def offer_mapping(
    file: Readable, codes: TypeCodes | None = None, sheet: str = "", said: Format | None = None
) -> Offer | None:
    """Return the choices that a page offers for mapping a foreign file; None if the file cannot be read.

    The offer is empty if the rows have answers of a form of their own (field `own`), which need no mapping.
    """
    try:
        source = read_source(source_file(file), ErrorList(FILE), limits.ANYBODYS, sheet, said)
    except InputError:
        return None
    if source.is_named and any(OWN in row.values for row in source.rows):
        return Offer((), ItemMapping(), {}, ())  # needs no mapping
    known = type_codes() if codes is None else codes
    named = _with_names(None, source)
    guess = guess_mapping(source.rows, source.names, types=known, tasks=task_names(), said=named)
    hidden = _that_show_keys(source, guess.mapping)
    names = tuple(filter(can_be_shown, source.names))
    samples = {
        name: ["" if name in hidden else _sample(row.values.get(name)) for row in source.rows[:_SAMPLES]]
        for name in names
    }
    held = guess.mapping.columns
    required = REQUIRED_MAPPED[:1] if source.is_table else REQUIRED_MAPPED
    if held.get(CHOICES) is not None and held[CHOICES] == held.get("question"):
        required = REQUIRED_MAPPED[:2]
    return Offer(names, guess.mapping, samples, required)


def first_values(file: Readable, sheet: str = "", said: Format | None = None) -> dict[str, list[str]]:
    """Return three values of each column of a file, keys included; {} if the file cannot be read as rows."""
    try:
        source = read_source(source_file(file), ErrorList(FILE), limits.ANYBODYS, sheet, said)
    except InputError:
        return {}
    names = filter(can_be_shown, source.names)
    return {name: [_sample(row.values.get(name)) for row in source.rows[:_SAMPLES]] for name in names}


def _that_show_keys(source: Source, mapping: ItemMapping) -> set[str]:
    """Return the columns that may reveal the key: by their name, by their field, or by their values.

    A column's values count if all are short, or if one equals the text of an option.
    """
    rows = source.rows[:_SAMPLES]
    taken = {
        name for field in ("answer", RIGHT_FIELD, "explanation") for name in mapping.columns.get(field, ())
    }
    free = set(source.names) - {name for columns in mapping.columns.values() for name in columns}
    named = {name for name in source.names if is_named(name, KEY) or is_named(name, RIGHT)}
    told = {name for name in source.names if is_named(name, EXPLANATION)}
    short = {name for name in free if all(len(str(row.values.get(name))) <= _SHORT for row in rows)}
    options = {name for field in (CHOICES, *LETTERS) for name in mapping.columns.get(field, ())}
    texts = {str(row.values.get(name)) for row in rows for name in options}
    same = {name for name in free if any(str(row.values.get(name)) in texts for row in rows)}
    apart = options if RIGHT_FIELD in mapping.columns else set()
    return (taken | named | told | short | same | apart) - (options - apart)


def _sample(value: object) -> str:
    """Return a sample of a value.

    A list of options gives only their texts, since a flag would reveal the key.
    """
    if isinstance(value, list | dict):
        found = read_option_list(value)
        if found is not None:
            return excerpt(" / ".join(str(one) for one in found.options))
    return "" if value is None else json_excerpt(value) if not isinstance(value, InputError) else ""


def is_of_others(file: SourceFile, sheet: str = "") -> bool:
    """Return whether a file lacks the fields of our own layouts; False if it cannot be read."""
    try:
        if file.format is not None and file.format.rows is not None:
            return True
        if not file.is_json:
            return not _is_our_table(_table_fields(file, sheet))
        if published_layout_of(file):
            return False
        first = next(iter(read_json_values(file.text, ErrorList(FILE))), None)
    except InputError:
        return False
    if first is None:
        return False
    return not (isinstance(first[1], dict) and _is_our_object(first[1]))


def lacks_story(file: SourceFile, sheet: str = "") -> bool:
    """Return whether a file in one of our layouts has neither stories nor story ids.

    Return False for foreign files.
    """
    try:
        if not file.is_json:
            known = {*_table_fields(file, sheet).values()}
            return "question" in known and not {"story", "story_id"} & known
        _row, values = next(iter(read_json_values(file.text, ErrorList(FILE))), (1, {}))
    except InputError:
        return False
    return (
        isinstance(values, dict)
        and "question" in values
        and "task" not in values
        and not {"story", "story_id"} & {*values}
    )


def is_half_ours(
    file: SourceFile, rules: limits.ItemRules, missing: Collection[str], sheet: str = ""
) -> bool:
    """Return whether a file with an incomplete mapping has enough fields of ours for our own reader."""
    if file.is_json:
        _row, values = next(iter(read_json_values(file.text, ErrorList(FILE))), (1, {}))
        return isinstance(values, dict) and "question" in values and bool({"options", "choices"} & {*values})
    if "options" in missing:
        return True
    # Our own reader would lose options that only a mapping finds; the user is then asked for the key.
    known = {*_table_fields(file, sheet).values()}
    required = ANY_COLUMNS if rules.is_judged_elsewhere else REQUIRED_COLUMNS
    return LETTERS[0] in known and bool({*required} & known)


def _table_fields(file: SourceFile, sheet: str) -> Mapping[str, str]:
    """Return the fields that the columns of a table fill, by column name."""
    names = header_names(file, ITEM_COLUMNS, sheet)
    return {name: ITEM_COLUMNS.get(fold_name(name), "") for name in names if name}


def _is_our_table(fields: Mapping[str, str]) -> bool:
    known = {*fields.values()}
    others = [name for name, field in fields.items() if not field]
    has_options = {LETTERS[0], LETTERS[1]} <= known
    if not ({"question", "answer"} <= known and has_options):
        return False
    has_foreign_story = any(is_named(name, STORY) for name in others) or bool(story_families(others))
    return bool({"story", "story_id"} & known) or not has_foreign_story


def _is_our_object(values: Mapping[str, object]) -> bool:
    task = values.get("task")
    if "canary" in values or (isinstance(task, str) and task in task_names()) or not values:
        return True
    folded = {name: ITEM_COLUMNS.get(fold_name(name), "") for name in values}
    if not any(is_named(name, OPTIONS) for name in values) and {"A", "B"} <= {*folded.values()}:
        return _is_our_table(folded)
    options = next((values[name] for name in ("options", "choices") if name in values), None)
    if "question" not in values or not _are_plain(options):
        return False
    has_story = bool({"story", "story_id"} & {*values})
    has_key = bool(_OWN_KEYS & {*values})
    return (has_story or not (best_named(values, STORY) or best_named(values, WEAK))) and (
        has_key or not best_named(values, KEY)
    )


def _are_plain(options: object) -> bool:
    if isinstance(options, dict):
        return [*options] == [*LETTERS[: len(options)]] and all(
            isinstance(one, str) for one in options.values()
        )
    return isinstance(options, list) and all(not isinstance(one, dict | list) for one in options)


FORMAT: Final = Format(
    code="mapped", label="other JSON or table", label_zh="其他 JSON 或表格", read=read_mapped
)
