"""Restores a site from an archive, either completely or not at all.

Our own migrations, up to the last of the archive, create the tables, which are then filled with their
triggers disabled, so that immutable history can be copied unchanged. Then the newer migrations run, unless
an older version is to use the database. All of this is one transaction.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from django.db import Error, transaction
from django.db import connection as django_connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.backup import files
from config.backup import tables as rows
from config.backup.archive import Archive, Progress
from config.backup.check import OURS, check_archive, last_of, read_secrets, require_tables
from config.backup.errors import BackupError
from config.backup.idleness import require_idle_database
from config.backup.manifest import Manifest, printable
from config.plain_errors import sentence
from jobs.outage import causes

PROJECTS = "projects_project"
ASKING_SECONDS = 30
"""If PostgreSQL fails during the commit, the most seconds to wait for whether it has committed."""


@dataclass(frozen=True)
class Restored:
    """The result of a restore: whether it replaced the data of a site, and warnings."""

    replaced: bool
    warnings: list[str]


def restore_site(
    archive: Archive,
    home: Path,
    *,
    replace: bool,
    migrate: bool = True,
    progress: Progress = lambda _step: None,
) -> Restored:
    """Restore the database and the files of an archive. Raise BackupError if nothing was changed.

    With `replace`, an existing site is replaced; otherwise it is an error. Without `migrate`, the tables stay
    those of the version that made the archive.
    """
    progress(_("check"))
    check_archive(archive, home)
    django_connection.ensure_connection()
    raw = django_connection.connection
    require_idle_database(raw, home)
    before = _is_in_use(raw) or files.are_there(home)
    if before and not replace:
        raise BackupError(
            _(
                "There is already a site in this database or in %(home)s. Nothing was changed."
                " Restore to an empty database and data folder, or use --replace to overwrite"
                " the existing data."
            )
            % {"home": home}
        )
    replacement = files.replacement(home)
    try:
        progress(_("files"))
        replacement.take(archive, archive.manifest.files)
        warnings = _take_secrets(archive, home, replacement)
        try:
            _change_over(archive, replacement, progress, migrate=migrate)
        except (psycopg.Error, Error) as error:
            raise BackupError(_refusal(error)) from error
        failed = replacement.finish()
    finally:
        replacement.clear()
    if failed:
        warnings.append(
            _("These files of the data folder could not be replaced or removed: %(names)s.")
            % {"names": ", ".join(map(str, failed[:10]))}
        )
    with contextlib.suppress(Error), django_connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return Restored(before, warnings)


def _change_over(
    archive: Archive, replacement: files.Replacement, progress: Progress, *, migrate: bool
) -> None:
    """Restore the database and rename the files, either both or neither."""
    number, is_ready = "", False
    try:
        with transaction.atomic():
            raw = django_connection.connection
            _restore_rows(raw, archive, progress, migrate=migrate)
            number = str(_number(raw, "SELECT pg_current_xact_id()::text::bigint"))
            replacement.add()
            is_ready = True
    except BaseException:
        if not is_ready:
            replacement.undo()
            raise
        # The connection failed during the commit, which the server may have completed.
        if not _is_committed(number):
            replacement.undo()
            raise


def _is_committed(number: str) -> bool:
    """Return whether the transaction with this id was committed.

    Raises BackupError if the server does not answer.
    """
    deadline = time.monotonic() + ASKING_SECONDS
    while True:
        try:
            django_connection.close()
            with django_connection.cursor() as cursor:
                cursor.execute("SELECT pg_xact_status(%s::text::xid8)", [number])
                return bool(cursor.fetchone() == ("committed",))
        except Error as error:
            if getattr(error.__cause__, "sqlstate", None) == "22023":  # no transaction has this id yet
                return False
            if time.monotonic() > deadline:
                raise BackupError(
                    _(
                        "PostgreSQL went away while it was to commit, and it is not known whether it did."
                        " The files of both sites are in the data folder. When PostgreSQL is back, restore"
                        " again with --replace."
                    )
                ) from error
            time.sleep(0.5)


def _refusal(error: Exception) -> str:
    """Return a sentence for the operator about a PostgreSQL error."""
    found = next((each for each in causes(error) if isinstance(each, psycopg.Error)), None)
    if isinstance(found, psycopg.errors.LockNotAvailable):
        return _("The database is in use. Stop the site, then restore again.")
    if message := sentence(error):
        return _("%(reason)s Nothing was changed.") % {"reason": message}
    parts = [found.diag.message_primary, found.diag.message_detail, found.diag.context] if found else []
    reason = " | ".join(" ".join(printable(line) for line in part.split("\n")) for part in parts if part)
    return _("PostgreSQL does not accept the content of this backup: %(reason)s. Nothing was changed.") % {
        "reason": (reason or type(error).__name__).rstrip(".")
    }


def _number(connection: rows.Connection, asked: str) -> int:
    counted = connection.execute(asked.encode()).fetchone()
    return int(counted[0]) if counted else 0


def _is_in_use(connection: rows.Connection) -> bool:
    """Return whether the database contains users or projects. Raise BackupError if it has foreign tables."""
    known = rows.tables(connection)
    if known and OURS not in known:
        raise BackupError(
            _(
                "This database contains tables of another program, such as %(table)s. Nothing"
                " was changed. Set DATABASE_URL to an empty database."
            )
            % {"table": min(known)}
        )
    asked = {OURS: "SELECT FROM accounts_user WHERE is_active", PROJECTS: "SELECT FROM projects_project"}
    return any(
        connection.execute(f"SELECT EXISTS ({rows_of})".encode()).fetchone() == (True,)
        for table, rows_of in asked.items()
        if table in known
    )


def _restore_rows(
    connection: rows.Connection, archive: Archive, progress: Progress, *, migrate: bool
) -> None:
    manifest = archive.manifest
    rows.speak_plainly(connection)
    connection.execute("SET LOCAL lock_timeout = '10s'")
    rows.drop_all(connection)
    progress(_("tables"))
    executor = MigrationExecutor(django_connection)
    executor.migrate(last_of(executor.loader, manifest.migrations))
    made = rows.tables(connection)
    require_tables(manifest, {name: columns for name, (columns, _key) in made.items()})
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    connection.execute("SET CONSTRAINTS ALL DEFERRED")
    rows.empty(connection, made)
    for number, table in enumerate(manifest.tables, 1):
        progress(f"{number}/{len(manifest.tables)} {table.name}")
        filled = rows.fill(connection, table.name, table.columns, archive.chunks(table.member))
        if filled != table.rows:
            raise BackupError(
                _(
                    "Of the %(number)d rows of the table %(table)s in this backup PostgreSQL has read"
                    " %(filled)d. Nothing was changed."
                )
                % {"number": table.rows, "table": table.name, "filled": filled}
            )
    rows.set_sequences(connection, manifest.sequences)
    rows.rules_again(connection, made)
    if migrate:
        executor = MigrationExecutor(django_connection)
        executor.migrate(executor.loader.graph.leaf_nodes())


def _take_secrets(archive: Archive, home: Path, replacement: files.Replacement) -> list[str]:
    """Prepare to restore the secrets in the archive. Return warnings, also about missing secrets."""
    manifest = archive.manifest
    if manifest.secrets:
        return _write_secrets(read_secrets(archive), home, replacement)
    warnings = []
    if _is_another(manifest, "PARABLE_KEY_SECRETS") and manifest.stored_keys:
        warnings.append(
            ngettext(
                "%(number)d stored API key cannot be decrypted: PARABLE_KEY_SECRETS differs"
                " from that of the saved site. Set the old value, or store the key again.",
                "%(number)d stored API keys cannot be decrypted: PARABLE_KEY_SECRETS differs"
                " from that of the saved site. Set the old value, or store the keys again.",
                manifest.stored_keys,
            )
            % {"number": manifest.stored_keys}
        )
    if _is_another(manifest, "PARABLE_SECRET_KEY"):
        warnings.append(
            _(
                "PARABLE_SECRET_KEY differs from that of the saved site: everyone must sign in"
                " again, and links for new passwords and for reviews that were sent before no"
                " longer work."
            )
        )
    return warnings


def _is_another(manifest: Manifest, name: str) -> bool:
    now = files.fingerprints(files.parts(os.environ.get(name, "")))
    return not set(manifest.fingerprints.get(name, [])) <= set(now)


def _write_secrets(saved: dict[str, str], home: Path, replacement: files.Replacement) -> list[str]:
    """Prepare to write the secrets to a local site's files, or else to a single file; return warnings."""
    changed = {name: text for name, text in saved.items() if text and text != os.environ.get(name, "")}
    if not changed:
        return []
    if all((home / files.SECRETS[name]).exists() for name in changed):
        for name, text in changed.items():
            replacement.take_text(f"{files.SECRETS[name]}.before", os.environ.get(name, ""))
            replacement.take_text(files.SECRETS[name], text)
        return []
    path = home / "restored.env"
    replacement.take_text(path.name, "".join(f"{name}={text}\n" for name, text in changed.items()))
    return [
        _(
            "The secrets of the saved site are in %(path)s. Copy its lines into .env,"
            " remove the file and start the site."
        )
        % {"path": path}
    ]
