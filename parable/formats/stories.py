"""Stories from JSON lines, a JSON list, CSV or XLSX, and back to JSON lines and CSV."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from types import MappingProxyType
from typing import Final

from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.fields import RowFields
from parable.formats.json_reader import read_json_rows
from parable.formats.records import Collector, Reading, StoryRecord
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
        "体裁": "genre",
    }
)
"""The field that each column of a table of stories fills, by folded column name."""


def read_stories(
    source: Readable,
    *,
    name: str,
    format: str | None = None,  # noqa: A002 - as the commands call it
    columns: Columns | None = None,
    sheet: str = "",
) -> Reading[StoryRecord]:
    """Read stories from a file; bad input gives errors in the reading, never an exception.

    `name` is what the errors call the file. `format` is `jsonl` (a JSON list is read too), `csv`, `xlsx`,
    or None to detect it by the content; ValueError for another. `columns` says which column of a
    table, or which field of a JSON file, fills a field of ours where the names do not; `sheet` names that
    of a spreadsheet, which is found where it is empty.
    """
    if format not in {None, *STORY_FORMATS}:
        raise ValueError(format)
    errors = ErrorList(name)
    found = format
    stories = Collector[StoryRecord](errors, key=lambda story: story.id or None)
    try:
        file = source_file(source)
        file.remark_encoding(errors)
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
    raise InputError(ErrorCode.UNKNOWN_FORMAT, field=FILE)


def _read_json(
    text: str, errors: ErrorList, stories: Collector[StoryRecord], columns: Columns | None
) -> None:
    for row, values in read_json_rows(text, errors):
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
        genre=row.line("genre", limits.MAX_NAME_CHARS),
    )


def write_stories_jsonl(stories: Iterable[StoryRecord]) -> bytes:
    """Return the stories as one JSON object per line, in UTF-8 without escapes."""
    return "".join(_json_lines(stories)).encode()


def _json_lines(stories: Iterable[StoryRecord]) -> Iterator[str]:
    for story in stories:
        values = asdict(story)
        if not story.genre:
            del values["genre"]
        yield json.dumps(values, ensure_ascii=False) + "\n"


def write_stories_csv(stories: Iterable[StoryRecord]) -> bytes:
    """Return the stories as CSV with a byte order mark, without which Excel misreads Chinese."""
    text = io.StringIO(newline="")
    listed = list(stories)
    columns = [name for name in STORY_FIELDS if name != "genre" or any(story.genre for story in listed)]
    writer = csv.DictWriter(
        text, columns, extrasaction="ignore", lineterminator="\r\n"
    )  # so that both its marks are quoted
    writer.writeheader()
    writer.writerows({name: defused(cell) for name, cell in asdict(story).items()} for story in listed)
    return text.getvalue().encode("utf-8-sig")
