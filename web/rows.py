"""Objects of a model from the rows of a statement of our own, for what every step of a page asks.

`raw` finds out with each statement which columns came, and takes twice as long; here the statement says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import psycopg
from django.db import connection
from django.db.models import Model

M = TypeVar("M", bound=Model)
N = TypeVar("N", bound=Model)


class _Prepared(psycopg.Cursor[Any]):
    """A cursor that leaves the plans of its statements with the connection."""

    def execute(self, query: Any, params: Any = None, **named: Any) -> "_Prepared":
        """Prepare the statement where this connection has not done so yet."""
        return super().execute(query, params, prepare=True, **named)


@contextmanager
def prepared_cursor() -> Iterator[Any]:
    """A cursor for a long statement that is asked again and again: it is planned once a connection.

    Values go to the server apart from the statement, which must say by a cast what they are where
    PostgreSQL cannot know. Where statements are written down, this one is asked with its values in it, as
    the others are.
    """
    if connection.queries_logged:
        with connection.cursor() as written:
            yield written
        return
    connection.ensure_connection()
    cursor: Any = _Prepared(connection.connection)
    with connection.make_cursor(cursor) as wrapped:
        yield wrapped


class Rows(Generic[M]):
    """A model's columns, the first of a statement; `extra`: the attributes that its further columns set."""

    def __init__(self, model: type[M], *extra: str) -> None:
        fields = model._meta.concrete_fields
        self.model, self.names, self.extra = model, [field.attname for field in fields], extra
        self.converters = [
            (place, field.from_db_value)
            for place, field in enumerate(fields)
            if hasattr(field, "from_db_value")
        ]

    def columns(self, table: str) -> str:
        """The columns as a statement names them, of a table by this name."""
        return ", ".join(f'{table}."{name}"' for name in self.names)

    def read(self, sql: str, values: Mapping[str, Any] | Sequence[Any]) -> list[M]:
        """What the statement finds."""
        with prepared_cursor() as cursor:
            cursor.execute(sql, values)
            return [self.made_of(list(row)) for row in cursor.fetchall()]

    def read_joined(
        self, other: "Rows[N]", sql: str, values: Mapping[str, Any] | Sequence[Any]
    ) -> list[tuple[M, N | None]]:
        """What a statement finds whose rows end with the columns of another model, or with nulls."""
        end = len(self.names) + len(self.extra)
        with prepared_cursor() as cursor:
            cursor.execute(sql, values)
            return [
                (self.made_of(list(row[:end])), other.made_of(list(row[end:])) if row[end] else None)
                for row in cursor.fetchall()
            ]

    def made_of(self, row: list[Any]) -> M:
        """An object of one row."""
        for place, convert in self.converters:
            row[place] = convert(row[place], None, connection)
        made = self.model.from_db(connection.alias, self.names, row[: len(self.names)])
        vars(made).update(zip(self.extra, row[len(self.names) :], strict=True))
        return made
