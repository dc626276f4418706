"""The CRMUS layout: JSON lists of items with lettered options, read leniently and written exactly.

Its fields are fixed; it has none for story ids, styles, explanations, language or canary. An item without
`type` is of the moral task; the name of the file gives the split.

Made by the authors of CRMUS, or a release (`crmus/*.json`). Tried with the published files.
"""

# Names tasks: the layout of a published set names its tasks.

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Any, Final

from parable.formats import limits
from parable.formats.errors import ErrorCode, ErrorList
from parable.formats.fields import RowFields
from parable.formats.format import Format, ItemFile, Writer, joined
from parable.formats.keys import FROM_ONE, Numbers, find_numbers, read_key_field
from parable.formats.labels import CHINESE_LABELS, LABEL_SEPARATOR, TypeCodes, codes_of, split_types
from parable.formats.options import letter
from parable.formats.records import (
    DOMAINS,
    HUMAN,
    IN,
    OUT,
    STYLES,
    ItemRecord,
    ReleaseRecord,
    key_within,
)
from parable.formats.tables import read_json_items
from parable.splits import DEV, TEST

COMMONSENSE: Final = "commonsense"
MORAL: Final = "moral"
CRMUS_TASKS: Final = (COMMONSENSE, MORAL)
"""The tasks whose items the layout can hold."""

CRMUS_FIELDS: Final = frozenset(
    {"id", "title", "story", "question", "options", "answer", "type", "domain", "style"}
)

_SPLIT_OF_NAME: Final = re.compile(r"(dev|test)(?![a-z])", re.IGNORECASE)
_SHORT_NAMES: Final[Mapping[str, str]] = {COMMONSENSE: "CR", MORAL: "MU"}
_PREFIX_MARKS: Final[Mapping[str, str]] = {COMMONSENSE: "．", MORAL: "."}
_DEEP: Final = "\n" + " " * 12
_quoted: Final = json.JSONEncoder(ensure_ascii=False).encode


def split_of_name(name: str) -> str | None:
    """Return the split at the start of a file's name, e.g. "dev" for `dev_CRMUS_CR.json`, or None."""
    match = _SPLIT_OF_NAME.match(PurePath(name.replace("\\", "/")).name)
    return match[1].lower() if match else None


def read_crmus_item(
    row: RowFields, *, split: str | None, codes: TypeCodes, numbers: Numbers = FROM_ONE
) -> ItemRecord:
    """Return the item that a JSON object describes; callers must discard it if `row` has errors."""
    is_moral = row.values.get("type") is None
    is_ours = not row.rules.is_judged_elsewhere
    return ItemRecord(
        id=row.identifier("id", required=is_ours) or row.place,
        task=MORAL if is_moral else COMMONSENSE,
        story_id=None,
        title=row.text("title", limits.MAX_TITLE_CHARS),
        story=row.text("story", limits.MAX_STORY_CHARS, required=is_ours),
        question=row.text("question", limits.MAX_STEM_CHARS, required=True),
        choices=(options := _options(row)),
        answer=read_key_field(row, options, numbers),
        types=() if is_moral else _types(row, codes),
        style=row.one_of("style", STYLES, otherwise=HUMAN) or HUMAN,
        split=split,
        domain=row.one_of("domain", DOMAINS, otherwise=None),
    )


def _options(row: RowFields) -> tuple[str, ...]:
    lettered = row.options("options")
    options = row.unmarked("options", lettered)
    if lettered:
        row.keep_typed(row.typed or lettered, options)
    row.check_options("options", options)
    return options


def _types(row: RowFields, codes: TypeCodes) -> tuple[str, ...]:
    names = split_types(row.line("type", limits.MAX_NAME_CHARS))
    if not names and row.sound:
        row.error("type", ErrorCode.MISSING)
    return codes_of(row, "type", names, codes)


def with_domains(records: Iterable[ReleaseRecord]) -> tuple[ReleaseRecord, ...]:
    """Return the records with `domain` set on the items of dev.

    It is not set if dev and test share no stories.
    """
    placed = tuple(records)
    tested = {_story_of(record) for record in placed if record.split == TEST}
    is_shared = any(record.split == DEV and _story_of(record) in tested for record in placed)

    def domain(record: ReleaseRecord) -> str | None:
        if record.split != DEV or not is_shared:
            return None
        return IN if _story_of(record) in tested else OUT

    return tuple(_changed(record, domain=domain(record)) for record in placed)


def with_source_ids(records: Iterable[ReleaseRecord]) -> tuple[ReleaseRecord, ...]:
    """Replace ids by source ids, unless another item already has the source id."""
    placed = tuple(records)
    ours = {(record.item.task, record.item.id) for record in placed}

    def name(item: ItemRecord) -> str:
        return item.id if not item.source_id or (item.task, item.source_id) in ours else item.source_id

    return tuple(_changed(record, id=name(record.item)) for record in placed)


