"""The role of web and workers, who may read and write rows but own no table.

What the database refuses (a judgement of one's own item, a changed transition), it then refuses
to the whole site: a role that owns a table could switch its triggers off.
"""

from __future__ import annotations

import psycopg
from psycopg import sql


def prepare_application_role(owner_url: str, *, role: str, password: str = "") -> None:
    """Make the role where it is missing and grant it rows in all tables, present and future.

    Connects as the owner of the tables, and changes the password of the role to the one given.
    Raises psycopg.errors.InsufficientPrivilege where the owner may not make roles.
    """
    with psycopg.connect(owner_url) as connection:
        known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        if not known:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
        if password:
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
            connection.execute(statement.format(sql.Identifier(role), sql.Literal(password)))
        for grant in _GRANTS:
            connection.execute(sql.SQL(grant).format(role=sql.Identifier(role)))


_GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)
