"""The rows of a revision that its kind makes of what an item says."""

from collections.abc import Iterable
from typing import Any

from annotation.content import ItemContent
from annotation.kinds import item_kind
from annotation.models import Revision
from web.rows import Columns


def write_rows(wordings: Iterable[tuple[Revision, ItemContent]], task: str) -> None:
    """Write what revisions of one task have beside stem and types; rows of one table in one statement.

    Where rows of a revision are of several tables, those that others point at come first.
    """
    kind = item_kind(task)
    by_table: dict[Columns, list[tuple[Any, ...]]] = {}
    for revision, content in wordings:
        for columns, row in kind.rows(revision, content):
            by_table.setdefault(columns, []).append(row)
    for columns, rows in by_table.items():
        columns.write(rows)
