"""Reads model instances with our own SQL statements, and inserts rows, both faster than Django.

Django's `raw` takes twice as long, since it determines the returned columns for each statement; here they are
known in advance. Inserts are planned once per connection, too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

import psycopg
from django.contrib.postgres.fields import ArrayField
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, JSONField, Model
from django.db.models.expressions import DatabaseDefault
from psycopg.pq import TransactionStatus

M = TypeVar("M", bound=Model)
N = TypeVar("N", bound=Model)
Values: TypeAlias = dict[str, Any]
"""The values of a row by name, as `values()` returns them and JSON has them."""


_UNFIT = (
    psycopg.errors.FeatureNotSupported,  # "cached plan must not change result type"
    psycopg.errors.UndefinedFunction, psycopg.errors.DatatypeMismatch,  # a value has the column's former type
    psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement,  # another's session
)  # fmt: skip
"""The errors of a prepared statement that does not fit its tables any more, or is not this connection's."""


class _Prepared(psycopg.Cursor[Any]):
    """A cursor that prepares its statements, so that the connection reuses their plans."""

    def execute(self, query: Any, params: Any = None, **named: Any) -> "_Prepared":
        """Execute the query as a prepared statement.

        A migration may have changed the type of a column since it was prepared. Outside a transaction a
        refused statement has changed nothing, so it is executed once more, unprepared. A transaction is
        aborted by the error: `jobs.outage` recognizes it. The connection discards its prepared
        statements in both cases, so the next one succeeds.
        """
        try:
            return super().execute(query, params, prepare=True, **named)
        except _UNFIT:
            if self.connection.info.transaction_status != TransactionStatus.IDLE:
                raise
            self.connection.execute("DEALLOCATE ALL")
            return super().execute(query, params, prepare=False, **named)


@contextmanager
def prepared_cursor() -> Iterator[Any]:
    """Yield a cursor for long, frequent statements, which PostgreSQL then plans once per connection.

    Values are sent separately, so the statement needs casts where PostgreSQL cannot infer their types. If
    queries are logged, the statement is executed with its values in it, like other statements.
    """
    database = connections[DEFAULT_DB_ALIAS]  # looked up once: the proxy would look it up with each use
    if database.queries_logged:
        with database.cursor() as written:
            yield written
        return
    database.ensure_connection()
    cursor: Any = _Prepared(database.connection)
    with database.make_cursor(cursor) as wrapped:
        yield wrapped


class Rows(Generic[M]):
    """Reads and writes instances of a model with SQL statements.

    `extra` are the names of attributes for further columns that a statement selects after those of the model.
    """

    def __init__(self, model: type[M], *extra: str) -> None:
        fields = model._meta.concrete_fields
        self.model, self.names, self.extra = model, [field.attname for field in fields], extra
        self.table = model._meta.db_table
        self.converters = [
            (index, field.from_db_value)
            for index, field in enumerate(fields)
            if hasattr(field, "from_db_value")
        ]

    def columns(self, table: str) -> str:
        """Return the model's columns as SQL for a SELECT; `table` is the table's name or alias."""
        return ", ".join(f'{table}."{name}"' for name in self.names)

    def read(self, sql: str, values: Mapping[str, Any] | Sequence[Any]) -> list[M]:
        """Return the model instances of the rows that a statement selects."""
        with prepared_cursor() as cursor:
            cursor.execute(sql, values)
            return [self.made_of(list(row)) for row in cursor.fetchall()]

    def find(self, condition: str, values: Sequence[Any]) -> M | None:
        """Return the first instance that meets an SQL condition, or None. The table's alias is `found`."""
        sql = " ".join(("SELECT", self.columns("found"), "FROM", self.table, "AS found WHERE", condition))
        return next(iter(self.read(sql, values)), None)

    def read_joined(
        self, other: "Rows[N]", sql: str, values: Mapping[str, Any] | Sequence[Any]
    ) -> list[tuple[M, N | None]]:
        """Return pairs of instances from a join; the second is None if its columns are null."""
        end = len(self.names) + len(self.extra)
        with prepared_cursor() as cursor:
            cursor.execute(sql, values)
            return [
                (self.made_of(list(row[:end])), other.made_of(list(row[end:])) if row[end] else None)
                for row in cursor.fetchall()
            ]

    def made_of(self, row: list[Any]) -> M:
        """Return a model instance with the values of one row."""
        for place, convert in self.converters:
            row[place] = convert(row[place], None, connection)
        made = self.model.from_db(DEFAULT_DB_ALIAS, self.names, row[: len(self.names)])
        vars(made).update(zip(self.extra, row[len(self.names) :], strict=True))
        return made

    def update(self, made: M, names: Sequence[str]) -> None:
        """Save these fields of an existing instance, like `save`, but with a prepared statement."""
        fields = [field for field in self.model._meta.concrete_fields if field.name in names]
        said = [f'"{field.column}" = %s' for field in fields]
        sql = " ".join(("UPDATE", self.table, "SET", ", ".join(said), "WHERE id = %s"))
        with prepared_cursor() as cursor:
            cursor.execute(sql, [*_values(fields, made), made.pk])

    def insert(self, made: M, *, unless_there: bool = False) -> M:
        """Insert an instance and set its primary key, like `create`, but with a prepared statement.

        With `unless_there`, nothing is written if a constraint forbids the row; its primary key is then None.
        """
        fields = [field for field in self.model._meta.concrete_fields if not field.primary_key]
        columns, places = ", ".join(f'"{field.column}"' for field in fields), ", ".join(["%s"] * len(fields))
        passed = "ON CONFLICT DO NOTHING" if unless_there else ""
        sql = " ".join(("INSERT INTO", self.table, f"({columns}) VALUES ({places})", passed, "RETURNING id"))
        with prepared_cursor() as cursor:
            cursor.execute(sql, _values(fields, made, add=True))
            made.pk = next(iter(cursor.fetchone() or ()), None)
        return made


