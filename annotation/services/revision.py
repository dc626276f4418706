"""Service that writes those rows of a revision that only some kinds have."""

from collections.abc import Iterable
from typing import Any

from annotation.content import ItemContent
from annotation.kinds import item_kind
from annotation.models import Revision
from web.rows import Columns


def write_rows(wordings: Iterable[tuple[Revision, ItemContent]], task: str) -> None:
    """Insert the rows that a kind adds to these revisions of one task, with one statement per table.

    Tables to which others refer come first.
    """
    kind = item_kind(task)
    by_table: dict[Columns, list[tuple[Any, ...]]] = {}
    for revision, content in wordings:
        for columns, row in kind.rows(revision, content):
            by_table.setdefault(columns, []).append(row)
    for columns, rows in by_table.items():
        columns.write(rows)
