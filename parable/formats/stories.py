"""Reads stories from JSON lines, a JSON list, CSV, XLSX or files of other tools.

Writes JSON lines and CSV.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import chain, islice
from types import MappingProxyType
from typing import Final

from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, can_be_shown
from parable.formats.fields import RowFields
from parable.formats.format import foreign_labels
from parable.formats.json_reader import read_json_rows
from parable.formats.layout_names import STORY, STORY_ID, TITLE, WEAK, best_named
from parable.formats.records import FURTHER_FIELDS, Collector, Reading, StoryRecord
from parable.formats.source_file import Readable, SourceFile, source_file
from parable.formats.sources import refuse_stray
from parable.formats.table_writer import defused
from parable.formats.tables import (
    Column,
    Columns,
    Table,
    has_columns,
    json_columns,
    names_columns,
    renamed,
    table_columns,
)

JSONL: Final = "jsonl"
CSV: Final = "csv"
XLSX: Final = "xlsx"
STORY_FORMATS: Final = (JSONL, CSV, XLSX)

STORY_FIELDS: Final = tuple(field.name for field in fields(StoryRecord))
REQUIRED_STORY_FIELDS: Final = ("text",)
_SEEN: Final = 200
"""Number of rows of a file of another tool that are read to find its columns."""

STORY_COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {name: name for name in STORY_FIELDS}
    | {
        "编号": "id",
        "标题": "title",
        "story": "text",
        "故事": "text",
        "寓意": "moral",
        "语言": "language",
        "来源": "source",
        "权利": "rights",
    }
    | {heading: name for name, heading in FURTHER_FIELDS.items()}
)
"""The field that each column of a table of stories fills, by column name as `fold_name` returns it."""


def read_stories(
    source: Readable,
    *,
    name: str,
    format: str | None = None,  # noqa: A002 - as the commands call it
    columns: Columns | None = None,
    sheet: str = "",
) -> Reading[StoryRecord]:
    """Read stories from a file; bad input gives errors in the reading, never an exception.

    `name` is the file's name in errors. `format` is `jsonl` (also for a JSON list), `csv`, `xlsx`, or None to
    detect it from the content; with None, files of items and of other tools are read, too, each of their
    stories once. `columns` gives the column of a table, or the field of another file, that fills each of our
    fields; if None, fields are matched by name. `sheet` names the sheet of a spreadsheet; if empty, the
    likeliest is chosen. Raises ValueError for any other format.
    """
    if format not in {None, *STORY_FORMATS}:
        raise ValueError(format)
    errors = ErrorList(name)
    found = format
    stories = Collector[StoryRecord](errors, key=lambda story: story.id or None)
    try:
        file = source_file(source)
        file.remark_encoding(errors)
        foreign = file.format if format is None else None
        if foreign is not None and foreign.rows is not None:
            found = foreign.code
            _read_foreign(foreign.rows(file, errors), errors, stories, columns)
            return stories.reading(found)
        found = format or _format_of(file, columns)
        if found == JSONL:
            _read_json(file.text, errors, stories, columns)
        else:
            _read_table(file, errors, stories, columns, sheet)
    except InputError as refused:
        errors.refuse(refused)
    return stories.reading(found or "")


def story_columns(source: Readable, sheet: str = "") -> tuple[Column, ...]:
    """Return the columns of a table or JSON file with the fields they seem to fill; () for other files."""
    return table_columns(source, STORY_COLUMNS, sheet) or json_columns(
        source, dict(zip(STORY_FIELDS, STORY_FIELDS, strict=True))
    )


def foreign_story_columns(file: SourceFile) -> tuple[Column, ...]:
    """Return the columns of a file of another tool with the fields they seem to fill; () for other files."""
    try:
        if file.format is None or file.format.rows is None:
            return ()
        first = [values for _row, values in islice(file.format.rows(file, ErrorList(FILE)), _SEEN)]
    except InputError:
        return ()
    fields = {name: field for field, name in _columns_of(first).items()}
    return tuple(Column(name, fields.get(name, "")) for name in _names(first) if can_be_shown(name))


def _names(rows: Iterable[Mapping[str, object]]) -> list[str]:
    return [*dict.fromkeys(name for values in rows for name in values)][: limits.MAX_COLUMNS]


def _columns_of(rows: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Return the column that fills each field of a story, recognised by the usual names in files of items."""
    names = _names(rows)
    titles = best_named(names, TITLE)
    likely = {
        "id": best_named(names, STORY_ID),
        "title": titles,
        "text": best_named(names, STORY) or [name for name in best_named(names, WEAK) if name not in titles],
        **{
            name: [name] * (name in names)
            for name in ("moral", "language", "source", "rights", *FURTHER_FIELDS)
        },
    }
    return {field: found[0] for field, found in likely.items() if found}


