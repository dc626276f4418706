"""Potato, its data files and the annotations that `python -m potato.export --format jsonl` writes.

A data file is read by the mapping of columns, like any JSON lines: its `text` is the story. Annotations have
the ids of items, but neither texts nor options: they are refused as items and as stories, and read as answers
(see the logs). Files in Potato's output folder are not read: export them.

Made by `python -m potato.export --format jsonl`. Tried with potato-annotation 2.12.1.
"""

from __future__ import annotations

from typing import Final

from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import Content, Format, Rows
from parable.formats.source_file import SourceFile

_MARKS: Final = ("instance_id", "user_id", "labels", "spans")


def _detect(file: SourceFile) -> bool:
    if '"instance_id"' not in file.plain[:4_000]:
        return False
    first = file.first_value
    return isinstance(first, dict) and {*_MARKS} <= {*first}


def _rows(_file: SourceFile, _errors: ErrorList) -> Rows:
    raise InputError(ErrorCode.NO_ITEMS, field=FILE)


FORMAT: Final = Format(
    code="potato",
    label="Potato annotations",
    label_zh="Potato 标注",
    contents=frozenset({Content.JSON}),
    detect=_detect,
    rows=_rows,
    has_items=False,
)
