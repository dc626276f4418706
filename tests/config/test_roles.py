"""The owner of the tables and the role of web and workers, with and without the right to make roles."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest

from config.database import require_usable_database
from config.local import LocalServerError
from config.roles import RoleError, administrator_sql, prepare_application_role, require_sign_in


@dataclass(frozen=True)
class Site:
    """A database, its owner and the role of web and workers; nothing of it exists at first."""

    name: str

    @property
    def owner(self) -> str:
        return f"{self.name}_owner"

    @property
    def role(self) -> str:
        return f"{self.name}_app"

    def url(self, role: str) -> str:
        before, host = os.environ["DATABASE_URL"].split("?", 1)
        return f"{before.partition('://')[0]}://{role}@/{self.name}?{host}"

    @property
    def owner_url(self) -> str:
        return self.url(self.owner)


def _administrate(*statements: str, database: str = "postgres") -> None:
    url = os.environ["DATABASE_URL"].split("?", 1)
    with psycopg.connect(f"{url[0].rpartition('/')[0]}/{database}?{url[1]}", autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site(f"t{secrets.token_hex(4)}")
    yield site
    _administrate(f"DROP DATABASE IF EXISTS {site.name} WITH (FORCE)")
    _administrate(f"DROP ROLE IF EXISTS {site.role}", f"DROP ROLE IF EXISTS {site.owner}")


def _make(site: Site, *, owner_may: str = "", role: bool = False, database: str = "") -> None:
    """What an administrator prepared: an owner with these rights, its database, and perhaps the role."""
    _administrate(f"CREATE ROLE {site.owner} LOGIN {owner_may}")
    if role:
        _administrate(f"CREATE ROLE {site.role} LOGIN")
    _administrate(f"CREATE DATABASE {site.name} OWNER {site.owner} {database}")


def _prepare(site: Site) -> None:
    prepare_application_role(site.owner_url, role=site.role, password="p")
    require_sign_in(site.owner_url, site.url(site.role), role=site.role, password="p")


def _may_use_rows_only(site: Site) -> None:
    with psycopg.connect(site.owner_url) as owner:
        owner.execute("CREATE TABLE fable (id int)")
    with psycopg.connect(site.url(site.role), autocommit=True) as application:
        application.execute("INSERT INTO fable VALUES (1)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            application.execute("DROP TABLE fable")


def test_an_owner_that_may_make_roles_needs_no_administrator(site: Site) -> None:
    _make(site, owner_may="CREATEROLE")
    _prepare(site)
    _prepare(site)
    _may_use_rows_only(site)


def test_an_owner_without_special_rights_uses_the_role_that_an_administrator_made(site: Site) -> None:
    _make(site, role=True)
    _prepare(site)
    _may_use_rows_only(site)


def test_an_owner_without_special_rights_cannot_make_the_role(site: Site) -> None:
    _make(site)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        _prepare(site)


def test_a_role_that_cannot_connect_is_refused_with_what_to_do(site: Site) -> None:
    _make(site, role=True)
    _administrate(f"ALTER ROLE {site.role} NOLOGIN")
    with pytest.raises(RoleError, match=r"cannot connect: .*not permitted to log in.* `manage.py role_sql`"):
        _prepare(site)


@pytest.mark.parametrize(
    ("database", "sentence"),
    [
        ("ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0", "keeps text as SQL_ASCII"),
        ("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", "keeps text as LATIN1"),
    ],
)
def test_a_database_that_holds_no_chinese_is_refused(site: Site, database: str, sentence: str) -> None:
    _make(site, database=database)
    with pytest.raises(LocalServerError, match=sentence):
        require_usable_database(site.owner_url)


def test_an_owner_that_may_not_make_tables_is_refused(site: Site) -> None:
    _make(site, role=True)
    with pytest.raises(LocalServerError, match=r"may not make tables .* `manage.py role_sql`"):
        require_usable_database(site.url(site.role))
    require_usable_database(site.owner_url)


def test_an_older_server_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    _make(site)
    monkeypatch.setattr("config.database.OLDEST", 99)
    with pytest.raises(LocalServerError, match=r"This is PostgreSQL \d+; Parable needs 99 or newer."):
        require_usable_database(site.owner_url)


def test_the_printed_sql_quotes_names_and_passwords() -> None:
    printed = administrator_sql(database='a"b', owner=("o'o", "p'\\"), application=("app", ""))
    assert "ALTER ROLE \"o'o\" LOGIN PASSWORD E'p''\\\\';" in printed
    assert '\\connect "a""b"' in printed
    assert 'ALTER ROLE "app"' not in printed  # it has no password to set
