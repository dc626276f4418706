"""What `manage.py upgrade` looks for before it keeps what the migrations have made."""

from __future__ import annotations

import pytest
from django.core import checks
from django.db import connection

from config.backup.manifest import Manifest, Table
from config.backup.upgrade import _problems
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def _found(manifest: Manifest) -> list[str]:
    connection.ensure_connection()
    return list(_problems(connection.connection, manifest))


def _counted(table: str, more: int = 0) -> Table:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT count(*) FROM "{table}"')
        return Table(table, ["id"], cursor.fetchone()[0] + more, "")


@pytest.mark.parametrize(("more", "is_missing"), [(-1, False), (0, False), (1, True)])
def test_no_row_may_be_missing(monkeypatch: pytest.MonkeyPatch, more: int, is_missing: bool) -> None:
    monkeypatch.setattr(checks, "run_checks", lambda **_named: [])
    make_project()
    manifest = Manifest(tables=[_counted("accounts_user", more), Table("dropped_since", ["id"], 9, "")])
    assert len(_found(manifest)) == is_missing


def test_a_trigger_that_a_migration_left_disabled_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "run_checks", lambda **_named: [checks.Error("a crow"), checks.Info("a fox")])
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE annotation_transition DISABLE TRIGGER USER")
    found = _found(Manifest())
    assert [text for text in found if "annotation_transition." in text]
    assert [text for text in found if "a crow" in text]
    assert not [text for text in found if "a fox" in text]


def test_a_table_without_a_column_of_its_model_is_an_error() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE corpus_story DROP COLUMN genre")
    with pytest.raises(Exception, match="genre"):
        _found(Manifest())
