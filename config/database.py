"""Checks of the PostgreSQL server, made before a command changes tables."""

from __future__ import annotations

import psycopg

from config.local.errors import LocalServerError

OLDEST = 15
"""The oldest major version of PostgreSQL that Parable supports and is tested with: that of Debian 12."""


def require_usable_database(url: str) -> None:
    """Raise LocalServerError if the PostgreSQL server is too old, or the database unsuitable.

    The database must use UTF-8, and its role must be allowed to create tables. Raises
    psycopg.OperationalError if the server cannot be reached.
    """
    with psycopg.connect(url, connect_timeout=10) as connection:
        version = connection.info.server_version // 10_000
        encoding = connection.info.parameter_status("server_encoding")
        may_make = connection.execute("SELECT has_schema_privilege('public', 'CREATE')").fetchone() == (True,)
        role, name = connection.info.user, connection.info.dbname
    if version < OLDEST:
        raise LocalServerError(f"This is PostgreSQL {version}; Parable needs {OLDEST} or newer.")
    if encoding != "UTF8":
        raise LocalServerError(
            f"The database {name!r} keeps text as {encoding}, which does not hold Chinese."
            " Make a new one with ENCODING 'UTF8'; `manage.py role_sql` prints how."
        )
    if not may_make:
        raise LocalServerError(
            f"The role {role!r} may not make tables in the database {name!r}."
            " Let an administrator of PostgreSQL run what `manage.py role_sql` prints."
        )
