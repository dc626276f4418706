"""Posts a message to a server that users have named, over the same transport as calls to models.

So the host is resolved once, each of its addresses is checked, and redirects are not followed.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from parable.llm.addresses import keeps_keys_private, resolve
from parable.llm.errors import AddressRefused, Garbage, LlmError, TimedOut, Unreachable

READ_BYTES: Final = 4_000
"""The bytes of a response that are read; the rest of a longer one is left."""
IN_THE_CLEAR: Final = "address_in_the_clear"


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to a message: its status, the beginning of its body, and the seconds that it took."""

    status: int
    beginning: str
    seconds: float


def post(
    origin: str,
    path: str,
    *,
    content: bytes,
    headers: Mapping[str, str],
    timeout: float,
    allowed_hosts: frozenset[str] = frozenset(),
) -> Reply:
    """Post a message to a path of a server and return its response, whatever the status.

    `origin` is a URL without a path. `timeout` is for everything together, in seconds. Raises AddressRefused
    if the server may not be called, also by http:// to another machine; Unreachable, TimedOut or Garbage if
    there is no response.
    """
    import httpx2

    from parable.llm.transport import PinnedTransport, deadline_after

    began = time.perf_counter()
    target = resolve(origin, allowed_hosts=allowed_hosts, timeout=timeout)
    if not keeps_keys_private(target):
        raise AddressRefused(code=IN_THE_CLEAR)
    left = max(timeout - (time.perf_counter() - began), 0.1)
    transport = PinnedTransport(target, api_key="", also=frozenset(map(str.lower, headers)), most=READ_BYTES)
    try:
        with (
            deadline_after(left),
            httpx2.Client(transport=transport, follow_redirects=False, trust_env=False) as client,
        ):
            answer = client.post(f"{target.url}{path}", content=content, headers=dict(headers), timeout=left)
    except httpx2.HTTPError as error:
        raise _failure(error) from None
    beginning = answer.content.decode("utf-8", "replace").replace("\x00", "")
    return Reply(answer.status_code, beginning, time.perf_counter() - began)


def _failure(error: Exception) -> LlmError:
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        return TimedOut()
    if any(isinstance(link, ssl.SSLError) for link in _causes(error)):
        return Unreachable(code="tls_failed", heals=False)
    if isinstance(error, httpx2.ReadError | httpx2.RemoteProtocolError):
        return Unreachable(code="connection_lost")
    return Garbage() if isinstance(error, httpx2.DecodingError) else Unreachable()


def _causes(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__
