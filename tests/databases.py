"""Creates the tests' databases as copies of a template, so that migrations run only once.

A PostgreSQL cluster with the migrated template is kept in a cache folder, named by a hash of everything that
it depends on. A run copies that cluster and starts PostgreSQL on the copy; each worker of pytest-xdist then
copies the template. Only the first run after a change of a migration runs the migrations.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
import psycopg
import pytest
from django.conf import settings
from django.db import connection
from psycopg import sql

from config.local import local_services
from config.local.launcher import run_once
from config.local.places import unprivileged_account
from config.local.postgresql import PostgreSQL
from config.local.programs import find_programs
from config.local.shared_server import alone

BASE = Path(__file__).resolve().parent.parent
TEMPLATE = "PARABLE_TEST_TEMPLATE"
"""The environment variable with the name of the template."""
KEPT = 12
"""The number of clusters kept in the cache, one for each set of migrations on different branches."""
MADE_OF = (
    "*/migrations/*.py",
    "config/settings.py",
    "config/roles.py",
    "config/local/*.py",
    "requirements/development.txt",
    "tests/databases.py",
)


def bring_cluster(home: Path) -> None:
    """Copy a cluster with the template into a data folder that has no cluster yet."""
    kept = _cache() / _fingerprint()
    with alone(kept.parent / "making.lock"):
        if not kept.exists():
            _make_cluster(kept)
            _forget_old()
        os.utime(kept)
    _copy(kept, PostgreSQL(home, durable=False).folder / "cluster")


@contextlib.contextmanager
def made_on_server(owner_url: str) -> Iterator[None]:
    """Create the template on an existing server, and delete it in the end."""
    name = f"test_parable_template_{os.getpid()}"
    server = urlsplit(owner_url)._replace(path="/postgres").geturl()
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        url = urlsplit(owner_url)._replace(path=f"/{name}").geturl()
        _migrate({"DATABASE_URL": url, "DATABASE_OWNER_URL": url})
        os.environ[TEMPLATE] = name
        yield
    finally:
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


def take_copy() -> str:
    """Let Django use a copy of the template as its database; return the name of the former database."""
    described = connection.settings_dict
    before: str = described["NAME"]
    described["TEST"]["TEMPLATE"] = os.environ[TEMPLATE]
    creation: Any = connection.creation
    creation._create_test_db(verbosity=0, autoclobber=True, keepdb=False)
    connection.close()
    settings.DATABASES["default"]["NAME"] = described["NAME"] = creation._get_test_db_name()
    return before


def drop_copy(before: str) -> None:
    """Delete the copy, closing all connections to it, and let Django use its former database again."""
    creation: Any = connection.creation
    copy = sql.Identifier(connection.settings_dict["NAME"])
    connection.close()
    with creation._nodb_cursor() as cursor:
        cursor.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(copy))
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = before


def _fingerprint() -> str:
    """Return a hash of the migrations, the code that runs them, and the versions of programs they need."""
    programs = find_programs(unprivileged_account())
    version = run_once([str(programs / "postgres"), "-V"]).stdout
    digest = hashlib.sha256(f"{version} {django.__version__} {sys.version}".encode())
    for path in sorted(path for pattern in MADE_OF for path in BASE.glob(pattern)):
        digest.update(str(path.relative_to(BASE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache() -> Path:
    """Return a cache folder that only we may write to, as its content determines what our tests run on."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "parable-tests"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _make_cluster(kept: Path) -> None:
    """Migrate the database of a new data folder, rename it to the template's name, and store the cluster."""
    home = Path(tempfile.mkdtemp(prefix="parable-template-"))
    home.chmod(0o711)  # root runs PostgreSQL as another user
    try:
        with local_services(home, redis=False, durable=False) as addresses:
            _migrate(addresses)
            server = urlsplit(addresses["DATABASE_OWNER_URL"])._replace(path="/postgres").geturl()
            with psycopg.connect(server, autocommit=True) as admin:
                admin.execute("ALTER DATABASE parable RENAME TO parable_template")
                # It would see the rows of a test as none while the test's transaction lasts, and PostgreSQL
                # would then plan for empty tables: what takes a minute took thirteen.
                admin.execute("ALTER SYSTEM SET autovacuum = off")
        draft = kept.with_suffix(".new")
        shutil.rmtree(draft, ignore_errors=True)
        _copy(PostgreSQL(home, durable=False).folder / "cluster", draft)
        draft.rename(kept)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _migrate(addresses: dict[str, str]) -> None:
    command = [sys.executable, str(BASE / "manage.py"), "migrate", "--verbosity", "0"]
    redis = {"REDIS_URL": os.environ.get("REDIS_URL") or "redis://127.0.0.1:9/0"}  # none is asked
    if subprocess.run(command, check=False, env=os.environ | redis | addresses).returncode:
        raise pytest.UsageError("The database of the tests cannot be migrated; the lines above say why.")


def _copy(source: Path, target: Path) -> None:
    """Copy a folder, preserving the owners of its files."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def _forget_old() -> None:
    clusters = [path for path in _cache().iterdir() if path.is_dir()]
    for old in sorted(clusters, key=lambda path: path.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
