"""Messages for errors that an operator can fix, such as an unavailable server or a full disk.

Used by `manage.py` only. Other errors keep their traceback, since they are faults in Parable.
"""

from __future__ import annotations

import errno
import os
from urllib.parse import urlsplit

import psycopg
from redis.exceptions import ConnectionError as RedisAway
from redis.exceptions import RedisError

from core.files import StoreUnavailable
from jobs.outage import FULL, causes

_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_ADVICE = (
    ("password authentication failed", "Correct the password in {setting}."),
    (
        "does not exist",
        "Correct {setting}, or let an administrator of PostgreSQL run what `manage.py role_sql` prints.",
    ),
    (
        "no pg_hba.conf entry",
        "Let the administrator of PostgreSQL allow this role from this machine in pg_hba.conf.",
    ),
    ("too many clients", "Raise max_connections of PostgreSQL, or run fewer threads and workers."),
)
_START = "Is it running, and does {setting} have its address?"


def sentence(error: BaseException) -> str | None:
    """Return a message that explains an error and how to fix it; None if an operator cannot fix it."""
    for cause in causes(error):
        if isinstance(cause, psycopg.Error):
            return _of_database(cause)
        if isinstance(cause, RedisError):
            message = str(cause)
            if not isinstance(cause, RedisAway) and "MISCONF" not in message and "OOM" not in message:
                return None
            place = urlsplit(os.environ.get("REDIS_URL", ""))
            where = f"{place.hostname}:{place.port or 6379}" if place.hostname else place.path
            return f"Redis at {where} cannot be used: {message} {_START.format(setting='REDIS_URL')}"
        if isinstance(cause, StoreUnavailable):
            return f"{cause} Are the settings PARABLE_S3_* right, and is the store running?"
        if isinstance(cause, OSError):
            return _of_files(cause)
    return None


def _of_database(error: psycopg.Error) -> str | None:
    message = str(error).strip().splitlines()[-1:] or [type(error).__name__]
    if isinstance(error, psycopg.errors.DiskFull):
        return f"PostgreSQL has no room left on its disk ({message[0]}). Free some, then run this again."
    if not isinstance(error, psycopg.OperationalError) or error.sqlstate not in (None, "53300"):
        return None
    advice = next((advice for part, advice in _ADVICE if part in message[0]), _START)
    owner = os.environ.get("DATABASE_OWNER_URL")
    setting = "DATABASE_OWNER_URL" if owner and os.environ.get("DATABASE_URL") == owner else "DATABASE_URL"
    return f"PostgreSQL cannot be used: {message[0]}. {advice.format(setting=setting)}"


def _of_files(error: OSError) -> str | None:
    if error.errno in FULL:
        place = f" while writing {error.filename}" if error.filename else ""
        return f"The disk is full{place} ({error.strerror}). Free some room, then run this again."
    if error.errno in _CLOSED and error.filename:
        return (
            f"Cannot write or read {error.filename} ({error.strerror})."
            " Give it to the user that runs Parable, or name another data folder in PARABLE_HOME."
        )
    return None
