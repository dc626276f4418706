"""Sessions to endpoints, reused between calls, so that a process opens one for each endpoint."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from parable.llm.client import DEFAULT_RETRIES, EndpointSpec, Json, Message, Retries, Session
from parable.llm.replies import Answer

LONGEST_LIFE = 60.0
"""Seconds after which a session is opened anew, so that its name is resolved and judged again."""
MOST_SESSIONS = 200


@dataclass
class _Kept:
    session: Session
    opened_at: float
    users: int = 0


@dataclass
class SessionPool:
    """Sessions by endpoint and key; thread-safe.

    A session that has grown old, or that many others have pushed out, is closed when its last call is over.
    """

    longest_life: float = LONGEST_LIFE
    _kept: dict[str, _Kept] = field(default_factory=dict)
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
        with self._borrowed(endpoint) as session:
            return session.ask(messages, schema=schema, timeout=timeout, retries=retries)

    def close(self) -> None:
        """Close the idle sessions; one in use is closed after its last call."""
        with self._lock:
            for name in list(self._kept):
                self._drop(name)

    @contextmanager
    def _borrowed(self, endpoint: EndpointSpec) -> Iterator[Session]:
        kept = self._take(endpoint)
        try:
            yield kept.session
        finally:
            self._give_back(kept)

    def _take(self, endpoint: EndpointSpec) -> _Kept:
        name, now = _name(endpoint), time.monotonic()
        with self._lock:
            for old in [key for key, kept in self._kept.items() if now - kept.opened_at > self.longest_life]:
                self._drop(old)
            while len(self._kept) >= MOST_SESSIONS:
                self._drop(next(iter(self._kept)))
            kept = self._kept.get(name)
            if kept is None:
                kept = self._kept[name] = _Kept(Session(endpoint), now)
            kept.users += 1
            return kept

    def _give_back(self, kept: _Kept) -> None:
        with self._lock:
            kept.users -= 1
            if not kept.users and kept not in self._kept.values():
                kept.session.close()

    def _drop(self, name: str) -> None:
        kept = self._kept.pop(name)
        if not kept.users:
            kept.session.close()


def _name(endpoint: EndpointSpec) -> str:
    parts = (
        endpoint.base_url,
        endpoint.model,
        endpoint.api_key,
        dict(endpoint.parameters),
        endpoint.allow_private,
        sorted(endpoint.allowed_hosts),
    )
    return json.dumps(parts, sort_keys=True, default=str)
