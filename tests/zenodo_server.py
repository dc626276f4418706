"""A stub server with the HTTP API of Zenodo's deposits, as documented.

It stores what is deposited, and returns error statuses that a test has set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import unquote

RIGHT = "right-token"
"""The token that the server accepts."""
PLACE = "/api/deposit/depositions"


@dataclass
class Zenodo:
    """The data that an archive has received: requests in order, deposits, and the files of each."""

    fails: dict[str, int] = field(default_factory=dict)
    """The status to return, by method and a part of the requested address."""
    asked: list[str] = field(default_factory=list)
    deposits: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    bucket: str = ""
    """The address of buckets, if it is not on the archive's own server."""
    spoils: bool = False
    """Whether it stores other bytes than it has received."""
    address: str = ""


class Handler(BaseHTTPRequestHandler):
    """Handles requests for the archive of its server."""

    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        archive: Zenodo = self.server.archive  # type: ignore[attr-defined]  # set by `zenodo_server`
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        place = self.path.partition("?")[0]
        asked = f"{self.command} {place}"
        archive.asked.append(asked)
        status = next((code for part, code in archive.fails.items() if part in asked), 0)
        if self.headers.get("authorization") != f"Bearer {RIGHT}":
            status = 401
        answer: object = {"message": "Refused.", "errors": [{"field": "title", "message": "planned"}]}
        if not status:
            status, answer = _done(archive, self.command, place, body)
        data = json.dumps(answer).encode()
        self.send_response(status)
        if status in {301, 302, 307}:
            self.send_header("location", f"{archive.address}/elsewhere")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = _answer  # noqa: N815 - names of the library

    def log_message(self, *_words: object) -> None:
        """Print nothing."""


def _done(archive: Zenodo, method: str, place: str, body: bytes) -> tuple[int, object]:
    """Do what the request asks for, and return the response."""
    if place.startswith("/api/files/"):
        bucket, _slash, name = place.removeprefix("/api/files/").partition("/")
        kept = body[1:] if archive.spoils else body
        archive.files[bucket][unquote(name)] = kept
        return 201, {"key": name, "size": len(kept), "checksum": f"md5:{md5(kept).hexdigest()}"}  # noqa: S324 - as Zenodo does
    number, _slash, action = place.removeprefix(PLACE).lstrip("/").partition("/")
    if not number and method == "GET":
        return 200, archive.deposits[::-1]
    if not number:
        made = str(len(archive.deposits) + 1)
        archive.files[made] = {}
        bucket = archive.bucket or f"{archive.address}/api/files/{made}"
        links = {"bucket": bucket, "html": f"{archive.address}/deposit/{made}"}
        archive.deposits.append({"id": int(made), "submitted": False, "links": links})
        number = made
    deposit = archive.deposits[int(number) - 1]
    if action == "actions/publish":
        deposit |= {"submitted": True, "doi": f"10.5281/zenodo.{number}"}
        return 202, deposit
    doi = {"doi": f"10.5281/zenodo.{number}", "recid": int(number)}
    deposit["metadata"] = json.loads(body)["metadata"] | {"prereserve_doi": doi}
    return (201 if method == "POST" else 200), deposit


@contextmanager
def zenodo_server(archive: Zenodo) -> Iterator[Zenodo]:
    """Serve an archive on a free port until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.archive = archive  # type: ignore[attr-defined]  # read by each handler
        archive.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        try:
            yield archive
        finally:
            server.shutdown()
