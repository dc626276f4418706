"""Runs the WSGI application in a thread, and passes its response to the event loop."""

import asyncio
import contextlib
import logging
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, Any, Final

from core import request_id

logger = logging.getLogger(__name__)

Environ = dict[str, Any]
Header = tuple[bytes, bytes]
Headers = list[Header]

BLOCK: Final = 64 * 1024
"""The bytes of a response that are sent at once. The client has a limited time to read each block."""
AHEAD: Final = 256 * 1024 * 1024
"""The most bytes of a streamed response in the buffer; then the thread waits for the client to read."""


class FileWrapper:
    """The `wsgi.file_wrapper`: a response from an open file, sent without a request thread."""

    def __init__(self, file: IO[bytes], block_size: int = BLOCK) -> None:
        self.file = file
        self.close: Callable[[], None] = getattr(file, "close", lambda: None)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file in blocks, for code that expects an ordinary iterable."""
        while block := self.file.read(BLOCK):
            yield block


class Spool:
    """A buffer for a streamed response, between a request thread and the event loop.

    It is partly on disk.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._file = tempfile.SpooledTemporaryFile(max_size=4 * BLOCK)  # noqa: SIM115 - closed by the last user
        self._changed = threading.Condition()
        self._filled = asyncio.Event()
        self._written = self._read = 0
        self._is_complete = self._is_abandoned = False
        self.is_broken = False
        """Whether the application failed during the response, which must then not look complete."""

    def write(self, chunk: bytes) -> bool:
        """Append a chunk; wait if the client reads slowly. Return False if the response is abandoned."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_abandoned or self._written - self._read < AHEAD)
            if self._is_abandoned:
                return False
            self._file.seek(self._written)
            self._written += self._file.write(chunk)
        self._wake()
        return True

    def complete(self, *, is_broken: bool = False) -> None:
        """Record that the response is complete or, with `is_broken`, that the application has failed."""
        with self._changed:
            self._is_complete, self.is_broken = True, is_broken
            if self._is_abandoned:
                self._file.close()
        self._wake()

    def abandon(self) -> None:
        """Record that reading has ended. The reader or the writer, whichever ends last, closes the file."""
        with self._changed:
            self._is_abandoned = True
            if self._is_complete:
                self._file.close()
            self._changed.notify_all()

    async def read(self) -> bytes:
        """Return the next block, waiting until there is one; b"" at the end."""
        while True:
            self._filled.clear()
            with self._changed:
                self._file.seek(self._read)
                block = self._file.read(min(BLOCK, self._written - self._read))
                self._read += len(block)
                self._changed.notify_all()
                if block or self._is_complete:
                    return block
            await self._filled.wait()

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, so nothing reads the response
            self._loop.call_soon_threadsafe(self._filled.set)


@dataclass(slots=True)
class Response:
    """The status, headers and body of a response.

    The body is in memory, or the rest of it is in a file or spool.
    """

    status: int
    headers: Headers
    body: bytes = b""
    file: FileWrapper | None = None
    spool: Spool | None = None


class Exchange:
    """A request, and the response that a request thread computes for it."""

    def __init__(self, application: Any, environ: Environ, loop: asyncio.AbstractEventLoop) -> None:
        self._application, self._environ, self._loop = application, environ, loop
        self._answered: asyncio.Future[Response] = loop.create_future()
        self._status, self._headers = 500, Headers()

    async def response(
        self, pool: ThreadPoolExecutor, *, ended: Callable[[], object] | None = None
    ) -> Response:
        """Run the application in a thread of the pool; return its response as soon as it begins.

        If the client disconnects, the thread still completes the request. `ended` is called in the event loop
        when the thread is free again.
        """
        run = pool.submit(self._run)
        if ended:
            run.add_done_callback(lambda _run: self._wake(ended))
        return await self._answered

    def _run(self) -> None:
        """Run the application in the request thread, and pass its response to the event loop."""
        with self._environ["wsgi.input"]:
            if self._environ["REQUEST_METHOD"] in ("GET", "HEAD") and self._answered.done():
                return  # the client no longer waits for the page
            try:
                self._hand_over(self._application(self._environ, self._start_response))
            except Exception:
                logger.exception("The application failed.")
                plain = [(b"content-type", b"text/plain"), (b"content-length", b"21")]
                self._set_response(Response(500, plain, b"Internal Server Error"))
            finally:
                request_id.end()

    def _start_response(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
        self._status = int(status.split(" ", 1)[0])
        self._headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]

    def _hand_over(self, result: Iterable[bytes]) -> None:
        if isinstance(result, FileWrapper):
            self._hand_over_file(result)
        elif getattr(result, "streaming", True):
            self._hand_over_stream(result)
        else:
            with _closing(result):
                self._set_response(Response(self._status, self._headers, b"".join(result)))

    def _hand_over_file(self, wrapper: FileWrapper) -> None:
        try:
            wrapper.file.fileno()
        except (AttributeError, OSError):
            self._hand_over_stream(wrapper)
            return
        first = wrapper.file.read(BLOCK)
        if len(first) < BLOCK:
            wrapper.close()
            self._set_response(Response(self._status, self._headers, first))
        elif not self._set_response(Response(self._status, self._headers, first, file=wrapper)):
            wrapper.close()

    def _hand_over_stream(self, result: Iterable[bytes]) -> None:
        spool = Spool(self._loop)
        is_broken = False
        with _closing(result):
            try:
                if self._set_response(Response(self._status, self._headers, spool=spool)):
                    all(map(spool.write, result))
                else:
                    spool.abandon()
            except Exception:
                logger.exception("A streamed response failed.")
                is_broken = True
            finally:
                spool.complete(is_broken=is_broken)

    def _set_response(self, response: Response) -> bool:
        """Pass the response to the event loop; return False if the event loop no longer waits for it."""
        if self._answered.done():
            return False
        try:
            self._loop.call_soon_threadsafe(self._set, response)
        except RuntimeError:  # the loop has ended
            return False
        return True

    def _wake(self, ended: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(ended)

    def _set(self, response: Response) -> None:
        if not self._answered.done():
            self._answered.set_result(response)
        elif response.spool:
            response.spool.abandon()
        elif response.file:
            response.file.close()


@contextlib.contextmanager
def _closing(result: Iterable[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        if close := getattr(result, "close", None):
            close()
