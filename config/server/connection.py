"""A connection with time limits for headers, for being idle, and for reading a response."""

import asyncio
from typing import TYPE_CHECKING, Any, Final

from gunicorn.asgi import protocol
from gunicorn.asgi.protocol import ASGIProtocol

if TYPE_CHECKING:
    from config.server.worker import Worker

# Gunicorn has no setting that omits its `Server` header.
protocol._CACHED_SERVER_HEADER = b""  # noqa: SLF001

READING: Final = 60.0
"""The seconds in which a client must read each block of a response."""


class Connection(ASGIProtocol):  # type: ignore[misc]  # gunicorn has no annotations
    """Gunicorn's ASGI connection, with additional time limits."""

    worker: "Worker"

    def __init__(self, worker: "Worker") -> None:
        super().__init__(worker)
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the time limits, and register the connection with the worker.

        The worker may then drop another connection.
        """
        super().connection_made(transport)
        # Gunicorn starts this timer only between requests; the first request gets the same limit here.
        self._arm_keepalive_timer()
        self.worker.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection, and cancel its timers."""
        self._stop_reading_timer()
        self.worker.connections.pop(self, None)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start a timer, since the client is not reading the response."""
        super().pause_writing()
        self._start_reading_timer()

    def resume_writing(self) -> None:
        """Stop the timer, since the client has read a block of the response."""
        super().resume_writing()
        if not self.is_closing:
            self._stop_reading_timer()

    @property
    def is_closing(self) -> bool:
        """Whether the connection is closed for reading."""
        return bool(self._closed)

    @property
    def is_incomplete(self) -> bool:
        """Whether the connection is idle, or its current request has not arrived completely."""
        receiver = self._body_receiver
        return receiver is None or not receiver._complete  # noqa: SLF001 - gunicorn has no public name for it

    @property
    def is_idle(self) -> bool:
        """Whether the connection is between two requests."""
        return bool(self._awaiting_request)

    def drop(self) -> None:
        """Close the connection without waiting for the client."""
        self.transport.abort()

    def _close_transport(self) -> None:
        """Close the transport, but drop data that the client does not read in time."""
        super()._close_transport()
        if not self._conn_lost_handled:
            self._start_reading_timer()

    def _start_reading_timer(self) -> None:
        self._stop_reading_timer()
        self._reading = self.worker.loop.call_later(READING, self.drop)

    def _stop_reading_timer(self) -> None:
        if self._reading:
            self._reading.cancel()
            self._reading = None
