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
        _restrict(connection, role)


def restrict_application_role(owner_url: str, *, role: str) -> None:
    """Take from the role what the triggers of the tables refuse anyway; run after migrations."""
    with psycopg.connect(owner_url) as connection:
        _restrict(connection, role)


def _restrict(connection: psycopg.Connection, role: str) -> None:
    """Revoke UPDATE and DELETE on each table where a trigger refuses them for every row.

    The triggers are the one list of what is append-only and of what is never deleted.
    """
    for table, verb in connection.execute(_REFUSED).fetchall():
        statement = sql.SQL("REVOKE {} ON TABLE {} FROM {}")
        names = sql.Identifier("public", table), sql.Identifier(role)
        connection.execute(statement.format(sql.SQL(verb), *names))


_REFUSED = """
SELECT DISTINCT class.relname, verb.name
FROM pg_trigger AS trigger
JOIN pg_class AS class ON class.oid = trigger.tgrelid
JOIN pg_proc AS function ON function.oid = trigger.tgfoid
CROSS JOIN (VALUES ('DELETE', 8), ('UPDATE', 16)) AS verb (name, bit)
WHERE function.proname = 'parable_refuse_change' AND class.relnamespace = 'public'::regnamespace
    AND trigger.tgtype & verb.bit > 0 AND cardinality(trigger.tgattr::smallint[]) = 0
    AND trigger.tgqual IS NULL
ORDER BY 1, 2
"""

_GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)
