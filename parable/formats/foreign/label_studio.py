"""Label Studio, tasks or its full JSON export (not JSON-MIN, where answers take the place of the data).

The `data` of a task are the columns, guessed or chosen like those of any table. A task without an id in its
data has the number of Label Studio. Annotations and predictions are answers of people and models: they are
never read as keys, and counted. Of the flat exports (JSON-MIN, CSV) the table is read, in which an answer
may look like a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from parable.formats.errors import ErrorCode, ErrorList
from parable.formats.format import LOSABLE, Content, Format, Rows, Writer
from parable.formats.json_reader import read_json_values
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile

_ANSWERS: Final = ("annotations", "completions", "predictions", "drafts")
_MARKS: Final = frozenset({*_ANSWERS, "total_annotations", "inner_id", "project", "meta"})


def _detect(file: SourceFile) -> bool:
    return '"data"' in file.plain[:100_000] and _is_task(
        next((value for _row, value in read_json_values(file.plain, ErrorList(""))), None)
    )


def _is_task(value: object) -> bool:
    """Return whether a value is a task: an object of data, and of what Label Studio says of it."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return False
    return bool(_MARKS & {*value}) or {*value} <= {"id", "data"}


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    for row, task in _tasks(file, errors):
        data = {"id": task.get("id")} | task["data"]
        if answers := sum(len(task[name]) for name in _ANSWERS if isinstance(task.get(name), list)):
            errors.remark(row, "answer", ErrorCode.ANSWERS_NOT_KEYS, count=answers)
        yield (
            row,
            {
                name: str(value) if name == "id" else value
                for name, value in data.items()
                if value is not None
            },
        )


def _tasks(file: SourceFile, errors: ErrorList) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for row, task in read_json_values(file.text, errors):
        if isinstance(task, dict) and isinstance(task.get("data"), dict):
            yield row, task
        else:
            errors.add(row, "data", ErrorCode.MISSING)


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    """Yield tasks to import, whose data are a question, its options by letter, its story, and the key."""
    before = "[\n"
    for item in items:
        right = [item.answer] if item.answer is not None else list(item.answers)
        data: dict[str, object] = {
            "id": item.id,
            "story_id": item.story_id,
            "title": item.title,
            "story": item.story,
            "question": item.question,
            **dict(zip(LETTERS, item.choices, strict=False)),
            "answer": ", ".join(LETTERS[place] for place in right),
            "explanation": item.explanation,
            "task": item.task,
            "split": item.split,
            "language": item.language,
        }
        task = {"data": {name: value for name, value in data.items() if value}}
        yield (before + json.dumps(task, ensure_ascii=False)).encode()
        before = ",\n"
    yield b"[]\n" if before == "[\n" else b"\n]\n"


FORMAT: Final = Format(
    code="label_studio",
    label="Label Studio tasks",
    label_zh="Label Studio 任务",
    of=frozenset({Content.JSON}),
    detect=_detect,
    rows=_rows,
    writer=Writer(
        suffix=".label-studio.json",
        parts=_parts,
        kinds=lambda kind: kind.has_options and kind.has_keys,
        holds=frozenset(LOSABLE) - {"types", "style", "generators"},
    ),
)
