"""Keeps the live server off the database before a test's rows are deleted.

When a page closes, requests are still under way: those that the server is handling, and beacons that Chromium
sends afterwards. A request that came while the tables were emptied caused a deadlock, or left a row for the
next test.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from django.core.handlers.wsgi import WSGIHandler

Start = Callable[..., Any]
Answer = Callable[[WSGIHandler, dict[str, Any], Start], Iterable[bytes]]


class Gate:
    """Counts the requests being handled; requests to a shut port get 503 without using the database."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._changed = threading.Condition()
        self._being_answered = 0
        self._shut: set[str] = set()

    def __call__(self, handler: WSGIHandler, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """Handle the request, or refuse it if the gate is shut for its port."""
        with self._changed:
            if environ["SERVER_PORT"] in self._shut:
                start("503 Service Unavailable", [("Content-Length", "0")])
                return []
            self._being_answered += 1
        try:
            return self._answer(handler, environ, start)
        finally:
            with self._changed:
                self._being_answered -= 1
                self._changed.notify_all()

    def as_method(self) -> Answer:
        """Return the gate as a function, which a class binds to its instances as a method."""

        def call(handler: WSGIHandler, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
            return self(handler, environ, start)

        return call

    def open(self, port: int) -> None:
        """Let requests to this port pass."""
        with self._changed:
            self._shut.discard(str(port))

    def shut(self, port: int, seconds: float = 30) -> None:
        """Refuse new requests to this port, and wait until all requests are handled.

        Raise `TimeoutError` if they are not handled in time. Other ports stay open, for sites that outlive a
        test.
        """
        with self._changed:
            self._shut.add(str(port))
            if not self._changed.wait_for(lambda: not self._being_answered, seconds):
                raise TimeoutError(self._being_answered)
