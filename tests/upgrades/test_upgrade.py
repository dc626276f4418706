"""A database of an earlier version is carried over: its rows read the same, and the site answers from it.

A dump and the hashes of migrations are written by `python -m tests.upgrades` when a version is released.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from config.backup import tables
from tests.browser.killable import database_of_this_test
from tests.restoring import empty_database, manage_on
from tests.upgrades.stored import DUMPS, HASHES, hashes

GONE: Final[dict[str, str]] = {
    "jobs_idempotencykey": "nothing wrote it; `accounts_idempotencykey` has what is sent twice",
}
"""Tables and columns (`table.column`) that a migration has dropped, each with where what they held is now."""
REWRITTEN: Final[dict[str, str]] = {
    "django_content_type.model": "models that are called otherwise keep their row",
}
"""Columns that a migration has filled anew, each with the reason."""
KEPT: Final = sorted(DUMPS.glob("*.sql.xz"))
"""The dumps, the oldest first: it passes all migrations, so the others are left to the drills."""
VISIT: Final = "from tests.upgrades.visit import main; main()"

Layout = dict[str, list[str]]
Rows = dict[str, list[dict[str, Any]]]


def layout_of(line: psycopg.Connection[Any]) -> Layout:
    return {name: columns for name, (columns, _key) in tables.tables(line).items()}


def rows_of(line: psycopg.Connection[Any]) -> Rows:
    found: Rows = {}
    for name, columns in layout_of(line).items():
        chosen = sql.SQL(", ").join(map(sql.Identifier, columns))
        rows = line.execute(sql.SQL("SELECT {} FROM {}").format(chosen, sql.Identifier(name)))
        found[name] = [dict(zip(columns, row, strict=True)) for row in rows]
    return found


def lost(before: Layout, after: Layout) -> set[str]:
    """The tables and columns that are not there any more."""
    columns = {f"{name}.{one}" for name in before.keys() & after for one in {*before[name]} - {*after[name]}}
    return (before.keys() - after.keys()) | columns


def changed(before: Rows, after: Rows, left_out: set[str]) -> dict[str, list[str]]:
    """The rows, by table, that do not read as they did; new rows and new columns are none of them."""
    found = {}
    for name in before.keys() & after:
        columns = [one for one in (before[name] or [{}])[0] if f"{name}.{one}" not in left_out]
        counts = [
            Counter(repr([row[one] for one in columns]) for row in rows[name]) for rows in (before, after)
        ]
        if other := list(counts[0] - counts[1]):
            found[name] = other
    return found


def _has(layout: Layout, gone: str) -> bool:
    """Whether there is this table, or this column of one."""
    table, _dot, column = gone.partition(".")
    return table in layout and (not column or column in layout[table])


@pytest.mark.django_db
@pytest.mark.parametrize(
    "dump",
    [KEPT[0], *(pytest.param(dump, marks=pytest.mark.drill) for dump in KEPT[1:])],
    ids=lambda path: path.stem,
)
def test_a_database_of_an_earlier_version_is_carried_over(dump: Path, tmp_path: Path) -> None:
    with empty_database() as address:
        with psycopg.connect(address, autocommit=True) as line:
            line.execute(lzma.decompress(dump.read_bytes()))
        with psycopg.connect(address) as line:
            before, rows = layout_of(line), rows_of(line)
        migrated = manage_on(address, tmp_path, "migrate", "--verbosity", "0")
        assert migrated.returncode == 0, migrated.stderr
        with psycopg.connect(address) as line:
            after, now = layout_of(line), rows_of(line)
            with pytest.raises(psycopg.Error, match="append-only"):
                line.execute("UPDATE annotation_transition SET cause = 'import'")
        visited = manage_on(address, tmp_path, "shell", "--no-imports", "--command", VISIT)
        assert visited.returncode == 0, visited.stderr
    assert sum(map(len, rows.values())) > 5000
    assert lost(before, after) == {gone for gone in GONE if _has(before, gone)}
    assert changed(rows, now, {*GONE, *REWRITTEN}) == {}
    with psycopg.connect(database_of_this_test()) as line:
        assert {name: {*columns} for name, columns in after.items()} == {
            name: {*columns} for name, columns in layout_of(line).items()
        }
    answers = json.loads(visited.stdout.splitlines()[-1])
    assert len(answers) > 30
    assert {what: status for what, status in answers.items() if status not in (200, 302)} == {}


def test_migrations_are_only_added() -> None:
    """A site does not apply again what it has applied: what is changed in a migration never reaches it."""
    lines = [line.split() for line in HASHES.read_text(encoding="ascii").splitlines()]
    stored = {name: digest for digest, name in lines}
    assert len(stored) >= 41
    found = hashes()
    assert {name for name in stored if stored[name] != found.get(name)} == set()


def test_what_a_migration_drops_was_in_an_earlier_version() -> None:
    """Each dump is compared with what it has; what none of them ever had would be compared with nothing."""
    texts = [lzma.decompress(path.read_bytes()).decode() for path in KEPT]
    layouts = [set(re.findall(r"^CREATE TABLE public\.(\w+)", text, re.MULTILINE)) for text in texts]
    assert len(layouts) >= 2
    for gone in GONE:
        assert any(gone.partition(".")[0] in tables for tables in layouts), gone


def test_every_migration_can_be_one_of_a_transaction() -> None:
    """`manage.py upgrade` and `restore` undo all of them or none."""
    migrations = MigrationLoader(None).disk_migrations
    assert {key for key, migration in migrations.items() if not migration.atomic} == set()


def test_it_notices_what_is_lost_and_what_reads_otherwise() -> None:
    before: Rows = {"crow": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}], "egg": []}
    after: Rows = {
        "crow": [
            {"id": 1, "name": "Ann", "age": 3},
            {"id": 2, "name": "Cy", "age": 4},
            {"id": 3, "name": "Bo", "age": 5},
        ],
        "egg": [],
    }
    assert changed(before, after, set()) == {"crow": ["[2, 'Bo']"]}
    assert changed(before, after, {"crow.name"}) == {}
    assert lost({"crow": ["id", "name"], "egg": ["id"]}, {"crow": ["id", "age"]}) == {"egg", "crow.name"}
