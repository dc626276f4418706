"""The commands `manage.py backup`, `restore` and `upgrade`, with their options and output."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from django.db import Error
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from config.backup import files
from config.backup.archive import Archive, Origin, Progress, open_archive
from config.backup.check import check_archive
from config.backup.errors import BackupError
from config.backup.manifest import Manifest
from config.backup.restore import restore_site
from config.backup.snapshot import remove_older, save_site
from config.backup.upgrade import (
    Upgrade,
    check_as_application,
    go_back,
    migrate_and_check,
    save_before,
    summary,
    way_back,
)
from config.plain_errors import sentence
from core.backups import note_backup

Options = argparse.Namespace
_ORIGINS = {
    Origin.OWN: gettext_lazy("It is signed by this site and unchanged."),
    Origin.OTHER: gettext_lazy(
        "It is signed with another PARABLE_SECRET_KEY: this site cannot tell whether it was changed."
    ),
    Origin.UNSIGNED: gettext_lazy(
        "It is not signed: it was made by an older version, or changed. This site cannot tell which."
    ),
}


def read_backup(arguments: list[str]) -> Options:
    """Return the options of `backup` from its command-line arguments."""
    parser = _parser(
        "backup", _("Save the database and the files of this site in one archive, while the site is in use.")
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help=_("where to write the archive"))
    parser.add_argument(
        "--with-secrets", action="store_true",
        help=_("put PARABLE_SECRET_KEY and PARABLE_KEY_SECRETS into the archive too; keep it in a safe"),
    )  # fmt: skip
    parser.add_argument(
        "--keep", type=_positive, metavar="N",
        help=_("once the archive is written, remove all but the N newest archives of DIR"),
    )  # fmt: skip
    return parser.parse_args(arguments)


def read_restore(arguments: list[str]) -> Options:
    """Return the options of `restore` from its command-line arguments."""
    parser = _parser("restore", _("Restore a backup to an empty database and data folder."))
    parser.add_argument(
        "place", metavar="DIR", type=Path, help=_("an archive, or a folder (its newest archive is used)")
    )
    parser.add_argument(
        "--replace", action="store_true", help=_("replace the existing site: all its data is lost")
    )
    parser.add_argument(
        "--check", action="store_true",
        help=_("only check that the archive is complete and fits this version; change nothing"),
    )  # fmt: skip
    parser.add_argument(
        "--no-migrate", action="store_true",
        help=_("leave the tables as the version that made the archive has them, to return to that version"),
    )  # fmt: skip
    return parser.parse_args(arguments)


def read_upgrade(arguments: list[str], home: Path) -> Options:
    """Return the options of `upgrade` from its command-line arguments."""
    parser = _parser(
        "upgrade",
        _("Back up the stopped site, migrate its database, and check it; if a step fails, undo all of it."),
    )
    parser.add_argument(
        "folder", metavar="DIR", type=Path, nargs="?", default=home / "backups",
        help=_("where to write the archive; default: the folder backups of the data folder"),
    )  # fmt: skip
    return parser.parse_args(arguments)


def _parser(verb: str, purpose: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"manage.py {verb}", description=purpose)
    parser.add_argument("--json", action="store_true", help=_("print one JSON object as the last line"))
    return parser


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(_("must be a whole number of at least 1"))
    return int(text)


def run_backup(options: Options, home: Path) -> None:
    """Write an archive, and print its contents."""
    path, manifest = save_site(
        os.environ["DATABASE_URL"],
        home,
        options.folder,
        with_secrets=options.with_secrets,
        progress=_progress(),
    )
    try:
        note_backup(home, at=datetime.now(UTC), archive=path.resolve())
    except OSError:  # the archive is whole all the same
        print(_("The data folder cannot be written: the site does not know of this backup."), file=sys.stderr)
    removed = remove_older(options.folder, options.keep) if options.keep else []
    with path.open("rb") as file:
        file.seek(-64, os.SEEK_END)
        seal = file.read().decode("ascii")
    print(
        _("Saved in %(path)s (%(megabytes).1f MB):") % {"path": path, "megabytes": path.stat().st_size / 1e6}
    )
    print(_contents(manifest))
    if not options.with_secrets:
        print(_("It contains no secrets. Keep PARABLE_SECRET_KEY and PARABLE_KEY_SECRETS elsewhere."))
    _print_json(options, path, seal, manifest, {"removed": [str(each) for each in removed]})


def run_check(options: Options, home: Path, secret: str) -> None:
    """Check that an archive can be restored with this version, and print its contents.

    `secret` is the PARABLE_SECRET_KEY of this site, or "" if there is none yet.
    """
    with open_archive(options.place) as archive:
        origin = _origin(archive, secret)
        check_archive(archive, home)
        print(_("%(path)s is complete and fits this version:") % {"path": archive.path})
        print(_contents(archive.manifest))
        print(_ORIGINS[origin])
        _print_json(options, archive.path, archive.sha256, archive.manifest, {"signature": origin})


def run_restore(options: Options, home: Path) -> bool:
    """Restore an archive, and print its contents and warnings. Return whether a site was replaced."""
    with open_archive(options.place) as archive:
        origin = _origin(archive, os.environ.get("PARABLE_SECRET_KEY", ""))
        restored = restore_site(
            archive, home, replace=options.replace, migrate=not options.no_migrate, progress=_progress()
        )
        print(_("Restored from %(path)s:") % {"path": archive.path})
        print(_contents(archive.manifest))
        print(_ORIGINS[origin])
        for warning in restored.warnings:
            print(warning, file=sys.stderr)
        more = {"warnings": restored.warnings, "signature": origin}
        options.result = archive.path, archive.sha256, archive.manifest, more
    return restored.replaced


def _origin(archive: Archive, secret: str) -> Origin:
    """Return the origin of an archive. Raise BackupError if this site made it, but the signature is wrong."""
    origin = archive.origin(secret)
    claimed = set(archive.manifest.fingerprints.get("PARABLE_SECRET_KEY", []))
    if origin == Origin.OTHER and claimed & set(files.fingerprints(files.parts(secret))):
        raise BackupError(
            _(
                "The signature of this backup is wrong: the backup was changed after this site made it."
                " Nothing was restored. Use another one."
            )
        )
    return origin


def run_upgrade(options: Options, home: Path, application_url: str, grant: Callable[[], None]) -> bool:
    """Upgrade the database, and print what was done. Return whether it is upgraded; if not, it is as before.

    `grant` gives the role of `application_url` its rights. Raise BackupError if there is no usable archive;
    then nothing was tried.
    """
    upgrade, manifest = save_before(home, options.folder, _print_step)
    problem = ""
    try:
        migrate_and_check(upgrade, manifest, _print_step)
        grant()
        check_as_application(upgrade, application_url, _print_step)
    except Exception as error:  # noqa: BLE001 - whatever it is, the site shall be as before
        problem = _undone(upgrade, error, home, grant)
    for finding in upgrade.findings:
        print(f"{finding['said']} {finding['cure']}", file=sys.stderr)
    print(problem or summary(upgrade), file=sys.stderr if problem else sys.stdout)
    print(_("The backup made before it is %(path)s.") % {"path": upgrade.archive})
    if not problem:
        print(way_back(upgrade))
    if options.json:
        state = "upgraded" if not problem else "restored" if upgrade.is_restored else "unchanged"
        data = {
            "state": state, "migrations": upgrade.migrations if not problem else [],
            "archive": str(upgrade.archive), "sha256": upgrade.sha256,
            "findings": upgrade.findings, "problem": problem,
        }  # fmt: skip
        print(json.dumps(data, ensure_ascii=False))
    return not problem


def _undone(upgrade: Upgrade, error: Exception, home: Path, grant: Callable[[], None]) -> str:
    """Undo the upgrade after an error; return a sentence about the error and the state of the site."""
    if not isinstance(error, BackupError | Error | psycopg.Error | OSError):
        traceback.print_exception(error)  # a fault of a migration
    reason = sentence(error) or str(error).strip() or type(error).__name__
    go_back(upgrade, home, grant, _print_step)
    return _(
        "The upgrade failed, and the database and files are as before: %(reason)s Put the former sources back"
        " before any other command, and start the site."
    ) % {"reason": reason}


def _print_step(step: str) -> None:
    print(f"{step} ...", flush=True)


def print_result(options: Options) -> None:
    """Print the result of a restore as JSON. Call this after all other steps."""
    _print_json(options, *options.result)


def _contents(manifest: Manifest) -> str:
    tables = ngettext("%(number)d table", "%(number)d tables", len(manifest.tables)) % {
        "number": len(manifest.tables)
    }
    rows = ngettext("%(number)d row", "%(number)d rows", manifest.rows) % {"number": manifest.rows}
    files = ngettext("%(number)d file", "%(number)d files", len(manifest.files)) % {
        "number": len(manifest.files)
    }
    return _("%(tables)s, %(rows)s, %(files)s; created %(date)s.") % {
        "tables": tables, "rows": rows, "files": files, "date": manifest.made_at,
    }  # fmt: skip


def half_done(error: BaseException) -> BackupError:
    """Return the error to raise if a step failed after the site itself had been restored."""
    return BackupError(
        _(
            "The site was restored, but a step after that failed (%(reason)s). Run manage.py migrate, and"
            " empty the Redis database of the site, before you start it."
        )
        % {"reason": sentence(error) or f"{type(error).__name__}: {error}"}
    )


def _print_json(options: Options, path: Path, seal: str, manifest: Manifest, more: dict[str, object]) -> None:
    if options.json:
        data = {
            "archive": str(path), "sha256": seal, "bytes": path.stat().st_size, "made_at": manifest.made_at,
            "tables": len(manifest.tables), "rows": manifest.rows, "files": len(manifest.files),
        }  # fmt: skip
        print(json.dumps(data | more, ensure_ascii=False))


def _progress() -> Progress:
    """Return a function that displays a step in one line of a terminal.

    Without a terminal, it does nothing.
    """
    if not sys.stderr.isatty():
        return lambda _step: None
    return lambda step: print(f"\r\x1b[K{step} ...\r", end="", file=sys.stderr, flush=True)
