"""Items as published files of other projects have them, and back: by the layouts that their kinds name."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from parable.formats.kind_files import LAYOUTS
from parable.formats.layouts import Layout, write_layout
from parable.formats.own_answers import own_fields
from parable.formats.records import ItemRecord, released
from parable.kinds import KINDS, kind_of
from parable.kinds.published import Published


def has_layout(task: str) -> bool:
    """Whether items of the task stand in published files of a layout of their own."""
    return kind_of(task).published is not None


def layout_written(task: str) -> Layout[Any]:
    """The layout in which items of a task that has any are written."""
    published = kind_of(task).published
    if published is None:
        raise ValueError(f"Items of {task} have no published layout.")
    return LAYOUTS[published.layouts[0]]


def is_one_list(task: str) -> bool:
    """Whether such a file is one list; else it has a line for each item."""
    return layout_written(task).is_list


def write_published(items: Iterable[ItemRecord]) -> bytes:
    """The file of items of one task, in their order."""
    listed = list(items)
    published: Published | None = kind_of(listed[0].task).published
    if published is None:
        raise ValueError(f"Items of {listed[0].task} have no published layout.")
    return write_layout((published.value(released(item)) for item in listed), layout_written(listed[0].task))


def without_answer(item: ItemRecord) -> ItemRecord:
    """An item as it is shown before it is answered."""
    asked = own_fields(item, withheld=True)["own"]
    return replace(item, own=asked if isinstance(asked, dict) and asked else None, explanation=None)


def task_of_layout(code: str) -> str | None:
    """The task whose items stand in files of this layout; None where there is none."""
    found = (kind.code for kind in KINDS.values() if kind.published and code in kind.published.layouts)
    return next(found, None)
