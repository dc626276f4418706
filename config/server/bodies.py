"""Receives the body of a request in memory or a temporary file, with limits on size and duration."""

import asyncio
import contextlib
import tempfile
from collections.abc import Awaitable, Callable
from typing import IO, Any, Final

Receive = Callable[[], Awaitable[dict[str, Any]]]

IN_MEMORY: Final = 64 * 1024
"""The most bytes of a body in memory; a larger body is written to a temporary file."""
PATIENCE: Final = 20.0
"""The seconds that every body may take, regardless of its size."""
LEAST_RATE: Final = 4096
"""The minimum rate, in bytes per second, for bodies that take longer than `PATIENCE`."""
LINGER: Final = 30.0
"""The most seconds for which the rest of a refused body is read, so that the client gets the response."""
SILENCE: Final = 1.0
"""The seconds without data after which the rest of a refused body is given up."""


class TooLarge(Exception):
    """Raised if a body is larger than the view accepts from this user."""


class TooSlow(Exception):
    """Raised if a body arrives more slowly than the minimum rate."""


class Gone(Exception):
    """Raised if the client disconnects before its body is complete."""


def new_file() -> IO[bytes]:
    """Return a temporary file for a body; small files are only in memory."""
    return tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)


async def receive_body(receive: Receive, file: IO[bytes], *, most: int) -> int:
    """Write the body to `file` and rewind it; return the size in bytes.

    Raises `TooLarge` for more than `most` bytes, `TooSlow` or `Gone`.
    """
    loop = asyncio.get_running_loop()
    start, size, more = loop.time(), 0, True
    while more:
        try:
            async with asyncio.timeout_at(start + PATIENCE + size / LEAST_RATE):
                message = await receive()
        except TimeoutError:
            raise TooSlow from None
        if message["type"] == "http.disconnect":
            raise Gone
        chunk, more = message.get("body", b""), message.get("more_body", False)
        size += len(chunk)
        if size > most:
            raise TooLarge
        file.write(chunk)
    file.seek(0)
    return size


async def discard_rest(receive: Receive) -> None:
    """Read and discard the rest of a refused body, for a limited time.

    If a connection is closed with unread bytes, it is reset, and the client may not get the response.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while (await asyncio.wait_for(receive(), SILENCE)).get("more_body", False):
                pass