def _changed(record: ReleaseRecord, **fields: Any) -> ReleaseRecord:
    """Return the record with these fields of its item changed, or the record itself if nothing changes."""
    if all(getattr(record.item, name) == value for name, value in fields.items()):
        return record
    return replace(record, item=replace(record.item, **fields))


def _story_of(record: ReleaseRecord) -> str:
    return record.item.story_id or record.item.story


def write_crmus(
    records: Iterable[ReleaseRecord], *, labels: Mapping[str, str] = CHINESE_LABELS
) -> dict[str, bytes]:
    """Return the contents of the four files by file name, with the items in the order of the records.

    `labels` gives the label of each type code. A withheld record has an empty answer. Raises ValueError if
    the layout cannot represent a record: another split, a commonsense item without a type, a type without a
    label, more options than letters, a key outside the options.
    """
    files: dict[str, list[ReleaseRecord]] = {
        file_name(split, task): [] for task in CRMUS_TASKS for split in (DEV, TEST)
    }
    for record in records:
        if record.split not in {DEV, TEST}:
            raise ValueError(f"The CRMUS layout has no split {record.split!r}.")
        files[file_name(record.split, record.item.task)].append(record)
    return {name: joined(_parts(chosen, labels)) for name, chosen in files.items()}


def file_name(split: str, task: str) -> str:
    """Return the name of the file that holds a task's items in a split."""
    return f"{split}_CRMUS_{_SHORT_NAMES[task]}.json"


def _parts(records: Iterable[ReleaseRecord], labels: Mapping[str, str]) -> Iterator[bytes]:
    """Yield the items as `json.dumps(objects, indent=4, ensure_ascii=False)` formats them, but faster."""
    before = "[\n    "
    for record in records:
        found = _object(record, labels)
        fields = (f"\n        {_quoted(name)}: {_value(value)}" for name, value in found.items())
        yield (before + f"{{{','.join(fields)}\n    }}").encode()
        before = ",\n    "
    yield b"[]\n" if before.startswith("[") else b"\n]\n"


def _value(value: str | list[str]) -> str:
    if isinstance(value, str):
        return _quoted(value)
    return f"[{','.join(f'{_DEEP}{_quoted(one)}' for one in value)}\n        ]" if value else "[]"


def _object(record: ReleaseRecord, labels: Mapping[str, str]) -> dict[str, str | list[str]]:
    item = record.item
    mark = _PREFIX_MARKS[item.task]
    found: dict[str, str | list[str]] = {
        "id": item.id,
        "title": item.title,
        "story": item.story,
        "question": item.question,
        "options": [f"{letter(index)}{mark}{choice}" for index, choice in enumerate(item.choices)],
        "answer": "" if record.withheld or item.answer is None else letter(key_within(item)),
    }
    if item.task == COMMONSENSE:
        unnamed = [code for code in item.types if code not in labels]
        if unnamed or not item.types:
            raise ValueError(f"Item {item.id!r} needs types with labels; without one: {unnamed or 'all'}.")
        found["type"] = LABEL_SEPARATOR.join(labels[code] for code in item.types)
    if record.split == DEV and item.domain is not None:
        found["domain"] = item.domain
    return found


def _read(source: ItemFile) -> None:
    answers = (
        (row, values.get("answer"), _texts(values.get("options")))
        for row, values in source.json_rows(ErrorList(source.errors.file))
    )
    counted = find_numbers(
        answers, given=source.numbers, is_judged_elsewhere=source.rules.is_judged_elsewhere
    )
    split = split_of_name(source.errors.file)
    read = partial(read_crmus_item, split=split, codes=source.codes, numbers=counted)
    read_json_items(source, CRMUS_FIELDS, read, layout="CRMUS", needed=("options", "story"))


def _texts(options: object) -> tuple[str, ...]:
    values = [*options.values()] if isinstance(options, dict) else options
    return tuple(map(str, values)) if isinstance(values, list) else ()


FORMAT: Final = Format(
    code="crmus",
    label="CRMUS lists",
    label_zh="CRMUS 列表",
    read=_read,
    writer=Writer(
        suffix=".crmus.json",
        parts=lambda items: _parts((ReleaseRecord(item, DEV, "") for item in items), CHINESE_LABELS),
        kinds=lambda kind: kind.code in CRMUS_TASKS,
        takes=lambda item: (
            item.task != COMMONSENSE or (bool(item.types) and {*item.types} <= {*CHINESE_LABELS})
        ),
        holds=frozenset({"id", "task", "title", "story", "types", "lines"}),
    ),
)
