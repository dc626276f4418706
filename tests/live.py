"""The live server lets go of the database before a test's rows are taken away.

A page that closes still has words on the way: requests that the server is answering, and beacons that
Chromium sends when the page is gone. One that came while the tables were emptied stopped the emptying (a
deadlock), or left a row for the next test.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from django.core.handlers.wsgi import WSGIHandler

Start = Callable[..., Any]
Answer = Callable[[WSGIHandler, dict[str, Any], Start], Iterable[bytes]]


class Gate:
    """Counts the requests being answered; a port that is shut answers with 503 and asks no database."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._changed = threading.Condition()
        self._being_answered = 0
        self._shut: set[str] = set()

    def __call__(self, handler: WSGIHandler, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """Answer as the handler would, or refuse where the gate is shut."""
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
        """Return the gate in the shape in which a class binds it to its handlers."""

        def call(handler: WSGIHandler, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
            return self(handler, environ, start)

        return call

    def open(self, port: int) -> None:
        """Let requests in that come to this port."""
        with self._changed:
            self._shut.discard(str(port))

    def shut(self, port: int, seconds: float = 30) -> None:
        """Let none in at this port, and wait until those inside are answered; an error where they never are.

        Others stay open: a site that outlives a test runs beside the server of tests.
        """
        with self._changed:
            self._shut.add(str(port))
            if not self._changed.wait_for(lambda: not self._being_answered, seconds):
                raise TimeoutError(self._being_answered)
