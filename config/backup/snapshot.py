"""Saves the database and files of a site in an archive, while the site is in use.

An archive is consistent for three reasons. All rows come from one snapshot (a single REPEATABLE READ
transaction). Files never change after they were written. A row that names a file is committed after the file.
Files of releases are never removed, so they are saved last. Uploads and files waiting for a worker are
removed after reading, so they are saved before the snapshot, and new ones right after it.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from django.utils.translation import gettext as _

from config.backup import files
from config.backup import tables as rows
from config.backup.archive import PATTERN, Progress, Writer, new_archive
from config.backup.errors import BackupError
from config.backup.manifest import SECRETS, Manifest, Table


def save_site(
    url: str, home: Path, folder: Path, *, with_secrets: bool = False, progress: Progress = lambda _step: None
) -> tuple[Path, Manifest]:
    """Write an archive of the database at `url` and of the files in `home`; return its path and manifest."""
    secret = os.environ.get("PARABLE_SECRET_KEY", "")
    with new_archive(folder, datetime.now(UTC), secret) as (path, writer, manifest):
        progress(files.PASSING)
        manifest.files += files.save(home, files.PASSING, writer)
        with psycopg.connect(url, connect_timeout=10) as connection:
            _save_rows(connection, home, writer, manifest, progress)
        progress(files.LASTING)
        manifest.files += files.save(home, files.LASTING, writer)
        held = {name: os.environ.get(name, "") for name in files.SECRETS}
        manifest.fingerprints = {name: files.fingerprints(files.parts(text)) for name, text in held.items()}
        if with_secrets:
            manifest.secrets = SECRETS
            writer.add(manifest.secrets, [json.dumps(held).encode()])
    return path, manifest


def _save_rows(
    connection: rows.Connection, home: Path, writer: Writer, manifest: Manifest, progress: Progress
) -> None:
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    rows.speak_plainly(connection)
    found = rows.tables(connection)  # the snapshot is taken here
    if "django_migrations" not in found:
        raise BackupError(_("This database has no Parable tables: there is nothing to back up."))
    manifest.files += files.save(home, files.PASSING, writer)
    rows.hold(connection, found)
    manifest.postgresql = connection.info.server_version // 10_000
    asked = "SELECT app, array_agg(name::text ORDER BY name) FROM django_migrations GROUP BY app ORDER BY app"
    manifest.migrations = dict(connection.execute(asked).fetchall())
    if "jobs_storedkey" in found:  # not in older databases
        counted = connection.execute("SELECT count(*) FROM jobs_storedkey").fetchone()
        manifest.stored_keys = int(counted[0]) if counted else 0
    for number, (name, (columns, key)) in enumerate(found.items(), 1):
        progress(f"{number}/{len(found)} {name}")
        copied, member = rows.Copied(connection, name, columns, key), f"database/{name}.copy"
        writer.add(member, copied)
        manifest.tables.append(Table(name, columns, copied.rows, member))
    manifest.sequences = rows.sequences(connection)


def remove_older(folder: Path, keep: int) -> list[Path]:
    """Remove all archives in a folder except the `keep` newest; return the removed paths."""
    older = sorted(folder.glob(PATTERN))[:-keep]
    for path in older:
        path.unlink()
    return older
