"""Reads and writes items in the layouts in which other projects published their datasets.

Made by the authors of SpaCE and ePiC, or a release (`published/`). Tried with the published files.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from parable.formats.errors import FILE, ErrorCode, InputError
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.format import Format, ItemFile, foreign_labels
from parable.formats.json_reader import read_json_rows
from parable.formats.kind_files import LAYOUTS, layout_of
from parable.formats.layouts import Layout, layout_chunks, read_row
from parable.formats.other_answers import own_fields
from parable.formats.records import Collector, ItemRecord, released
from parable.formats.source_file import SourceFile
from parable.kinds import KINDS, Kind, kind_of


def has_layout(task: str) -> bool:
    """Return whether releases also contain items of the task in a published layout."""
    published = kind_of(task).published
    return published is not None and published.is_released


def layout_written(task: str) -> Layout[Any]:
    """Return the layout in which items of the task are written; raise ValueError if there is none."""
    published = kind_of(task).published
    if published is None:
        raise ValueError(f"Items of {task} have no published layout.")
    return LAYOUTS[published.layouts[0]]


def is_one_list(task: str) -> bool:
    """Return whether the task's published file is one JSON list; if not, it has one line per item."""
    return layout_written(task).is_list


def published_name(task: str, split: str, *, withheld: bool = False) -> str:
    """Return the name of a split's file in the original publication, e.g. `task1_train.jsonl`.

    Raise ValueError if the task has no published layout.
    """
    published = kind_of(task).published
    if published is None or not published.file:
        raise ValueError(f"Items of {task} have no published layout.")
    return published.file.format(split=f"{split}_input" if withheld else split)


def write_published(items: Iterable[ItemRecord]) -> bytes:
    """Return the published file of these items, in order; all items must have the same task."""
    listed = list(items)
    return b"".join(published_chunks(listed, listed[0].task))


def published_chunks(items: Iterable[ItemRecord], task: str) -> Iterator[bytes]:
    """Yield the published file of a task's items in pieces; `items` is consumed while the file is sent."""
    published, layout = kind_of(task).published, layout_written(task)
    if published is None:
        raise ValueError(f"Items of {task} have no published layout.")
    return layout_chunks((published.value(released(item)) for item in items), layout)


def without_answer(item: ItemRecord) -> ItemRecord:
    """Return an item without its answer and explanation, as it is shown before it is answered."""
    asked = own_fields(item, withheld=True)["own"]
    return replace(item, own=asked if isinstance(asked, dict) and asked else None, explanation=None)


def kind_of_layout(code: str) -> Kind | None:
    """Return the kind whose items use the layout with this code; None if there is none."""
    found = (kind for kind in KINDS.values() if kind.published and code in kind.published.layouts)
    return next(found, None)


def published_layout_of(file: SourceFile) -> Layout[Any] | None:
    """Return the published layout of a file of items; None if it has none."""
    layout = layout_of(file)
    return layout if layout is not None and kind_of_layout(layout.code) is not None else None


def read_published_item(
    row: RowFields, layout: Layout[Any], items: Collector[ItemRecord]
) -> ItemRecord | None:
    """Return the item of one row; None, with an error, if a value is invalid."""
    record = read_row(row, layout, items)
    kind = kind_of_layout(layout.code)
    if record is None or kind is None or kind.published is None:
        return None
    empty = {"title": "", "question": "", "choices": (), "answer": None}
    try:
        return ItemRecord(**{"task": kind.code, **empty, **kind.published.fields(record)})
    except ValueError:
        answer = layout.fields[-1]
        row.error(answer, ErrorCode.BAD_ANSWERS, found=json_excerpt(row.values.get(answer)))
        return None


def _read(source: ItemFile) -> None:
    layout = published_layout_of(source.file)
    if layout is None:
        raise InputError(ErrorCode.UNKNOWN_FORMAT, field=FILE, formats=foreign_labels())
    for row, values in read_json_rows(source.file.text, source.errors):
        fields = RowFields(row, values, source.errors)
        item = read_published_item(fields, layout, source.items)
        if item is not None:
            source.items.add(fields, item)


FORMAT: Final = Format(code="published", label="SpaCE or ePiC", label_zh="SpaCE 或 ePiC", read=_read)