def draw_ids(model: type[Model], count: int) -> list[int]:
    """Return `count` new ids for a model, so that rows can refer to each other before they are inserted."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [model._meta.db_table, count],
        )
        return [number for (number,) in cursor.fetchall()]


class Columns:
    """Inserts rows into some columns of a model, without creating an instance for each row.

    The other columns get the defaults of the model or the database; a default is the same for all rows of a
    statement.
    """

    def __init__(self, model: type[Model], *names: str) -> None:
        self.model, self.names = model, names

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows with a single COPY. Each row has the values of the columns, in the same order."""
        blank = self.model()
        others = [field for field in _written(blank) if field.attname not in self.names]
        same = _values(others, blank, add=True)
        columns = [*self.names, *(field.attname for field in others)]
        _copy(self.model, columns, ((*row, *same) for row in rows))


Row: TypeAlias = tuple[Columns, tuple[Any, ...]]
"""The columns of a row to insert, and their values."""


def create_rows(objects: Iterable[Model]) -> None:
    """Insert instances of one model with a single COPY, which is faster than `bulk_create`.

    Ids and other values from the database are not set on the objects; draw ids in advance if they are needed.
    Every trigger and constraint applies as for a single row.
    """
    remaining = iter(objects)
    first = next(remaining, None)
    if first is None:
        return
    fields = _written(first)
    plain = itemgetter(*(field.attname for field in fields))
    # most fields store the attribute unchanged; these need a conversion
    special = [
        (place, field)
        for place, field in enumerate(fields)
        if isinstance(field, ArrayField | JSONField) or type(field).pre_save is not Field.pre_save
    ]

    def rows() -> Iterator[list[Any]]:
        for made in chain([first], remaining):
            row = list(plain(vars(made)))
            for place, field in special:
                row[place] = field.get_db_prep_save(field.pre_save(made, add=True), connection)
            yield row

    _copy(type(first), [field.attname for field in fields], rows())


def _written(made: Model) -> "list[Field[Any, Any]]":
    """Return the fields of a new instance that have to be inserted.

    The database fills the others.
    """
    values = vars(made)
    return [
        field
        for field in made._meta.concrete_fields
        if not (field.generated or isinstance(values.get(field.attname), DatabaseDefault))
        and not (field.primary_key and values[field.attname] is None)
    ]


def _copy(model: type[Model], columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    named = ", ".join(f'"{name}"' for name in columns)
    statement = f'COPY "{model._meta.db_table}" ({named}) FROM STDIN'
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _values(fields: "Iterable[Field[Any, Any]]", made: Model, *, add: bool = False) -> list[Any]:
    """Return the values of these fields of an instance, converted for the database."""
    return [field.get_db_prep_save(field.pre_save(made, add), connection) for field in fields]
