"""What is wrong where a server is away or the disk is full, and what a page says then.

Such an error is nobody's fault in the code: it gets a sentence in place of a traceback, and passes.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from enum import Enum

import psycopg
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.views.defaults import server_error
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import ConnectionError as RedisAway
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisSilent

FULL = (errno.ENOSPC, errno.EDQUOT)
NO_SPACE = "No space left on device"
# SQLSTATE of connections that failed or were ended, and of servers that start, stop or take no more of them.
AWAY = ("08", "57P", "53300")
DEEPEST = 10


class Outage(Enum):
    """What is away; the value is how the log says it."""

    DISK = "the disk is full"
    DATABASE = "the database does not answer"
    REDIS = "Redis does not answer"


def find_outage(error: BaseException | None) -> Outage | None:
    """Return the outage that an error comes of; None where it comes of something else."""
    return next(filter(None, map(_outage, _causes(error))), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _number in range(DEEPEST):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _outage(error: BaseException) -> Outage | None:
    if isinstance(error, OSError) and error.errno in FULL:
        return Outage.DISK
    if isinstance(error, ResponseError):  # Redis refuses to take what it cannot keep
        return Outage.DISK if str(error).startswith("MISCONF") else None
    if isinstance(error, psycopg.Error):
        return _outage_of_database(error)
    if isinstance(error, RedisAway | RedisSilent | BrokerError):
        return Outage.REDIS
    return None


def _outage_of_database(error: psycopg.Error) -> Outage | None:
    if isinstance(error, psycopg.errors.DiskFull) or NO_SPACE in str(error):
        return Outage.DISK
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return None
    # Without a state the error is the client's own: no connection, or one that broke.
    return Outage.DATABASE if not error.sqlstate or error.sqlstate.startswith(AWAY) else None


def show_error(request: HttpRequest) -> HttpResponse:
    """Answer a request that ended in an error: with a sentence where it comes of an outage."""
    error = sys.exc_info()[1]
    outage = find_outage(error)
    if outage is None and isinstance(error, InterfaceError | OperationalError) and error.__cause__ is None:
        outage = Outage.DATABASE  # Django's own word for a connection that is closed
    return server_error(request) if outage is None else _answer(request, outage)


def _answer(request: HttpRequest, outage: Outage) -> HttpResponse:
    happened, meaning = _sentences(outage)
    status, seconds = (507, 60) if outage is Outage.DISK else (503, 10)
    answer: HttpResponse
    if request.path.startswith("/api/"):
        answer = JsonResponse({"detail": f"{happened} {meaning}"}, status=status)
    else:
        # Without the request: what surrounds other pages is read from the database.
        page = loader.get_template("outage.html").render({"happened": happened, "meaning": meaning})
        answer = HttpResponse(page, status=status)
    answer["Retry-After"] = str(seconds)
    add_never_cache_headers(answer)
    return answer


def _sentences(outage: Outage) -> tuple[str, str]:
    """What happened, and what it means for the person's work."""
    if outage is Outage.DISK:
        return (
            _("The disk of the server is full, so nothing was saved."),
            _("What you typed is still in this browser: go back and try again once there is space."),
        )
    return (
        _("A server that this site needs does not answer, so the last step may not have been saved."),
        _("What you typed is still in this browser: go back and try again in a minute."),
    )
