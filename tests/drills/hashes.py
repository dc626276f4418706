"""Hashes of the rows of a database, computed by PostgreSQL itself."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from config.backup import tables

HASH = (
    "SELECT count(*), md5(string_agg(row, ',' ORDER BY row)) FROM (SELECT md5(ROW({})::text) FROM {}) t(row)"
)
"""The order of the rows does not count."""


def hashes_of(line: psycopg.Connection[Any]) -> dict[str, tuple[int, str]]:
    """Return the number of rows of each table and their hash, by its name and columns."""
    found = {}
    for name, (columns, _key) in tables.tables(line).items():
        listed = sql.SQL(", ").join(map(sql.Identifier, sorted(columns)))
        asked = sql.SQL(HASH).format(listed, sql.Identifier(name))
        row = line.execute(asked).fetchone()
        found[f"{name}({','.join(sorted(columns))})"] = (int(row[0]), str(row[1])) if row else (0, "")
    return found
