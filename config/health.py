"""Health checks for load balancers and container runtimes, answered outside the request threads.

`/livez` says whether this process runs; it always returns 200. `/readyz` (and `/healthz`) says whether it can
serve pages: 200 if the database responds, else 503. Without Redis, pages are served and background work
waits, so this is only reported.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Final

from django.core.cache import cache
from django.db import DatabaseError, close_old_connections, connection
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

LIVE: Final = "/livez"
READY: Final = ("/readyz", "/healthz")
PATIENCE: Final = 3.0
"""Seconds after which a server that does not respond counts as down."""
FRESH: Final = 1.0
"""Seconds for which the result of a check is reused."""


class Health:
    """Responds to the health URLs, even if all request threads are busy."""

    def __init__(self, *, database: Callable[[], None], redis: Callable[[], None]) -> None:
        self._probes = {"database": Probe(database), "redis": Probe(redis)}

    async def answer(self, method: str, path: str) -> tuple[int, str] | None:
        """Return (status, body) for a health URL, or None for any other path."""
        if path != LIVE and path not in READY:
            return None
        if method not in ("GET", "HEAD"):
            return HTTPStatus.METHOD_NOT_ALLOWED, "Use GET.\n"
        if path == LIVE:
            return HTTPStatus.OK, json.dumps({"live": True})
        answers = await asyncio.gather(*(probe.answers() for probe in self._probes.values()))
        parts = dict(zip(self._probes, answers, strict=True))
        status = HTTPStatus.OK if parts["database"] else HTTPStatus.SERVICE_UNAVAILABLE
        return status, json.dumps(parts)


class Probe:  # so named: a probe of a server, as Kubernetes calls it
    """Checks in its own thread whether a server responds: one check at a time, at most one per second."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._running: asyncio.Future[bool] | None = None
        self._checked = float("-inf")
        self._answers = True

    async def answers(self) -> bool:
        """Return whether the server responds within `PATIENCE` seconds."""
        loop = asyncio.get_running_loop()
        if loop.time() - self._checked < FRESH:
            return self._answers
        if self._running is None or self._running.done():
            self._running = loop.run_in_executor(self._thread, self._ask)
        try:
            answers = await asyncio.wait_for(asyncio.shield(self._running), PATIENCE)
        except TimeoutError:
            return False
        self._checked = loop.time()
        return answers

    def _ask(self) -> bool:
        try:
            self._check()
        except (DatabaseError, RedisError, OSError) as error:
            if self._answers:  # log each outage once
                logger.warning("%s fails: %s", self._check.__name__, error)
            self._answers = False
        else:
            self._answers = True
        return self._answers


def check_database() -> None:
    """Raise an error if the database does not respond."""
    close_old_connections()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        connection.close()
        raise


def check_redis() -> None:
    """Raise an error if Redis does not respond."""
    cache.get("healthz")
