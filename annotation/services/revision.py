"""The rows of a revision that its kind makes of what an item says."""

from collections.abc import Iterable

from django.db.models import Model

from annotation.content import ItemContent
from annotation.kinds import item_kind
from annotation.models import Revision
from web.rows import create_rows


def write_rows(wordings: Iterable[tuple[Revision, ItemContent]], task: str) -> None:
    """Write what revisions of one task have beside stem and types; rows of one table in one statement.

    Where rows of a revision are of several tables, those that others point at come first.
    """
    by_table: dict[type[Model], list[Model]] = {}
    for revision, content in wordings:
        for row in item_kind(task).rows(revision, content):
            by_table.setdefault(type(row), []).append(row)
    for rows in by_table.values():
        create_rows(rows)
