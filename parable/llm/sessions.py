"""Shares sessions between calls, so that a process opens one session per endpoint."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from parable.llm.client import DEFAULT_RETRIES, EndpointSpec, Json, Message, Retries, Session
from parable.llm.replies import Answer

LONGEST_LIFE = 60.0
"""Seconds after which a session is replaced, so that its host is resolved and checked again."""
MOST_SESSIONS = 200


@dataclass
class _CachedSession:
    session: Session
    opened_at: float
    users: int = 0


@dataclass
class SessionPool:
    """A thread-safe pool of sessions, by endpoint and key.

    A session leaves the pool when it is too old or the pool is too large; it is closed when its last call
    ends.
    """

    longest_life: float = LONGEST_LIFE
    _sessions: dict[str, _CachedSession] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(
        self,
        endpoint: EndpointSpec,
        messages: Sequence[Message],
        *,
        schema: Json | None = None,
        timeout: float = 60.0,
        retries: Retries = DEFAULT_RETRIES,
    ) -> Answer:
        """Ask one question over a pooled session; see `Session.ask`."""
        cached = self._take(endpoint)
        try:
            return cached.session.ask(messages, schema=schema, timeout=timeout, retries=retries)
        finally:
            with self._lock:
                cached.users -= 1
                if not cached.users and cached not in self._sessions.values():
                    cached.session.close()

    def close(self) -> None:
        """Close the idle sessions; a session in use is closed after its last call."""
        with self._lock:
            for name in list(self._sessions):
                self._drop(name)

    def _take(self, endpoint: EndpointSpec) -> _CachedSession:
        parts = (
            endpoint.base_url,
            endpoint.model,
            endpoint.api_key,
            dict(endpoint.parameters),
            endpoint.allow_private,
            sorted(endpoint.allowed_hosts),
        )
        name, now = json.dumps(parts, sort_keys=True, default=str), time.monotonic()
        with self._lock:
            for old in [
                key for key, cached in self._sessions.items() if now - cached.opened_at > self.longest_life
            ]:
                self._drop(old)
            while len(self._sessions) >= MOST_SESSIONS:
                self._drop(next(iter(self._sessions)))
            cached = self._sessions.get(name)
            if cached is None:
                cached = self._sessions[name] = _CachedSession(Session(endpoint), now)
            cached.users += 1
            return cached

    def _drop(self, name: str) -> None:
        cached = self._sessions.pop(name)
        if not cached.users:
            cached.session.close()
