"""Detects errors caused by an outage (a server is unavailable, a disk is full) rather than by Parable."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from enum import Enum

import psycopg
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import ConnectionError as RedisAway
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisSilent

from core.files import StoreUnavailable

FULL = (errno.ENOSPC, errno.EDQUOT)
NO_SPACE = "No space left on device"
# Prefixes of SQLSTATE codes: the connection failed or was closed, or the server starts, stops or is full.
AWAY = ("08", "57P", "53300")
DEEPEST = 10


class Outage(Enum):
    """The unavailable resource; the value is the text for the log."""

    DISK = "the disk is full"
    DATABASE = "the database does not answer"
    REDIS = "Redis does not answer"
    STATEMENT = "a migration has changed a table under this connection"
    FILES = "the store of files does not answer"


def find_outage(error: BaseException | None) -> Outage | None:
    """Return the outage that caused an error, or None if the error has another cause."""
    return next(filter(None, map(_outage, causes(error))), None)


def is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether an error was caused by a lack of memory in this process."""
    return any(
        isinstance(each, MemoryError) or (isinstance(each, OSError) and each.errno == errno.ENOMEM)
        for each in causes(error)
    )


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of that cause, and so on, up to `DEEPEST` errors."""
    for _number in range(DEEPEST):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _outage(error: BaseException) -> Outage | None:
    if isinstance(error, OSError) and error.errno in FULL:
        return Outage.DISK
    if isinstance(error, StoreUnavailable):
        return Outage.FILES
    if isinstance(error, ResponseError):  # Redis refuses data that it cannot persist
        return Outage.DISK if str(error).startswith("MISCONF") else None
    if isinstance(error, psycopg.Error):
        return _outage_of_database(error)
    if isinstance(error, RedisAway | RedisSilent | BrokerError):
        return Outage.REDIS
    return None


def _outage_of_database(error: psycopg.Error) -> Outage | None:
    if isinstance(error, psycopg.errors.DiskFull) or NO_SPACE in str(error):
        return Outage.DISK
    if is_stale_statement(error):
        return Outage.STATEMENT
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return None
    # An error without a state is the client's: no connection, a lost connection, or no memory left.
    if not error.sqlstate and "out of memory" in str(error):
        return None
    return Outage.DATABASE if not error.sqlstate or error.sqlstate.startswith(AWAY) else None


def is_stale_statement(error: psycopg.Error) -> bool:
    """Return whether a statement failed only because it had been prepared before a migration."""
    if isinstance(error, psycopg.errors.FeatureNotSupported):  # it has no code of its own
        return error.diag.source_function == "RevalidateCachedQuery"
    gone = psycopg.errors.InvalidSqlStatementName | psycopg.errors.DuplicatePreparedStatement
    return isinstance(error, gone)
