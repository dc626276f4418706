"""Reads and writes items in the layouts in which other projects published their datasets.

Made by the authors of SpaCE and ePiC, or a release (`published/`). Tried with the published files.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from parable.formats.errors import FILE, ErrorCode, InputError
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.format import Format, ItemFile, foreign_labels
from parable.formats.json_reader import read_json_rows
from parable.formats.kind_files import LAYOUTS, layout_of, layouts_of
from parable.formats.layouts import Layout, layout_chunks, read_row
from parable.formats.other_answers import own_fields
from parable.formats.records import Collector, ItemRecord, ReleaseRecord, released
from parable.formats.source_file import SourceFile
from parable.kinds import KINDS, Kind, kind_of

TIED_TASKS: Final = tuple(code for code, kind in KINDS.items() if kind.published and not kind.has_options)
"""The tasks whose published files may have the same fields where they have no answers."""


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


def with_published_ids(records: Iterable[ReleaseRecord]) -> list[ReleaseRecord]:
    """Replace ids by source ids, so that predictions made for the original files fit.

    A source id that two items of a task have, or that is another item's id, replaces nothing.
    """
    listed = list(records)
    names = Counter(
        (one.item.task, name) for one in listed for name in {one.item.id, one.item.source_id} if name
    )
    return [
        replace(one, item=replace(one.item, id=one.item.source_id))
        if one.item.source_id and names[one.item.task, one.item.source_id] == 1
        else one
        for one in listed
    ]


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


def _layout_meant(source: ItemFile) -> Layout[Any]:
    """Return the layout of a file; where several tasks have it, that of the task that was given.

    If none was given, the name of the file decides, such as `task2_test_input.jsonl`. If it does not, raise
    InputError with the tasks to choose from.
    """
    fitting = {
        kind.code: layout
        for layout in layouts_of(source.file)
        if (kind := kind_of_layout(layout.code)) is not None
    }
    if not fitting:
        raise InputError(ErrorCode.UNKNOWN_FORMAT, field=FILE, formats=foreign_labels())
    if len(fitting) > 1:
        named = [task for task in fitting if _is_named(source.errors.file, task)]
        chosen = source.task or (named[0] if len(named) == 1 else "")
        if chosen not in fitting:
            raise InputError(ErrorCode.SEVERAL_TASKS, field="task", tasks=", ".join(fitting))
        return fitting[chosen]
    return next(iter(fitting.values()))


def _is_named(name: str, task: str) -> bool:
    """Return whether a file has the name of a published file of the task, of any split."""
    published = kind_of(task).published
    before, _split, after = published.file.partition("{split}") if published else ("", "", "")
    base = PurePath(name).name
    return bool(before) and base.startswith(before) and base.endswith(after)


def _read(source: ItemFile) -> None:
    layout = _layout_meant(source)
    for row, values in read_json_rows(source.file.text, source.errors):
        fields = RowFields(row, values, source.errors)
        item = read_published_item(fields, layout, source.items)
        if item is not None:
            source.items.add(fields, item)


FORMAT: Final = Format(code="published", label="SpaCE or ePiC", label_zh="SpaCE 或 ePiC", read=_read)
