"""The ASGI application in front of Django: it receives bodies, runs threads, and sends responses."""

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from io import BytesIO
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.db import DatabaseError

from accounts.hasher import AT_ONCE
from config.health import Health, check_database, check_redis
from config.metrics import Metrics
from config.middleware import REFUSED
from config.observation import ARRIVED
from config.server.bodies import Gone, Receive, TooLarge, TooSlow, discard_rest, new_file, receive_body
from config.server.limits import address_of, hashes_password, largest_body
from config.server.responses import BLOCK, Environ, Exchange, FileWrapper, Header, Response
from config.server.turns import NoTurn, Turns

logger = logging.getLogger(__name__)

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]


QUEUE: Final = 64
"""The most requests with a password that wait for a thread in one process."""
PATIENCE: Final = 20.0
"""The most seconds that such a request waits. Forty take seven seconds on two processes with a core each."""
BREATH: Final = 2.0
"""The seconds after which a request is refused if the queue is full, which slows down repetitions."""
SAYS_EVERY: Final = 60.0
"""The least seconds between two log lines about refusals."""


class Front:
    """Receives complete requests, runs the WSGI application in threads, and sends its responses.

    Requests that hash a password have threads of their own, so that they take none from signed-in users. They
    occupy no thread while they wait.
    """

    def __init__(self, application: Any, *, threads: int) -> None:
        self._application = application
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._password_pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="password")
        self._turns = Turns(AT_ONCE, most=QUEUE)
        self._one_refusal = asyncio.Lock()
        self._refused, self._says_at = 0, float("-inf")
        self._health = Health(database=check_database, redis=check_redis)
        self._metrics = Metrics(settings.METRICS_TOKEN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        if answer := await self._health.answer(scope["method"], scope["path"]):
            await _send_text(send, scope, *answer)
            return
        environ = environ_of(scope)
        if figures := await self._metrics.answer(environ):
            await _send_text(send, scope, *figures)
            return
        try:
            await self._receive(environ, receive)
        except Gone:
            return
        except TooSlow:
            await _send_text(send, scope, HTTPStatus.REQUEST_TIMEOUT, "The request came too slowly.\n")
            return
        except DatabaseError:
            environ[REFUSED] = HTTPStatus.SERVICE_UNAVAILABLE
        except TooLarge:
            environ[REFUSED] = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        except OSError:
            environ[REFUSED] = HTTPStatus.INSUFFICIENT_STORAGE
        environ[ARRIVED] = time.perf_counter()
        await self._respond(environ, scope, send)
        if REFUSED in environ:
            await discard_rest(receive)

    async def _receive(self, environ: Environ, receive: Receive) -> None:
        """Receive the body as the environ's `wsgi.input`. Raise an error if it is too large or too slow."""
        declared = environ.get("CONTENT_LENGTH", "")
        is_chunked = "HTTP_TRANSFER_ENCODING" in environ
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        environ["CONTENT_LENGTH"] = "0"
        if not is_chunked and declared in ("", "0"):
            return
        most = settings.SMALL_BODY
        if is_chunked or int(declared) > most:
            most = await asyncio.get_running_loop().run_in_executor(self._pool, largest_body, environ)
        if not is_chunked and int(declared) > most:
            raise TooLarge
        file = new_file()
        try:
            environ["CONTENT_LENGTH"] = str(await receive_body(receive, file, most=most))
        except BaseException:
            file.close()
            raise
        environ["wsgi.input"] = file

    async def _respond(self, environ: Environ, scope: Scope, send: Send) -> None:
        response = await self._answer(environ)
        headers = response.headers
        if REFUSED in environ:
            headers = [*headers, (b"connection", b"close")]
        try:
            await send({"type": "http.response.start", "status": response.status, "headers": headers})
            if scope["method"] == "HEAD" or response.status in (204, 304):
                await send({"type": "http.response.body"})
            else:
                await _send_body(send, response)
        finally:
            if response.spool:
                response.spool.abandon()
            if response.file:  # closing ends Django's request, which cleans up its thread's connection
                self._pool.submit(response.file.close)

    async def _answer(self, environ: Environ) -> Response:
        loop = asyncio.get_running_loop()
        exchange = Exchange(self._application, environ, loop)
        if REFUSED in environ or not hashes_password(environ):
            return await exchange.response(self._pool)
        try:
            async with asyncio.timeout(PATIENCE):
                await self._turns.take(address_of(environ))
        except NoTurn:
            await asyncio.sleep(BREATH)
        except TimeoutError:
            pass
        else:
            return await exchange.response(self._password_pool, ended=self._turns.give_back)
        self._refused += 1
        if loop.time() >= self._says_at:  # at most one line per interval
            logger.warning("Too many sign in at the same time; told to come again: %d.", self._refused)
            self._refused, self._says_at = 0, loop.time() + SAYS_EVERY
        async with self._one_refusal:  # one at a time, since rendering this page must not use up all threads
            refused = environ | {REFUSED: HTTPStatus.TOO_MANY_REQUESTS}
            return await Exchange(self._application, refused, loop).response(self._pool)


async def _send_body(send: Send, response: Response) -> None:
    body = response.body
    for start in range(0, len(body), BLOCK):
        await _send_block(send, body[start : start + BLOCK])
    if response.file:
        while block := await asyncio.to_thread(response.file.file.read, BLOCK):
            await _send_block(send, block)
    if response.spool:
        while block := await response.spool.read():
            await _send_block(send, block)
        if response.spool.is_broken:
            raise asyncio.CancelledError  # closes the connection: the client sees that the rest is missing
    await send({"type": "http.response.body"})


async def _send_block(send: Send, block: bytes) -> None:
    await send({"type": "http.response.body", "body": block, "more_body": True})


_SAFE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"same-origin"),
)
"""What the middleware adds to the responses of Django; these here are sent without it."""


async def _send_text(send: Send, scope: Scope, status: int, text: str, *more: Header) -> None:
    body = text.encode()
    kind = b"application/json" if text.startswith("{") else b"text/plain; charset=utf-8"
    headers = [
        *(more or [(b"content-type", kind)]),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *_SAFE,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def environ_of(scope: Scope) -> Environ:
    """Return the WSGI environ of an ASGI request, with an empty body."""
    server, client = scope.get("server") or ("localhost", 0), scope.get("client") or ("", 0)
    path = unquote_to_bytes(scope["raw_path"].split(b"?", 1)[0]) if scope["raw_path"] else b"/"
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": scope["root_path"],
        "PATH_INFO": path.decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1] or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str(client[0]),
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.file_wrapper": FileWrapper,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ
