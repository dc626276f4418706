"""Copies the rows of PostgreSQL tables out of a snapshot, and into empty tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import psycopg
from psycopg import sql

Connection = psycopg.Connection[Any]

_TABLES = """
SELECT c.relname,
       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = ''),
       coalesce((SELECT array_agg(k.attname::text ORDER BY k.attnum) FROM pg_index i
                 JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
                 WHERE i.indrelid = c.oid AND i.indisprimary), '{}')
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
GROUP BY c.oid, c.relname ORDER BY c.relname
"""
_SEQUENCES = "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"
# Dropping tables drops their triggers and sequences, but not functions. Functions of extensions are left out.
_FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""
# These settings give text formats that every version of PostgreSQL reads in the same way.
_PLAIN = (
    "SET LOCAL datestyle = 'ISO, YMD'", "SET LOCAL intervalstyle = 'postgres'", "SET LOCAL timezone = 'UTC'",
    "SET LOCAL extra_float_digits = 1", "SET LOCAL bytea_output = 'hex'", "SET LOCAL statement_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0", "SET LOCAL client_encoding = 'UTF8'",
)  # fmt: skip


def speak_plainly(connection: Connection) -> None:
    """Set the text formats of this transaction, so that every version of PostgreSQL can read the rows."""
    for statement in _PLAIN:
        connection.execute(statement.encode())


def tables(connection: Connection) -> dict[str, tuple[list[str], list[str]]]:
    """Return (columns, primary key) of each table by name. Generated columns are left out."""
    return {name: (columns, key) for name, columns, key in connection.execute(_TABLES).fetchall()}


def hold(connection: Connection, names: Iterable[str]) -> None:
    """Lock the tables against changes of their columns. Rows can still be changed."""
    statement = sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE")
    connection.execute(statement.format(sql.SQL(", ").join(map(sql.Identifier, names))))


def sequences(connection: Connection) -> dict[str, tuple[int, bool]]:
    """Return the state of each sequence by name: its last value, and whether that was used.

    The state is read outside the snapshot, so that it is never behind the rows.
    """
    found = {}
    for (name,) in connection.execute(_SEQUENCES).fetchall():
        statement = sql.SQL("SELECT last_value, is_called FROM {}").format(sql.Identifier(name))
        found[name] = connection.execute(statement).fetchone() or (1, False)
    return found


class Copied:
    """An iterable over the rows of a table as chunks of text, in the order of the primary key.

    After iterating, `rows` is the number of rows.
    """

    def __init__(self, connection: Connection, name: str, columns: list[str], key: list[str]) -> None:
        order = sql.SQL(", ").join(map(sql.Identifier, key or columns[:1]))
        self._statement = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT").format(
            sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(name), order
        )
        self._connection = connection
        self.rows = 0

    def __iter__(self) -> Iterator[bytes | bytearray | memoryview]:
        with self._connection.cursor() as cursor:
            with cursor.copy(self._statement) as copy:
                yield from copy
            self.rows = cursor.rowcount


def fill(connection: Connection, name: str, columns: list[str], chunks: Iterable[bytes]) -> int:
    """Copy rows into a table; return the number of rows that PostgreSQL has inserted."""
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for chunk in chunks:
                copy.write(chunk)
        return cursor.rowcount


def empty(connection: Connection, names: Iterable[str]) -> None:
    """Delete all rows of the tables, and disable their triggers until `rules_again`."""
    _of_each(connection, "ALTER TABLE {} DISABLE TRIGGER USER", names)
    listed = sql.SQL(", ").join(map(sql.Identifier, names))
    connection.execute(sql.SQL("TRUNCATE {}").format(listed))


def rules_again(connection: Connection, names: Iterable[str]) -> None:
    """Check all foreign keys, and enable the triggers of the tables again."""
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    _of_each(connection, "ALTER TABLE {} ENABLE TRIGGER USER", names)


def set_sequences(connection: Connection, values: dict[str, tuple[int, bool]]) -> None:
    """Set each sequence to its saved state (see `sequences`)."""
    for name, (value, called) in values.items():
        quoted = sql.Identifier(name).as_string(connection)
        connection.execute("SELECT setval(%s::regclass, %s, %s)", [quoted, value, called])


def drop_all(connection: Connection) -> None:
    """Drop all tables and functions, except those of extensions."""
    _of_each(connection, "DROP TABLE {} CASCADE", tables(connection))
    for (function,) in connection.execute(_FUNCTIONS).fetchall():
        connection.execute(f"DROP FUNCTION {function} CASCADE".encode())


def _of_each(connection: Connection, statement: str, names: Iterable[str]) -> None:
    for name in names:
        connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
