"""Checks that an archive can be restored, before anything is changed.

A seal proves that a file is unchanged, not that we wrote it. So each name, hash and number in an archive is
compared with the others, with this version of Parable and with the data folder.
"""

from __future__ import annotations

import codecs
import json
import stat
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.db.migrations.loader import MigrationLoader
from django.db.models import AutoField, BigAutoField, SmallAutoField
from django.utils.translation import gettext as _

from config.backup import files
from config.backup.archive import Archive
from config.backup.errors import BackupError
from config.backup.manifest import NAME, SECRETS, Manifest, Table, printable

OURS = "accounts_user"
"""A table that every site has; without it, an archive or database is not Parable's."""
APPLIED = "django_migrations"
_SECRETS_BYTES = 1 << 16
_ORDINARY = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 1


@dataclass(frozen=True)
class Layout:
    """The expected database: the columns of each table, without generated ones, and the sequences."""

    tables: Mapping[str, set[str]]
    sequences: set[str]


@cache
def _loader() -> MigrationLoader:
    return MigrationLoader(None)


def check_archive(archive: Archive, home: Path) -> None:
    """Raise BackupError with the reason if the archive cannot be restored completely into `home`."""
    manifest = archive.manifest
    _check_entries(archive)
    files.check_names(manifest.files, home)
    check_fit(manifest)
    layout = layout_of(manifest.migrations)
    if OURS not in layout.tables:
        raise BackupError(
            _("This backup does not contain a site: it has no table %(table)s. Nothing was changed.")
            % {"table": OURS}
        )
    require_tables(manifest, layout.tables)
    _require_same(manifest.sequences, layout.sequences)
    for table in manifest.tables:
        _check_rows(archive, table)
    for name in manifest.files:
        for _chunk in archive.chunks(name):
            pass
    read_secrets(archive)


def check_fit(manifest: Manifest) -> None:
    """Raise BackupError if this version does not know the archive's migrations, or if one is missing."""
    loader = _loader()
    listed = [(app, name) for app, names in manifest.migrations.items() for name in names]
    if unknown := [key for key in listed if key not in loader.disk_migrations]:
        raise BackupError(
            _(
                "This backup was made by a newer version of Parable (it has %(migration)s). Nothing was"
                " changed. Use that version or a newer one."
            )
            % {"migration": printable(".".join(unknown[0]))}
        )
    nodes = loader.graph.node_map
    needed = {parent.key for key in listed if key in nodes for parent in nodes[key].parents}
    if missing := sorted(needed - set(listed)):
        raise BackupError(
            _(
                "This backup does not list the migration %(migration)s, which others that it lists depend on."
                " Nothing was changed."
            )
            % {"migration": ".".join(missing[0])}
        )


def layout_of(migrations: Mapping[str, Iterable[str]]) -> Layout:
    """Return the tables and sequences that a database has after these migrations.

    `check_fit` must have accepted the migrations.
    """
    loader = _loader()
    state = loader.project_state(last_of(loader, migrations))
    tables = {APPLIED: {"id", "app", "name", "applied"}}
    sequences = {f"{APPLIED}_id_seq"}
    for model in state.apps.get_models(include_auto_created=True):
        own = [each for each in model._meta.local_concrete_fields if not getattr(each, "generated", False)]
        table = model._meta.db_table
        tables[table] = {str(each.column) for each in own}
        numbered = (each for each in own if isinstance(each, AutoField | BigAutoField | SmallAutoField))
        sequences |= {f"{table}_{each.column}_seq" for each in numbered}
    return Layout(tables, sequences)


