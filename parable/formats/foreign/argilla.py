"""Argilla records as JSON: the `fields` and `metadata` of each record are the columns.

Responses and suggestions are answers of people and models: they are never read as keys, and counted. A record
has the id that Argilla gave it. In files of `to_json` a response has no status, so drafts and discarded ones
are counted, too.
"""

from __future__ import annotations

from typing import Final

from parable.formats.errors import ErrorCode, ErrorList
from parable.formats.format import Format, Rows
from parable.formats.json_reader import read_json_values
from parable.formats.source_file import SourceFile

_ANSWERS: Final = ("responses", "suggestions")


def _detect(file: SourceFile) -> bool:
    head = file.plain[:100_000]
    if '"fields"' not in head or head.lstrip()[:1] not in ("[", "{"):
        return False
    return _is_record(next((value for _row, value in read_json_values(file.plain, ErrorList(""))), None))


def _is_record(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("fields"), dict) and bool({*_ANSWERS} & {*value})


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    for row, record in read_json_values(file.text, errors):
        if not isinstance(record, dict) or not isinstance(record.get("fields"), dict):
            errors.add(row, "fields", ErrorCode.MISSING)
            continue
        metadata = record.get("metadata")
        values = (
            {"id": record.get("id")} | (metadata if isinstance(metadata, dict) else {}) | record["fields"]
        )
        if answers := sum(
            len(record[name]) for name in _ANSWERS if isinstance(record.get(name), dict | list)
        ):
            errors.remark(row, "answer", ErrorCode.ANSWERS_NOT_KEYS, count=answers)
        yield row, {name: value for name, value in values.items() if value is not None}


FORMAT: Final = Format(
    code="argilla", label="Argilla records", label_zh="Argilla 记录", detect=_detect, rows=_rows
)
