"""Prepares the two roles in PostgreSQL: the owner of the tables, and the role of web and worker processes.

The second may read and write rows but owns no table. So rules that triggers enforce (no reviews of one's own
items, no changes of transitions) bind the whole site: a role that owns a table could disable its triggers.

Only this module grants privileges on tables, as the owner, each time `migrate` runs. `manage.py role_sql`
prints the SQL that needs an administrator: it creates the roles and the database themselves.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql


class RoleError(Exception):
    """Raised if the role of web and workers cannot be used. The text is a sentence for the operator."""


def prepare_application_role(owner_url: str, *, role: str, password: str = "") -> None:
    """Create the role if it is missing, and grant it access to the rows of all tables, also future ones.

    Connects as the owner of the tables. Raises psycopg.errors.InsufficientPrivilege if the role is missing
    and the owner may not create roles.
    """
    with psycopg.connect(owner_url) as connection:
        known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        if not known:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
            _set_password(connection, role, password)
        for grant in _GRANTS:
            connection.execute(sql.SQL(grant).format(role=sql.Identifier(role)))
        _restrict(connection, role)


def require_sign_in(owner_url: str, application_url: str, *, role: str, password: str) -> None:
    """Check that the role can connect. If not, set its password, if there is one, and check again.

    Raises RoleError if the role still cannot connect.
    """
    refusal = _refusal(application_url)
    if refusal and password:
        try:
            with psycopg.connect(owner_url) as connection:
                _set_password(connection, role, password)
        except psycopg.errors.InsufficientPrivilege:
            pass
        else:
            refusal = _refusal(application_url)
    if refusal:
        raise RoleError(
            f"The role {role!r} of DATABASE_URL cannot connect: {refusal}."
            " Correct its password in DATABASE_URL, or let an administrator of PostgreSQL run what"
            " `manage.py role_sql` prints."
        )


def _refusal(url: str) -> str:
    try:
        psycopg.connect(url, connect_timeout=10).close()
    except psycopg.OperationalError as error:
        return str(error).strip().splitlines()[-1]
    return ""


def _set_password(connection: psycopg.Connection[Any], role: str, password: str) -> None:
    if password:
        statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
        connection.execute(statement.format(sql.Identifier(role), sql.Literal(password)))


def administrator_sql(*, database: str, owner: tuple[str, str], application: tuple[str, str]) -> str:
    """Return the SQL that an administrator of PostgreSQL runs once to create roles and database.

    The owner then needs no special privileges. `owner` and `application` are pairs of name and password. The
    SQL may be run again: it then only sets the passwords.
    """
    roles = dict.fromkeys([owner, application])
    lines = ["-- Roles and database of Parable: run this in psql as an administrator of PostgreSQL."]
    for name, password in roles:
        made = _statement("CREATE ROLE {} LOGIN", name)
        lines.append(_unless_known("pg_roles", "rolname", name, made))
        if password:
            secret = sql.Literal(password).as_string(None).strip()
            lines.append(f"{_statement('ALTER ROLE {} LOGIN PASSWORD', name)} {secret};")
    made = _statement(f"CREATE DATABASE {{}} OWNER {{}} {_LETTERS}", database, owner[0])
    lines += [
        _unless_known("pg_database", "datname", database, made),
        _statement("\\connect {}", database),
        _statement("GRANT USAGE, CREATE ON SCHEMA public TO {};", owner[0]),
    ]
    return "\n".join(lines)


def _statement(template: str, *names: str) -> str:
    return sql.SQL(template).format(*map(sql.Identifier, names)).as_string(None)


def _unless_known(table: str, column: str, name: str, statement: str) -> str:
    """Return psql code that runs the statement unless the catalogue `table` has a row with this name."""
    asked = sql.SQL("SELECT {} WHERE NOT EXISTS (SELECT FROM {} WHERE {} = {})\\gexec").format(
        sql.Literal(statement), sql.Identifier(table), sql.Identifier(column), sql.Literal(name)
    )
    return asked.as_string(None)


_LETTERS = "ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8' TEMPLATE template0"
"""Options that give the database the same locale on every machine, independent of the cluster's default."""


def restrict_application_role(owner_url: str, *, role: str) -> None:
    """Grant the role its privileges, but none for changes that triggers refuse anyway.

    Call this after migrations, which may replace a trigger that refuses all changes by one that allows some.
    """
    with psycopg.connect(owner_url) as connection:
        for grant in _GRANTS:
            connection.execute(sql.SQL(grant).format(role=sql.Identifier(role)))
        _restrict(connection, role)


def _restrict(connection: psycopg.Connection[Any], role: str) -> None:
    """Revoke UPDATE and DELETE on each table whose triggers refuse these for every row.

    So only the triggers define which tables are append-only and which rows are never deleted.
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
