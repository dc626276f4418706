"""A TCP proxy before a server of the tests, which refuses, hangs or resets when asked."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from types import TracebackType
from typing import Literal, Self

Cut = Literal["refuse", "hang", "reset"]
Address = str | tuple[str, int]


class Proxy:
    """Passes bytes on between loopback and `target` (a socket's path, or host and port)."""

    def __init__(self, target: Address) -> None:
        self._target = target
        self._flows = threading.Event()
        self._flows.set()
        self._resets = False
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = _listen(0)
        self.port = int(self._listener.getsockname()[1])
        self._accept()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self._flows.set()
        self._reset_all()

    def cut(self, how: Cut) -> None:
        """Refuse new connections and end those that are; or keep all of them waiting; or reset each one."""
        if how == "hang":
            self._flows.clear()
            return
        self._resets = True
        if how == "refuse":
            _shut(self._listener)
        self._reset_all()

    def mend(self) -> None:
        """Pass everything on again."""
        self._resets = False
        self._flows.set()
        if self._listener.fileno() == -1:
            self._listener = _listen(self.port)
            self._accept()

    def _accept(self) -> None:
        threading.Thread(target=self._accept_from, args=(self._listener,), daemon=True).start()

    def _accept_from(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _peer = listener.accept()
                if self._resets:
                    _reset(client)
                else:
                    self._join(client)

    def _join(self, client: socket.socket) -> None:
        try:
            server = _connect(self._target)
        except OSError:
            _reset(client)
            return
        with self._lock:
            self._open |= {client, server}
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                sink.sendall(data)
        with self._lock:
            self._open -= {source, sink}
        for each in (source, sink):
            _shut(each)

    def _reset_all(self) -> None:
        with self._lock:
            connections, self._open = self._open, set()
        for each in connections:
            _reset(each)


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(100)
    return listener


def _connect(target: Address) -> socket.socket:
    if isinstance(target, tuple):
        return socket.create_connection(target)
    server = socket.socket(socket.AF_UNIX)
    server.connect(target)
    return server


def _reset(connection: socket.socket) -> None:
    """Close with RST where the connection is of TCP."""
    with contextlib.suppress(OSError):
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    _shut(connection)


def _shut(connection: socket.socket) -> None:
    """Close a socket, and wake the thread that reads from it: it would keep the connection open."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
