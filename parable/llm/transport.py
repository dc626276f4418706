"""HTTP transport for the vendor's client: pinned addresses, an overall deadline, a size limit.

The vendor's client uses httpx2, whose connection pool takes a network backend of ours. So the host is never
resolved again, TLS and the Host header still use its name, and a server that sends one byte a second is cut
off at the deadline. The API key is added here, as the last step: no object of the vendor's holds it, and no
header that the vendor adds from environment variables is sent.
"""

from __future__ import annotations

import functools
import os
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpcore2
import httpx2

from parable.llm.addresses import Target
from parable.llm.errors import Garbage

LARGEST_BODY = 8_000_000
CONNECT_SECONDS = 10.0
USER_AGENT = "parable"

_SENT_HEADERS = frozenset({"host", "content-type", "content-length", "transfer-encoding", "accept"})
_SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
# Each thread sends one request at a time, even if it shares connections with other threads.
_deadline: ContextVar[float] = ContextVar("deadline")
_before_sending: ContextVar[Callable[[], object] | None] = ContextVar("before_sending", default=None)


@contextmanager
def deadline_after(seconds: float) -> Iterator[None]:
    """Set a deadline, `seconds` from now, for everything sent and received inside the block."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


@contextmanager
def before_sending(call: Callable[[], object]) -> Iterator[None]:
    """Inside the block, call `call` once, after connecting and just before a request is sent."""
    token = _before_sending.set(call)
    try:
        yield
    finally:
        _before_sending.reset(token)


class PinnedTransport(httpx2.BaseTransport):
    """A transport that connects to one resolved target only.

    `also` are the names, in lower case, of further headers to send. With `most`, only so many bytes of a
    response are read, and the rest is left; without, a response that is too large is an error.
    """

    def __init__(
        self,
        target: Target,
        *,
        api_key: str,
        connections: int = 100,
        also: frozenset[str] = frozenset(),
        most: int | None = None,
    ) -> None:
        self._target = target
        self._api_key = api_key
        self._sent = _SENT_HEADERS | also
        self._most = most
        url = target.url
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_load_tls_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
            if url.scheme == "https"
            else None,
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=30.0,
            network_backend=_PinnedBackend(target),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its complete response; raise httpx2 errors, or Garbage if too large."""
        with _translated_errors():
            answer = self._pool.handle_request(self._outgoing(request))
            try:
                return _read(answer, request, self._most)
            finally:
                answer.close()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def _outgoing(self, request: httpx2.Request) -> httpcore2.Request:
        headers = [
            (name, value) for name, value in request.headers.raw if name.lower().decode() in self._sent
        ]
        headers += [(b"User-Agent", USER_AGENT.encode()), (b"Accept-Encoding", b"gzip")]
        if self._api_key:
            headers.append((b"Authorization", b"Bearer " + self._api_key.encode("ascii")))
        return httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=headers,
            content=request.read(),
            extensions={"timeout": request.extensions.get("timeout", {})},
        )


class _PinnedBackend(httpcore2.NetworkBackend):
    """A network backend that connects to the verified addresses, in order, and never resolves a host."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._backend = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[_SocketOption] | None = None,
    ) -> httpcore2.NetworkStream:
        url = self._target.url
        if (host.strip("[]"), port) != (url.host, url.port):
            raise httpcore2.ConnectError("not the pinned host")
        failure: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in self._target.addresses:
            try:
                limit = min(CONNECT_SECONDS, _time_left(timeout, httpcore2.ConnectTimeout))
                return _LimitedStream(
                    self._backend.connect_tcp(address, port, limit, local_address, socket_options)
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore2.ConnectError("no address")


class _LimitedStream(httpcore2.NetworkStream):
    """A connection on which every operation ends at the deadline of the request that uses it."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _time_left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        announce = _before_sending.get()
        if announce is not None:
            _before_sending.set(None)
            announce()
        self._stream.write(buffer, _time_left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        limit = min(CONNECT_SECONDS, _time_left(timeout, httpcore2.ConnectTimeout))
        return _LimitedStream(self._stream.start_tls(ssl_context, server_hostname, limit))

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _time_left(timeout: float | None, too_late: type[httpcore2.TimeoutException]) -> float:
    left = _deadline.get() - time.monotonic()
    if left <= 0:
        raise too_late("deadline")
    return left if timeout is None else min(left, timeout)


def _read(answer: httpcore2.Response, request: httpx2.Request, most: int | None) -> httpx2.Response:
    # Decoded bytes are counted: a small compressed body can expand to a very large one.
    packed = httpx2.Response(answer.status, headers=answer.headers, stream=_Body(answer))
    body = bytearray()
    for chunk in packed.iter_bytes():
        body += chunk
        if most is not None and len(body) >= most:
            del body[most:]
            break
        if len(body) > LARGEST_BODY:
            raise Garbage(code="too_large", heals=False)
    dropped = {"content-encoding", "content-length", "transfer-encoding"}
    headers = [(name, value) for name, value in packed.headers.multi_items() if name.lower() not in dropped]
    return httpx2.Response(answer.status, headers=headers, content=bytes(body), request=request)


class _Body(httpx2.SyncByteStream):
    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except httpcore2.ProtocolError as error:
        raise httpx2.RemoteProtocolError(str(error)) from error
    except (httpcore2.ReadError, httpcore2.WriteError) as error:
        raise httpx2.ReadError(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.UnsupportedProtocol) as error:
        raise httpx2.ConnectError(str(error)) from error


@functools.lru_cache(maxsize=4)
def _load_tls_context(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    return httpx2.create_ssl_context()
