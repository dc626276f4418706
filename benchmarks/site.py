"""A site for a benchmark: local servers in a temporary folder and an empty database, deleted afterwards.

As in the tests, PostgreSQL runs without fsync, for both sides of each comparison. A benchmark may keep its
folder, and have several databases in it.
"""

import atexit
import os
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

SETTINGS = {
    "PARABLE_ENV_FILE": os.devnull,
    "PARABLE_SECRET_KEY": "a-key-that-only-the-benches-of-parable-ever-use",
    "PARABLE_PLAIN_HTTP": "True",
    "PARABLE_HASHED_STATIC": "False",
    "PARABLE_LANGUAGE": "en",
    "PARABLE_LOG_LEVEL": "WARNING",
    "DJANGO_SETTINGS_MODULE": "config.settings",
}

_open = ExitStack()
_started: list[Path] = []
_connected: dict[str, Any] = {}


def start(kept: str = "", *, durable: bool = False) -> None:
    """Start the servers, once for all benchmarks of this run, and create the tables.

    `kept`: a folder for their data that is not deleted. `durable`: PostgreSQL waits for the disk.
    """
    if _started:
        return
    from config.local import local_services

    home = Path(kept).resolve() if kept else Path(tempfile.mkdtemp(prefix="parable-bench-"))
    home.mkdir(exist_ok=True)
    home.chmod(0o711)  # root runs PostgreSQL as another user
    _started.append(home)
    atexit.register(_open.close)
    if not kept:
        _open.callback(shutil.rmtree, home, ignore_errors=True)
    for name in [name for name in os.environ if name.startswith("PARABLE_")]:
        del os.environ[name]
    os.environ.update(SETTINGS, PARABLE_HOME=str(home))
    os.environ |= _open.enter_context(local_services(home, durable=durable))
    os.environ["DATABASE_URL"] = os.environ.get("DATABASE_OWNER_URL", os.environ["DATABASE_URL"])
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def databases() -> set[str]:
    """Return the names of all databases."""
    with psycopg.connect(address("postgres")) as server:
        return {name for (name,) in server.execute("SELECT datname FROM pg_database")}


def copy_as(name: str) -> None:
    """Copy the current database; no one may be connected meanwhile."""
    from django.db import connection

    of = connection.settings_dict["NAME"]
    connection.close()
    with psycopg.connect(address("postgres"), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{of}" STRATEGY file_copy')


def turn_to(name: str) -> None:
    """Use another of the databases from now on, with its own connection and cache."""
    from django.core.cache import cache
    from django.db import DEFAULT_DB_ALIAS, connections

    if name not in _connected:
        described = connections[DEFAULT_DB_ALIAS].settings_dict | {"NAME": name}
        _connected[name] = type(connections[DEFAULT_DB_ALIAS])(described, DEFAULT_DB_ALIAS)
    connections[DEFAULT_DB_ALIAS] = _connected[name]
    cache.key_prefix = name


def worked() -> float:
    """Return the processor time in seconds that this process and its PostgreSQL connection have used."""
    from django.db import connection

    connection.ensure_connection()
    return time.process_time() + served(connection.connection)


def served(connection: Any) -> float:
    """Return the processor time in seconds that the server has used for a connection."""
    used = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text(encoding="ascii")
    return int(used.split()[0]) / 1e9


def most_memory() -> float:
    """Return the peak memory of this process in MB.

    `ru_maxrss` is not used: in a child that is started by vfork, it begins with the peak of its parent.
    """
    output = Path("/proc/self/status").read_text(encoding="ascii")
    return int(output.partition("VmHWM:")[2].split()[0]) / 1024


def address(name: str) -> str:
    """Return the address of a database on the current server."""
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
