"""Rows that a statement of our own reads, made into the objects they are rows of.

For what is asked with every page: a queryset costs three times as much to put together as to run.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import JSONField, Model

M = TypeVar("M", bound=Model)


class Columns(Generic[M]):
    """The columns of one table in a statement, under an alias: all, or those that are named."""

    def __init__(self, model: type[M], alias: str, *names: str) -> None:
        fields = [one for one in model._meta.concrete_fields if not names or one.attname in names]
        self.model, self.names = model, [one.attname for one in fields]
        # as text it would come back unread; a field reads it only in a queryset of its own
        self.sql = ", ".join(
            f'{alias}."{one.column}"' + ("::json" if isinstance(one, JSONField) else "") for one in fields
        )

    def taken_from(self, row: Sequence[Any], start: int = 0) -> M:
        """The object whose columns begin at `start`; columns that were not named are read when asked for."""
        return self.model.from_db(connection.alias, self.names, row[start : start + len(self.names)])

    def __len__(self) -> int:
        return len(self.names)


def one_row(sql: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The first row of what a statement finds, or None."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row
