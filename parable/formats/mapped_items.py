"""Items from files of others by a mapping: a layout is recognised, or asked for, and read like a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from parable.formats import limits
from parable.formats.collector import Collector
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, excerpt, listed
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.item_tables import (
    ITEM_COLUMNS,
    number_of_first,
    numbered_answers,
    read_table_item,
    task_names,
)
from parable.formats.keys import find_numbers
from parable.formats.labels import TypeCodes, type_codes
from parable.formats.layout_names import EXPLANATION, KEY, RIGHT, is_named
from parable.formats.mapping import (
    CHOICES,
    RIGHT_FIELD,
    SEVERAL,
    ItemMapping,
    guess_mapping,
    parse_mapping,
)
from parable.formats.option_lists import read_option_list
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import Readable, SourceFile, source_file
from parable.formats.source_rows import Source, read_source

REQUIRED_MAPPED: Final[Sequence[Sequence[str]]] = (
    ("story", "story_id"),
    ("question",),
    (CHOICES, LETTERS[0], RIGHT_FIELD),
)
"""Of each of these groups of fields one must be filled in an import; the first of each is the usual one."""
_SAMPLES: Final = 3
_SHORT: Final = 3


@dataclass(frozen=True, slots=True)
class Mapped:
    """A source and how it is read."""

    source: Source
    mapping: ItemMapping


def find_mapping(
    file: SourceFile,
    errors: ErrorList,
    rules: limits.ItemRules,
    codes: TypeCodes,
    said: str | ItemMapping = "",
    sheet: str = "",
) -> Mapped:
    """Recognise the layout of a file of others, beside what a person has `said` of it, as `--map` has it.

    Raises InputError where it is not certain: what is missing, or which columns contradict each other.
    """
    source = read_source(file, errors, ITEM_COLUMNS, rules, sheet)
    given = parse_mapping(said, source.names) if isinstance(said, str) and said else said or None
    guess = guess_mapping(
        source.rows,
        source.names,
        types=codes,
        tasks=task_names(),
        said=given if isinstance(given, ItemMapping) else None,
    )
    mapping = guess.mapping
    columns = listed(source.names)
    if guess.missing and not (mapping.is_whole and source.is_table):
        missing = ", ".join(guess.missing)
        option = f"--map {','.join(f'{part}=COLUMN' for part in guess.missing)}"
        raise InputError(ErrorCode.UNMAPPED, field=FILE, missing=missing, found=columns, option=option)
    if guess.rivals:
        rivals = listed(guess.rivals)
        raise InputError(ErrorCode.RIVAL_KEYS, field=FILE, found=rivals, option="--map key=COLUMN")
    if not rules.is_judged_elsewhere and not {"story", "story_id"} & {*mapping.columns, *mapping.constants}:
        option = "--map story=COLUMN, --map story:WORDS"
        raise InputError(ErrorCode.STORY_MISSING, field=FILE, found=columns, option=option)
    return Mapped(source, mapping)


def read_mapped(
    mapped: Mapped,
    errors: ErrorList,
    items: Collector[ItemRecord],
    codes: TypeCodes,
    rules: limits.ItemRules,
    numbers: int | None,
) -> None:
    """Read the items of a source by its mapping, and say how it is read."""
    mapping, shown = mapped.mapping, mapped.mapping.shown
    errors.remark(1, FILE, ErrorCode.MAPPED, mapping=excerpt_of(mapping))
    rows = [_mapped_row(raw, mapping, errors, rules) for raw in mapped.source.rows]
    first = numbers if mapping.first is None else mapping.first
    counted = find_numbers(
        numbered_answers(rows),
        given=first,
        named=number_of_first(shown),
        is_judged_elsewhere=rules.is_judged_elsewhere,
    )
    for fields in rows:
        items.ignore(fields.unread)
        items.add(fields, read_table_item(fields, codes=codes, numbers=counted))


def _mapped_row(
    raw: RowFields, mapping: ItemMapping, errors: ErrorList, rules: limits.ItemRules
) -> RowFields:
    values = mapping.values_of(raw.values)
    fields = RowFields(raw.row, values, errors, mapping.shown, rules)
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


def _is_filled(row: RowFields, name: str) -> bool:
    return row.values[name] not in (None, "", [], {})


def excerpt_of(mapping: ItemMapping) -> str:
    """The mapping for a message, on one line."""
    return " ".join(str(mapping).split())


@dataclass(frozen=True, slots=True)
class Offer:
    """What a page offers for a file: its columns with the field each seems to fill, and three rows of each.

    A sample that may give a key away is "".
    """

    names: tuple[str, ...]
    mapping: ItemMapping
    samples: Mapping[str, Sequence[str]]
    required: Sequence[Sequence[str]] = REQUIRED_MAPPED
    """Groups of fields of which one must be filled in an import; the first of each is the usual one."""


def offer_mapping(file: Readable, codes: TypeCodes | None = None, sheet: str = "") -> Offer | None:
    """Return what a page offers for a file of others; None where it cannot be read."""
    try:
        source = read_source(source_file(file), ErrorList(FILE), ITEM_COLUMNS, limits.ANYBODYS, sheet)
    except InputError:
        return None
    known = type_codes() if codes is None else codes
    guess = guess_mapping(source.rows, source.names, types=known, tasks=task_names())
    hidden = _that_show_keys(source, guess.mapping)
    samples = {
        name: ["" if name in hidden else _sample(row.values.get(name)) for row in source.rows[:_SAMPLES]]
        for name in source.names
    }
    held = guess.mapping.columns
    required = REQUIRED_MAPPED[:1] if source.is_table else REQUIRED_MAPPED
    if held.get(CHOICES) is not None and held[CHOICES] == held.get("question"):
        required = REQUIRED_MAPPED[:2]
    return Offer(source.names, guess.mapping, samples, required)


def _that_show_keys(source: Source, mapping: ItemMapping) -> set[str]:
    """Columns that may say which option is right: by name, by what they are for, or short throughout."""
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
    """A value for a look at it; of options the texts alone, since a flag among them is a key."""
    if isinstance(value, list | dict):
        found = read_option_list(value)
        if found is not None:
            return excerpt(" / ".join(str(one) for one in found.options))
    return "" if value is None else json_excerpt(value) if not isinstance(value, InputError) else ""