def _read_foreign(
    numbered: Iterable[tuple[int, Mapping[str, object]]],
    errors: ErrorList,
    stories: Collector[StoryRecord],
    columns: Columns | None,
) -> None:
    """Read the stories of the items, each once, and add a remark that names the columns used."""
    rows = iter(numbered)
    first = [*islice(rows, _SEEN)]
    chosen = _columns_of([values for _row, values in first]) if columns is None else columns
    if "text" not in chosen and columns is None:  # the first rows may have no story
        first += rows
        chosen = _columns_of([values for _row, values in first])
    if "text" not in chosen:
        raise InputError(ErrorCode.NO_STORIES, field=FILE)
    mapping = ", ".join(f"{field}={name}" for field, name in chosen.items())
    errors.remark(1, FILE, ErrorCode.MAPPED, mapping=mapping)
    known: set[tuple[str, str]] = set()
    for row, values in chain(first, rows):
        named = {field: values.get(name) for field, name in chosen.items()}
        text = named["text"]
        if isinstance(text, list):  # of paragraphs
            text = named["text"] = "\n".join(part for part in text if isinstance(part, str))
        story = (str(named.get("id") or ""), str(text))
        if not isinstance(text, str) or not text.strip() or story in known:
            continue
        known.add(story)
        filled = {field: value for field, value in named.items() if value is not None}
        fields = RowFields(row, filled, errors, columns)
        stories.add(fields, _story(fields))


def _format_of(file: SourceFile, columns: Columns | None) -> str:
    if file.is_spreadsheet:
        return XLSX
    text = file.text
    if file.is_json:
        return JSONL
    if columns or names_columns(text, STORY_COLUMNS, REQUIRED_STORY_FIELDS):
        return CSV
    refuse_stray(text)
    if has_columns(text, STORY_COLUMNS):
        return CSV  # whose reader names the column that is missing
    raise InputError(ErrorCode.UNKNOWN_FORMAT, field=FILE, formats=foreign_labels())


def _read_json(
    text: str, errors: ErrorList, stories: Collector[StoryRecord], columns: Columns | None
) -> None:
    rows = iter(read_json_rows(text, errors))
    first = [*islice(rows, 1)]
    rows = chain(first, rows)
    if columns is None and first and "text" not in first[0][1] and best_named(first[0][1], STORY):
        _read_foreign(rows, errors, stories, columns)
        return
    for row, values in rows:
        fields, ignored = renamed(values, columns, STORY_COLUMNS)
        stories.ignore(name for name in ignored if values[name] is not None)
        row_fields = RowFields(row, fields, errors, columns)
        stories.add(row_fields, _story(row_fields))


def _read_table(
    file: SourceFile, errors: ErrorList, stories: Collector[StoryRecord], columns: Columns | None, sheet: str
) -> None:
    table = Table(file, errors, STORY_COLUMNS, required=REQUIRED_STORY_FIELDS, columns=columns, sheet=sheet)
    stories.ignore(table.ignored, cells=0)
    for row_fields in table:
        stories.ignore(row_fields.unread)
        stories.add(row_fields, _story(row_fields))


def _story(row: RowFields) -> StoryRecord:
    return StoryRecord(
        id=row.identifier("id"),
        title=row.text("title", limits.MAX_TITLE_CHARS),
        text=row.text("text", limits.MAX_STORY_CHARS, required=True),
        moral=row.text("moral", limits.MAX_MORAL_CHARS) or None,
        language=row.line("language", limits.MAX_LANGUAGE_CHARS),
        source=row.text("source", limits.MAX_SOURCE_CHARS),
        rights=row.text("rights", limits.MAX_SOURCE_CHARS) or None,
        **{name: row.line(name, limits.MAX_NAME_CHARS) for name in FURTHER_FIELDS},
    )


def write_stories_jsonl(stories: Iterable[StoryRecord]) -> bytes:
    """Return the stories as one JSON object per line, in UTF-8 without escapes."""
    lines = []
    for story in stories:
        stated = {name: value for name, value in asdict(story).items() if value or name not in FURTHER_FIELDS}
        lines.append(json.dumps(stated, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def write_stories_csv(stories: Iterable[StoryRecord]) -> bytes:
    """Return the stories as CSV with a byte order mark, without which Excel misreads Chinese."""
    text = io.StringIO(newline="")
    listed = list(stories)
    columns = [
        name
        for name in STORY_FIELDS
        if name not in FURTHER_FIELDS or any(getattr(story, name) for story in listed)
    ]
    writer = csv.DictWriter(
        text, columns, extrasaction="ignore", lineterminator="\r\n"
    )  # so that cells with either character are quoted
    writer.writeheader()
    writer.writerows({name: defused(cell) for name, cell in asdict(story).items()} for story in listed)
    return text.getvalue().encode("utf-8-sig")
