"""Additional databases on the tests' server, and commands of the site that run on them."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg

from tests.architecture import BASE
from tests.config.programs import environment
from tests.services import SETTINGS


def manage_on(url: str, home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py` to its end with this database and data folder."""
    named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"}
    named |= {"DATABASE_URL": url, "REDIS_URL": os.environ["REDIS_URL"], "PARABLE_LOCAL_SERVERS": "False"}
    return subprocess.run(
        [sys.executable, str(BASE / "manage.py"), *arguments],
        env=environment(home, **(named | more)), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


@contextlib.contextmanager
def empty_database() -> Iterator[str]:
    """Create a database without tables on the tests' server, and yield its address."""
    name = f"test_restored_{secrets.token_hex(4)}"
    before, host = os.environ["DATABASE_URL"].split("?", 1)
    server = before.rpartition("/")[0]
    with psycopg.connect(f"{server}/postgres?{host}", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        try:
            yield f"{server}/{name}?{host}"
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
