"""Receives a request's body, with limits on size and duration, in memory or in a temporary file."""

import asyncio
import contextlib
import tempfile
from collections.abc import Awaitable, Callable
from typing import IO, Any, Final

Receive = Callable[[], Awaitable[dict[str, Any]]]

IN_MEMORY: Final = 64 * 1024
"""Bytes of a body held in memory; a larger one goes to a temporary file."""
PATIENCE: Final = 20.0
"""Seconds that any body may take, however slow."""
LEAST_RATE: Final = 4096
"""Minimum bytes per second after the first `PATIENCE` seconds."""
LINGER: Final = 30.0
"""Seconds for which the rest of a refused body is discarded, so that the client reads the refusal."""
SILENCE: Final = 1.0
"""Seconds without data after which the rest of a refused body is no longer waited for."""


class TooLarge(Exception):
    """Raised if the body is larger than this view accepts from this user."""


class TooSlow(Exception):
    """Raised if the body arrives more slowly than the minimum rate."""


class Gone(Exception):
    """Raised if the client disconnected before its body was complete."""


def new_file() -> IO[bytes]:
    """Return a temporary file for a body, which is in memory while it is small."""
    return tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)


async def receive_body(receive: Receive, file: IO[bytes], *, most: int) -> int:
    """Write the body to the file, rewind the file, and return the body's size."""
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
    """Read and discard the rest of a body, for a limited time.

    A connection closed with unread bytes is reset, and the reset may arrive before the response.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while (await asyncio.wait_for(receive(), SILENCE)).get("more_body", False):
                pass
