"""Upgrades the database of a stopped site to this version, either completely or not at all.

An archive is written and checked first. The migrations and the checks of their result are one transaction,
which PostgreSQL undoes if anything stops it, also a killed process. Files are not changed by migrations. Only
if the upgraded tables cannot be used by the site's own role, the archive is restored.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.db import connection as django_connection
from django.db import transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from psycopg import sql

from config.backup import tables as rows
from config.backup.archive import Progress, open_archive
from config.backup.check import check_archive
from config.backup.errors import BackupError
from config.backup.idleness import require_idle_database
from config.backup.manifest import Manifest
from config.backup.restore import restore_site
from config.backup.snapshot import save_site
from core.backups import note_backup

_SESSION = (
    "SET LOCAL lock_timeout = '10s'", "SET LOCAL statement_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    # Within one transaction, a table cannot be altered while rows of it wait for a deferred check.
    "SET CONSTRAINTS ALL IMMEDIATE",
)  # fmt: skip
_DISABLED = """
SELECT tgrelid::regclass::text || '.' || tgname FROM pg_trigger
WHERE NOT tgisinternal AND tgenabled <> 'O' ORDER BY 1
"""


@dataclass
class Upgrade:
    """The state of an upgrade: its archive, the migrations it applied, and what `doctor` finds after it."""

    archive: Path
    sha256: str
    migrations: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    is_committed: bool = False
    is_restored: bool = False


def save_before(home: Path, folder: Path, progress: Progress) -> tuple[Upgrade, Manifest]:
    """Write an archive of the site, which no one else may use, and check that it can be restored.

    Raise BackupError if not.
    """
    django_connection.ensure_connection()
    require_idle_database(django_connection.connection, home)
    progress(_("Backing up to %(folder)s") % {"folder": folder})
    path, manifest = save_site(os.environ["DATABASE_URL"], home, folder)
    progress(_("Checking the backup %(path)s") % {"path": path})
    with open_archive(path) as archive:
        check_archive(archive, home)
        note_backup(home, at=datetime.now(UTC), archive=path.resolve())
        return Upgrade(path, archive.sha256), manifest


def migrate_and_check(upgrade: Upgrade, manifest: Manifest, progress: Progress) -> None:
    """Apply the migrations and check their result, in one transaction."""
    progress(_("Migrating"))
    with transaction.atomic(durable=True):
        raw = django_connection.connection
        for statement in _SESSION:
            raw.execute(statement.encode())
        before = _applied()
        call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
        upgrade.migrations = [name for name in _applied() if name not in before]
        progress(_("Checking the database"))
        if problem := next(_problems(raw, manifest), None):
            raise BackupError(problem)
    upgrade.is_committed = True


def _applied() -> list[str]:
    applied = MigrationRecorder(django_connection).applied_migrations()
    return [".".join(key) for key, _row in sorted(applied.items(), key=lambda pair: pair[1].pk)]


def _problems(connection: rows.Connection, manifest: Manifest) -> Iterator[str]:
    """Yield what is wrong with the migrated database."""
    tables = rows.tables(connection)
    for table in manifest.tables:
        if table.name not in tables:  # a migration has dropped it
            continue
        asked = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table.name))
        (count,) = connection.execute(asked).fetchone() or (0,)
        if count < table.rows:
            yield _("The table %(table)s has %(now)d rows, of %(before)d before.") % {
                "table": table.name, "now": count, "before": table.rows,
            }  # fmt: skip
    for (name,) in connection.execute(_DISABLED).fetchall():
        yield _("The trigger %(name)s is disabled.") % {"name": name}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            list(model._base_manager.all()[:1])
    for message in checks.run_checks(databases=["default"]):
        if message.is_serious():
            yield str(message)


def check_as_application(upgrade: Upgrade, application_url: str, progress: Progress) -> None:
    """Read each table as the role of DATABASE_URL, and ask `doctor`. Raise BackupError if that fails."""
    progress(_("Checking the database as the site's own role"))
    names = [table for table in rows.tables(django_connection.connection) if table != "django_migrations"]
    try:
        with psycopg.connect(application_url, connect_timeout=10) as connection:
            for name in names:
                connection.execute(sql.SQL("SELECT * FROM {} LIMIT 1").format(sql.Identifier(name)))
    except psycopg.Error as error:
        raise BackupError(
            _("The role of DATABASE_URL cannot read the upgraded tables: %(reason)s.")
            % {"reason": str(error).strip().splitlines()[0].rstrip(".")}
        ) from error
    asked = subprocess.run(
        [sys.executable, str(settings.BASE_DIR / "manage.py"), "doctor", "--json"],
        env=os.environ | {"DATABASE_URL": application_url}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        findings = json.loads(asked.stdout.splitlines()[-1])["findings"]
    except (ValueError, LookupError):
        reason = (asked.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise BackupError(_("manage.py doctor fails: %(reason)s.") % {"reason": reason}) from None
    # the site is stopped
    upgrade.findings = [each for each in findings if not each["code"].startswith("worker_")]
    if grave := next((each for each in findings if each["code"] == "migrations"), None):
        raise BackupError(grave["said"])


def go_back(upgrade: Upgrade, home: Path, grant: Callable[[], None], progress: Progress) -> None:
    """Restore the archive, with the tables of the version before. Does nothing before the commit."""
    if upgrade.is_committed:
        progress(_("Restoring the backup"))
        with open_archive(upgrade.archive) as archive:
            restore_site(archive, home, replace=True, migrate=False)
        grant()
        upgrade.is_restored = True


def way_back(upgrade: Upgrade) -> str:
    """Return what an operator does to return to the version before."""
    return _(
        "To return to the version before: stop the site, run\n"
        "    %(python)s manage.py restore %(archive)s --replace --no-migrate\n"
        "then put its sources back before any other command, and start it. What was written since is lost."
    ) % {"python": os.path.relpath(sys.executable), "archive": upgrade.archive}


def summary(upgrade: Upgrade) -> str:
    """Return what the upgrade has done."""
    if not upgrade.migrations:
        return _("The database was up to date already.")
    return ngettext(
        "The database is upgraded: %(n)d migration applied.",
        "The database is upgraded: %(n)d migrations applied.",
        len(upgrade.migrations),
    ) % {"n": len(upgrade.migrations)}
