"""A receiver of webhooks on loopback, which keeps what it gets and answers as a test asks it to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Message:
    """A delivery as it was received, and the status with which it was answered."""

    path: str
    headers: dict[str, str]
    body: bytes
    status: int

    @property
    def event(self) -> dict[str, Any]:
        """The event in the body."""
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass
class Receiver:
    """What was received. `answer` returns the status for an event; `reply` is the body of each response."""

    answer: Callable[[dict[str, Any]], int] = lambda _event: 204
    reply: str = ""
    location: str = ""
    messages: list[Message] = field(default_factory=list)
    url: str = ""

    @property
    def accepted(self) -> list[dict[str, Any]]:
        """The events that were answered with a status 2xx, in the order of their arrival."""
        return [message.event for message in self.messages if 200 <= message.status < 300]


class Handler(BaseHTTPRequestHandler):
    """Receives a delivery for the receiver of its server."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Keep the delivery and answer it."""
        receiver: Receiver = self.server.receiver  # type: ignore[attr-defined]  # set by `receiving`
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        status = receiver.answer(json.loads(body))
        headers = {name.lower(): value for name, value in self.headers.items()}
        receiver.messages.append(Message(self.path, headers, body, status))
        data = b"" if status == 204 else receiver.reply.encode()
        self.send_response(status)
        if receiver.location:
            self.send_header("location", receiver.location)
        if status != 204:
            self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_words: object) -> None:
        """Print nothing."""


@contextmanager
def receiving(receiver: Receiver, *, port: int = 0) -> Iterator[Receiver]:
    """Serve a receiver on a port, or a free one, and set its address, until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        server.receiver = receiver  # type: ignore[attr-defined]  # read by each handler
        receiver.url = f"http://127.0.0.1:{server.server_port}/hook/"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield receiver
        finally:
            server.shutdown()
