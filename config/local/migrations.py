"""Migrates the database of a local data folder whenever the migrations have changed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import django

from config.local.errors import LocalServerError
from config.local.shared_server import alone


def migrate_once(base: Path, home: Path) -> None:
    """Run `migrate` in a new process, unless the same migrations have been applied before.

    The environment must have the URLs of the servers. Raises LocalServerError if a migration fails.
    """
    local = home / "local"
    local.mkdir(parents=True, exist_ok=True)
    mark = local / "migrated"
    names = sorted(str(path.relative_to(base)) for path in base.glob("*/migrations/[0-9]*.py"))
    wanted = hashlib.sha256("\n".join([django.__version__, *names]).encode()).hexdigest()
    with alone(local / "migrating.lock"):
        if mark.exists() and mark.read_text(encoding="ascii") == wanted:
            return
        command = [sys.executable, str(base / "manage.py"), "migrate", "--verbosity", "0"]
        if subprocess.run(command, check=False).returncode:
            raise LocalServerError(f"The database in {home} could not be brought up to date.")
        mark.write_text(wanted, encoding="ascii")


def forget_migrations(home: Path) -> None:
    """Have the next `migrate_once` run `migrate`, as is needed after a manual migration or a restore."""
    (home / "local" / "migrated").unlink(missing_ok=True)
