"""The cache in Redis, with one client for all commands.

Django makes a client for each command, which takes three times as long as the command itself. A client holds
no state but its pool of connections, and may be used by all threads.
"""

from __future__ import annotations

from typing import Any

from django.core.cache.backends import redis


class _Client(redis.RedisCacheClient):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._kept: dict[Any, Any] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """Return the one client of the server that a key is asked of."""
        pool = self._get_connection_pool(write)  # type: ignore[attr-defined]  # unknown to the stubs
        if pool not in self._kept:
            self._kept[pool] = self._client(connection_pool=pool)  # type: ignore[attr-defined]  # likewise
        return self._kept[pool]


class RedisCache(redis.RedisCache):
    """Django's, but for its clients."""

    def __init__(self, server: str | list[str], params: dict[str, object]) -> None:
        super().__init__(server, params)
        self._class = _Client
