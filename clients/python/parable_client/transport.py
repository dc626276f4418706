"""Sends requests to a site: retries, problems in words, pages of lists, files."""

from __future__ import annotations

import os
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Any, Final

import httpx2

TRIES: Final = 6
"""How often a request is sent before its failure is raised."""
LONGEST_WAIT: Final = 60.0
"""The most seconds between two tries."""
AGAIN: Final = frozenset({429, 502, 503, 504})
"""The statuses after which a request is sent again: the site is busy, or starts."""
BLOCK: Final = 1 << 20
_KEY: Final = "Idempotency-Key"
_TIMEOUT: Final = httpx2.Timeout(120.0, connect=10.0)


class Problem(Exception):
    """A refusal of the site.

    `status` is the HTTP status, `code` names the problem for programs ("not_found", "invalid", "conflict",
    ...), `fields` maps names of fields to what is wrong with them. The text is in the language of the user.
    """

    def __init__(self, status: int, said: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(said.get("code", ""))
        self.fields: dict[str, Any] = dict(said.get("fields") or {})
        super().__init__(str(said.get("detail") or f"The site answered with {status}."))


class Unreachable(Exception):
    """Raised if the site did not answer, however often it was asked."""


class Transport:
    """A connection to one site, as one user.

    A request that did not reach the site, or that the site was too busy for, is sent again after a pause that
    grows. A request that creates something carries a key, so that the site performs it once.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        tries: int = TRIES,
        wait: Callable[[float], object] = time.sleep,
        client: httpx2.Client | None = None,
    ) -> None:
        self.root = url.rstrip("/")
        self._tries, self._wait = tries, wait
        self._client = client or httpx2.Client(timeout=_TIMEOUT)
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def get(self, path: str, **params: Any) -> Any:
        """Return the JSON at a path below /api/v1/; parameters that are None are left out."""
        return self._json(self._send("GET", path, params=_named(params) or None))

    def send(
        self, method: str, path: str, body: Any = None, *, tag: str | None = None, key: str | None = None
    ) -> Any:
        """Send JSON and return the JSON of the response; None if it has none.

        `tag` is the ETag that was read: if the object has changed since, raise `Problem` with the status 412.
        `key` names what is done, such as the id of an event: done before with this key, it is not done again.
        """
        headers = {name: value for name, value in (("If-Match", tag), (_KEY, key)) if value is not None}
        return self._json(self._send(method, path, json={} if body is None else body, headers=headers))

    def upload(self, path: str, file: str | Path, **fields: Any) -> Any:
        """Send a file with fields as a form, and return the JSON of the response."""
        with Path(file).open("rb") as opened:
            sent: dict[str, tuple[str, IO[bytes]]] = {"file": (Path(file).name, opened)}
            return self._json(self._send("POST", path, files=sent, data=_named(fields), rewinds=opened))

    def download(self, path: str, target: str | Path) -> Path:
        """Write the file at a path to `target`, which is whole or not there, and return its path."""
        target = Path(target)
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with self._client.stream("GET", self._address(path), headers=self._headers) as response:
                if response.status_code >= httpx2.codes.BAD_REQUEST:
                    response.read()
                    raise _problem(response)
                with part.open("wb") as written:
                    for block in response.iter_bytes(BLOCK):
                        written.write(block)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return target

    def pages(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of a list, page by page, as they are asked for."""
        address: str | None = path
        named: dict[str, Any] = _named(params)
        while address:
            # an empty dict would take the query out of the address of the next page
            response = self._send("GET", address, params=named or None)
            found = response.json()
            if isinstance(found, list):  # an older list, whose next page is named in a header
                yield from found
                address = response.links.get("next", {}).get("url")
            else:
                yield from found["results"]
                address = found["next"]
            named = {}

    def _address(self, path: str) -> str:
        """Return the address of a path; one that the site gave out is taken as a path of this site."""
        if "://" in path:
            path = httpx2.URL(path).raw_path.decode()
        if path.startswith("/"):
            return f"{self.root}{path}"
        return f"{self.root}/api/v1/{path}"

    def _send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        rewinds: IO[bytes] | None = None,
        **sent: Any,
    ) -> httpx2.Response:
        named = {
            **self._headers,
            **({_KEY: str(uuid.uuid4())} if method == "POST" else {}),
            **(headers or {}),
        }
        for attempt in range(1, self._tries + 1):
            if rewinds is not None:
                rewinds.seek(0)
            try:
                response = self._client.request(method, self._address(path), headers=named, **sent)
            except httpx2.TransportError as error:
                if attempt == self._tries:
                    raise Unreachable(f"{self.root} does not answer: {error}") from error
                self._wait(_pause(attempt, None))
                continue
            if response.status_code not in AGAIN or attempt == self._tries:
                break
            self._wait(_pause(attempt, response.headers.get("Retry-After")))
        if response.status_code >= httpx2.codes.BAD_REQUEST:
            raise _problem(response)
        return response

    @staticmethod
    def _json(response: httpx2.Response) -> Any:
        return response.json() if response.content else None


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _problem(response: httpx2.Response) -> Problem:
    try:
        said = response.json()
    except ValueError:
        said = {}
    return Problem(response.status_code, said if isinstance(said, dict) else {})


def _pause(attempt: int, asked: str | None) -> float:
    """Return the seconds to the next try: what the site asked for, else 1, 2, 4, ... and a random part."""
    if asked and asked.isdigit():
        return min(float(asked), LONGEST_WAIT)
    if asked:
        try:
            return min(max(0.0, parsedate_to_datetime(asked).timestamp() - time.time()), LONGEST_WAIT)
        except ValueError:
            pass
    return min(2.0 ** (attempt - 1), LONGEST_WAIT) * random.uniform(0.5, 1)  # noqa: S311 - spreads the tries
