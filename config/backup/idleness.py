"""Checks that no site uses the database, before its tables are replaced or migrated.

Without a pooler, each session belongs to a process. A pooler keeps idle sessions after a site has stopped,
and PostgreSQL lists them like those of a site: there, only transactions count, and the supervisor and the
workers are asked themselves.
"""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import psycopg
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.backup.errors import BackupError
from config.celery import PRESENCE_SECONDS
from config.processes import require_stopped
from jobs.queries import SILENCE, worker_seen

LEAVING_SECONDS: Final = 3
"""The most seconds for which PostgreSQL may still list a closed connection."""
QUEUES: Final = ("default", "llm")
# An ordinary role sees only the database and the role of other roles' sessions, but everybody's locks.
_SESSIONS: Final = (
    "SELECT count(*) FROM pg_stat_activity AS a WHERE datname = current_database()"
    " AND pid <> pg_backend_pid() AND usesysid IS NOT NULL"
)
_TRANSACTIONS: Final = f"{_SESSIONS} AND EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = a.pid)"
"""Each transaction holds a lock of its own id, and an idle session has none."""


def require_idle_database(connection: psycopg.Connection[Any], home: Path) -> None:
    """Raise BackupError if another program uses the database, or LocalServerError if the site runs here."""
    if settings.POOLER:
        require_stopped(home)
        _require_silent_workers()
    asked = _TRANSACTIONS if settings.POOLER else _SESSIONS
    deadline = time.monotonic() + LEAVING_SECONDS
    while (number := _number(connection, asked)) and time.monotonic() < deadline:
        time.sleep(0.1)
    if number:
        raise BackupError(
            ngettext(
                "%(number)d other connection uses this database. Nothing was changed. Stop the site, then"
                " try again.",
                "%(number)d other connections use this database. Nothing was changed. Stop the site, then"
                " try again.",
                number,
            )
            % {"number": number}
        )


def _number(connection: psycopg.Connection[Any], asked: str) -> int:
    counted = connection.execute(asked.encode()).fetchone()
    return int(counted[0]) if counted else 0


def _require_silent_workers() -> None:
    """Raise BackupError if a worker shows itself, on whichever machine. One that has stopped does not."""
    first = _last_seen()
    if first is None or first < timezone.now() - SILENCE:
        return
    deadline = time.monotonic() + 2 * PRESENCE_SECONDS + LEAVING_SECONDS
    while time.monotonic() < deadline:
        if _last_seen() != first:
            raise BackupError(
                _("The workers of the site are running. Nothing was changed. Stop the site, then try again.")
            )
        time.sleep(0.5)


def _last_seen() -> datetime | None:
    return max(filter(None, map(worker_seen, QUEUES)), default=None)
