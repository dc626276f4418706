"""Runs local PostgreSQL and Redis servers for `manage.py` and the tests, without any installation.

The data folder contains everything. Several processes may use one folder: each holds a shared lock, the first
starts the servers, the last one stops them, and the first process after a crash cleans up. Settings never
import this package.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from config.local.errors import LocalServerError
from config.local.postgresql import PostgreSQL
from config.local.redis_server import Redis
from config.local.secret import secret_key, stored_secret
from config.local.shared_server import Server, clear_unused, shared

__all__ = [
    "LocalServerError",
    "clear_abandoned",
    "local_services",
    "secret_key",
    "servers_of",
    "stored_secret",
]

SERVERS: Final[dict[str, tuple[str, type[PostgreSQL | Redis]]]] = {
    "DATABASE_URL": ("PostgreSQL", PostgreSQL),
    "REDIS_URL": ("Redis", Redis),
}


@contextlib.contextmanager
def local_services(
    home: Path, *, database: bool = True, redis: bool = True, durable: bool = True
) -> Iterator[dict[str, str]]:
    """Run local servers within the context; yield the settings with their URLs, by name.

    These are DATABASE_URL and DATABASE_OWNER_URL, REDIS_URL, or all three. `home` is the data folder.
    `durable` is False in tests only: data may then be lost in a power cut. Raises LocalServerError with a
    sentence if a server cannot be started.
    """
    with contextlib.ExitStack() as stack:
        addresses: dict[str, str] = {}
        if database:
            addresses |= stack.enter_context(shared(PostgreSQL(home, durable=durable)))
        if redis:
            addresses |= stack.enter_context(shared(Redis(home, durable=durable)))
        yield addresses


def servers_of(home: Path, settings: Iterable[str], *, durable: bool = True) -> dict[str, Server]:
    """Return the local servers of the data folder `home` by name.

    `settings` are the settings that local servers replace: DATABASE_URL, REDIS_URL or both.
    """
    wanted = [SERVERS[setting] for setting in sorted(settings)]
    return {name: server(home, durable=durable) for name, server in wanted}


def clear_abandoned(home: Path) -> bool:
    """Stop local servers that a killed process left running; return False if one is in use."""
    servers = (PostgreSQL(home, durable=False), Redis(home, durable=False))
    unused = [clear_unused(server) for server in servers]
    return all(unused)