def last_of(loader: MigrationLoader, migrations: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """Return the last of these migrations in each app, as pairs (app, name)."""
    wanted = {(app, name) for app, names in migrations.items() for name in names}
    nodes = loader.graph.node_map
    return sorted(
        key
        for key in wanted
        if key in nodes and not any(c.key in wanted and c.key[0] == key[0] for c in nodes[key].children)
    )


def require_tables(manifest: Manifest, tables: Mapping[str, Iterable[str]]) -> None:
    """Raise BackupError unless the archive has exactly these tables, each with exactly these columns."""
    _require_same([table.name for table in manifest.tables], tables)
    for table in manifest.tables:
        if set(table.columns) != set(tables[table.name]):
            raise BackupError(
                _(
                    "The table %(table)s of this backup differs from what the migrations create:"
                    " the database was changed by hand. Nothing was changed."
                )
                % {"table": table.name}
            )


def _require_same(found: Iterable[str], wanted: Iterable[str]) -> None:
    """Raise BackupError unless both have the same names.

    The names are those of tables or sequences.
    """
    if missing := sorted(set(wanted) - set(found)):
        message = _("This backup is not complete: %(name)s is missing. Nothing was changed.")
        raise BackupError(message % {"name": missing[0]})
    if strange := sorted(set(found) - set(wanted)):
        message = _("This backup contains %(name)s, which its migrations do not create. Nothing was changed.")
        raise BackupError(message % {"name": strange[0]})


def _check_entries(archive: Archive) -> None:
    """Raise BackupError unless the zip file has each listed member exactly once, as a plain file."""
    entries = archive.entries()
    counts = Counter(info.filename for info in entries)
    listed = {NAME, *archive.manifest.members}
    if differing := sorted(listed ^ set(counts)) or [name for name in counts if counts[name] > 1]:
        message = _(
            "%(name)s must be in this backup and in its list of contents exactly once. Nothing was changed."
        )
        raise BackupError(message % {"name": printable(differing[0])})
    for info in entries:
        mode = info.external_attr >> 16
        is_plain = stat.S_IFMT(mode) in (0, stat.S_IFREG) and not mode & 0o7000
        if not is_plain or info.flag_bits & _ENCRYPTED or info.compress_type not in _ORDINARY:
            message = _("%(name)s in this backup is not a plain file. Nothing was changed.")
            raise BackupError(message % {"name": printable(info.filename)})


def _check_rows(archive: Archive, table: Table) -> None:
    """Raise BackupError unless a table has the listed number of rows, each with a value for every column."""
    rows = separators = 0
    text = applied = ""
    is_text, decoder = True, codecs.getincrementaldecoder("utf-8")()
    for chunk in archive.chunks(table.member):
        try:
            text = decoder.decode(chunk)
        except UnicodeDecodeError:
            is_text = False
            break
        rows += text.count("\n")
        separators += text.count("\t")
        applied += text if table.name == APPLIED else ""
    is_whole = is_text and not decoder.getstate()[0] and text.endswith("\n") is bool(rows)
    if not is_whole or (rows, separators) != (table.rows, rows * (len(table.columns) - 1)):
        raise BackupError(
            _(
                "The table %(table)s of this backup does not have the %(number)d rows that its list of"
                " contents says. Nothing was changed."
            )
            % {"table": table.name, "number": table.rows}
        )
    if table.name == APPLIED:
        _check_applied(archive.manifest, table, applied)


def _check_applied(manifest: Manifest, table: Table, text: str) -> None:
    """Raise BackupError unless the table of applied migrations has those in the list of contents."""
    app, name = table.columns.index("app"), table.columns.index("name")
    lines = [line.split("\t") for line in text.split("\n")]
    applied = Counter((line[app], line[name]) for line in lines if len(line) == len(table.columns))
    listed = Counter((key, each) for key, names in manifest.migrations.items() for each in names)
    if applied != listed:
        raise BackupError(
            _(
                "The table %(table)s of this backup does not have the migrations that its list of contents"
                " says. Nothing was changed."
            )
            % {"table": table.name}
        )


def read_secrets(archive: Archive) -> dict[str, str]:
    """Return the secrets in the archive, by the names of their settings.

    Return {} if it has none. Raise BackupError if they are not valid.
    """
    manifest = archive.manifest
    if not manifest.secrets:
        return {}
    refusal = BackupError(
        _("%(name)s in this backup does not have the secrets of a site. Nothing was changed.")
        % {"name": SECRETS}
    )
    if manifest.members[SECRETS].bytes > _SECRETS_BYTES:
        raise refusal
    try:
        saved = json.loads(b"".join(archive.chunks(SECRETS)))
    except (ValueError, RecursionError):
        raise refusal from None
    if not isinstance(saved, dict) or set(saved) - set(files.SECRETS):
        raise refusal
    for name, text in saved.items():
        # The secret becomes a line of a settings file; a line break in it would begin another setting.
        if not isinstance(text, str) or not text.isascii() or not text.isprintable():
            raise refusal
        if files.fingerprints(files.parts(text)) != manifest.fingerprints.get(name):
            raise refusal
    return saved
