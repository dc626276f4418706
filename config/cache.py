"""Django's Redis cache with one client for all commands.

Django creates a client for each command, which takes three times as long as the command itself. A client is
thread-safe and has no state except its connection pool.
"""

from __future__ import annotations

from typing import Any

from django.core.cache.backends import redis


class _Client(redis.RedisCacheClient):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._clients: dict[Any, Any] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """Return the client of the key's server, creating it if needed."""
        pool = self._get_connection_pool(write)  # type: ignore[attr-defined]  # unknown to the stubs
        if pool not in self._clients:
            self._clients[pool] = self._client(connection_pool=pool)  # type: ignore[attr-defined]  # nor is this known to them
        return self._clients[pool]


class RedisCache(redis.RedisCache):
    """Django's Redis cache, which reuses one client for all commands."""

    def __init__(self, server: str | list[str], params: dict[str, object]) -> None:
        super().__init__(server, params)
        self._class = _Client
