"""A site of its own for a bench: local servers in a temporary folder, an empty database, gone afterwards.

As in the tests, nothing survives a power cut here (no fsync), for both sides of each comparison. A bench may
keep its folder, and several databases in it.
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


def start(kept: str = "") -> None:
    """Start the servers, once for all benches of this run, and make the tables; `kept`: a folder to keep."""
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
    os.environ |= _open.enter_context(local_services(home, durable=False))
    os.environ["DATABASE_URL"] = os.environ.get("DATABASE_OWNER_URL", os.environ["DATABASE_URL"])
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def databases() -> set[str]:
    """The names of all databases there are."""
    with psycopg.connect(address("postgres")) as server:
        return {name for (name,) in server.execute("SELECT datname FROM pg_database")}


def copy_as(name: str) -> None:
    """Copy the database in use; nobody may be connected meanwhile."""
    from django.db import connection

    of = connection.settings_dict["NAME"]
    connection.close()
    with psycopg.connect(address("postgres"), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{of}" STRATEGY file_copy')


def turn_to(name: str) -> None:
    """Use another of the databases from now on, with a connection and a cache of its own."""
    from django.core.cache import cache
    from django.db import DEFAULT_DB_ALIAS, connections

    if name not in _connected:
        described = connections[DEFAULT_DB_ALIAS].settings_dict | {"NAME": name}
        _connected[name] = type(connections[DEFAULT_DB_ALIAS])(described, DEFAULT_DB_ALIAS)
    connections[DEFAULT_DB_ALIAS] = _connected[name]
    cache.key_prefix = name


def worked() -> float:
    """Seconds of the processor that this process and its connection's have used so far."""
    from django.db import connection

    connection.ensure_connection()
    return time.process_time() + served(connection.connection)


def served(connection: Any) -> float:
    """Seconds of the processor that the server has used for a connection so far."""
    used = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text(encoding="ascii")
    return int(used.split()[0]) / 1e9


def most_memory() -> float:
    """The most memory that this process has held, in MB.

    `ru_maxrss` would not do: a child that is started by vfork begins with the peak of its parent.
    """
    output = Path("/proc/self/status").read_text(encoding="ascii")
    return int(output.partition("VmHWM:")[2].split()[0]) / 1024


def address(name: str) -> str:
    """The address of a database of the server in use."""
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
