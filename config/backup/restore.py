"""Puts a saved site back: all of it in one transaction, or nothing.

The tables are made anew by our own migrations, as far as those of the archive went, and then filled while
their triggers rest: history that nobody may change is copied as it is. `migrate` then takes an older
archive on to the present version.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from django.db import connection as django_connection
from django.db import transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.backup import files
from config.backup import tables as rows
from config.backup.archive import Archive, Manifest, Progress
from config.backup.errors import BackupError

OURS = "accounts_user"
LEAVING_SECONDS = 3
"""So long may a connection that was closed still be on the server's list."""


@dataclass(frozen=True)
class Restored:
    """What came of it: whether other data were replaced, and what will not work."""

    replaced: bool
    warnings: list[str]


def check_fit(manifest: Manifest) -> None:
    """Raise BackupError where the archive knows migrations that this version does not."""
    known = MigrationLoader(None).disk_migrations
    unknown = [
        f"{app}.{name}"
        for app, names in manifest.migrations.items()
        for name in names
        if (app, name) not in known
    ]
    if unknown:
        raise BackupError(
            _(
                "This backup was made by a newer version of Parable (it has %(migration)s). Nothing was"
                " changed. Use that version or a newer one."
            )
            % {"migration": unknown[0]}
        )


def restore_site(
    archive: Archive, home: Path, *, replace: bool, progress: Progress = lambda _step: None
) -> Restored:
    """Put database and files of the archive in place. Raises BackupError and changes nothing then."""
    check_fit(archive.manifest)
    django_connection.ensure_connection()
    raw = django_connection.connection
    _require_nobody_else(raw)
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
    replacement = files.Replacement(home)
    try:
        progress(_("files"))
        replacement.take(archive, archive.manifest.files)
        with transaction.atomic():
            _restore_rows(raw, archive, progress)
            replacement.swap()
    except psycopg.errors.LockNotAvailable:
        replacement.undo()
        raise BackupError(_("The database is in use. Stop the site, then restore again.")) from None
    except BaseException:
        replacement.undo()
        raise
    finally:
        replacement.clear()
    with django_connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return Restored(before, _put_secrets(archive, home))


def _require_nobody_else(connection: rows.Connection) -> None:
    # Of the sessions of other roles an ordinary role sees no more than database and role.
    asked = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND usesysid IS NOT NULL"
    )
    deadline = time.monotonic() + LEAVING_SECONDS
    while (number := _number(connection, asked)) and time.monotonic() < deadline:
        time.sleep(0.1)
    if number:
        raise BackupError(
            ngettext(
                "%(number)d other connection uses this database. Nothing was changed. Stop the site, then"
                " restore again.",
                "%(number)d other connections use this database. Nothing was changed. Stop the site, then"
                " restore again.",
                number,
            )
            % {"number": number}
        )


def _number(connection: rows.Connection, asked: str) -> int:
    counted = connection.execute(asked.encode()).fetchone()
    return int(counted[0]) if counted else 0


def _is_in_use(connection: rows.Connection) -> bool:
    """Whether the database holds a site with people or projects; refuses tables of other programs."""
    known = rows.tables(connection)
    if known and OURS not in known:
        raise BackupError(
            _(
                "This database contains tables of another program, such as %(table)s. Nothing"
                " was changed. Set DATABASE_URL to an empty database."
            )
            % {"table": min(known)}
        )
    asked = (
        "SELECT EXISTS (SELECT FROM accounts_user WHERE is_active) OR EXISTS (SELECT FROM projects_project)"
    )
    return bool(known) and connection.execute(asked).fetchone() == (True,)


def _restore_rows(connection: rows.Connection, archive: Archive, progress: Progress) -> None:
    manifest = archive.manifest
    rows.speak_plainly(connection)
    connection.execute("SET LOCAL lock_timeout = '10s'")
    rows.drop_all(connection)
    progress(_("tables"))
    _make_tables(manifest)
    made = rows.tables(connection)
    _require_same_tables(manifest, made)
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    connection.execute("SET CONSTRAINTS ALL DEFERRED")
    rows.empty(connection, made)
    for number, table in enumerate(manifest.tables, 1):
        progress(f"{number}/{len(manifest.tables)} {table.name}")
        rows.fill(connection, table.name, table.columns, archive.chunks(table.member))
    rows.set_sequences(connection, manifest.sequences)
    rows.rules_again(connection, made)


def _make_tables(manifest: Manifest) -> None:
    """Run our migrations as far as those of the archive went."""
    executor = MigrationExecutor(django_connection)
    wanted = {(app, name) for app, names in manifest.migrations.items() for name in names}
    graph = executor.loader.graph
    last = [
        node
        for node in wanted
        if node in graph.nodes
        and not any(
            child.key in wanted and child.key[0] == node[0] for child in graph.node_map[node].children
        )
    ]
    executor.migrate(sorted(last))


def _require_same_tables(manifest: Manifest, made: dict[str, tuple[list[str], list[str]]]) -> None:
    for table in manifest.tables:
        if table.name not in made or set(table.columns) != set(made[table.name][0]):
            raise BackupError(
                _(
                    "The table %(table)s of this backup differs from what the migrations create:"
                    " the database was changed by hand. Nothing was changed."
                )
                % {"table": table.name}
            )


def _put_secrets(archive: Archive, home: Path) -> list[str]:
    """Put the secrets of the archive in place, and say what will not work without them."""
    manifest = archive.manifest
    if manifest.secrets:
        saved: dict[str, str] = json.loads(b"".join(archive.chunks(manifest.secrets)))
        return _write_secrets(saved, home)
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


def _write_secrets(saved: dict[str, str], home: Path) -> list[str]:
    """A local site takes the secrets into its data folder; any other finds them in a file to copy from."""
    changed = {name: text for name, text in saved.items() if text and text != os.environ.get(name, "")}
    if not changed:
        return []
    if all((home / files.SECRETS[name]).exists() for name in changed):
        for name, text in changed.items():
            _write_private(home / f"{files.SECRETS[name]}.before", os.environ.get(name, ""))
            _write_private(home / files.SECRETS[name], text)
        return []
    path = home / "restored.env"
    _write_private(path, "".join(f"{name}={text}\n" for name, text in changed.items()))
    return [
        _(
            "The secrets of the saved site are in %(path)s. Copy its lines into .env,"
            " remove the file and start the site."
        )
        % {"path": path}
    ]


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
