"""Argilla records as JSON: the `fields` and `metadata` of each record are the columns.

Responses and suggestions are answers of people and models: they are counted, and never read as keys. A record
keeps its Argilla id. In files of `to_json` a response has no status, so drafts and discarded responses are
counted, too.

Made by `dataset.records.to_json(PATH)` in Argilla's Python. Tried with records of argilla 2.8.0, without its
server.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from parable.formats.errors import ErrorCode, ErrorList
from parable.formats.format import LOSABLE, Content, Format, Rows, Writer
from parable.formats.json_reader import read_json_values
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile

_ANSWERS: Final = ("responses", "suggestions")
_METADATA: Final = ("story_id", "title", "explanation", "task", "split", "language")


def _detect(file: SourceFile) -> bool:
    record = file.first_value if '"fields"' in file.plain[:100_000] else None
    return (
        isinstance(record, dict) and isinstance(record.get("fields"), dict) and bool({*_ANSWERS} & {*record})
    )


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


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    """Yield the records as parts of a JSON list.

    Their fields have the texts that annotators see; their metadata has the key and the rest.
    """
    before = "[\n"
    for item in items:
        right = [item.answer] if item.answer is not None else list(item.answers)
        fields = {
            "story": item.story,
            "question": item.question,
            **dict(zip(LETTERS, item.choices, strict=False)),
        }
        metadata = {
            "answer": ", ".join(LETTERS[place] for place in right),
            **{name: getattr(item, name) for name in _METADATA},
        }
        record = {
            "id": item.id,
            "fields": {name: text for name, text in fields.items() if text},
            "metadata": {name: value for name, value in metadata.items() if value},
            "suggestions": {},
            "responses": {},
            "vectors": {},
        }
        yield (before + json.dumps(record, ensure_ascii=False)).encode()
        before = ",\n"
    yield b"[]\n" if before.startswith("[") else b"\n]\n"


FORMAT: Final = Format(
    code="argilla",
    label="Argilla records",
    label_zh="Argilla 记录",
    contents=frozenset({Content.JSON}),
    detect=_detect,
    rows=_rows,
    writer=Writer(
        suffix=".argilla.json",
        parts=_parts,
        kinds=lambda kind: kind.has_options and kind.has_keys,
        holds=frozenset(LOSABLE) - {"types", "style", "generators"},
    ),
)
