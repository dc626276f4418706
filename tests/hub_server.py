"""A stub server with the HTTP API of a data set hub, as huggingface_hub 2.4.0 uses it.

It stores what is committed, and returns error statuses that a test has set. Large files use Git LFS.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

RIGHT = "hf_right"
"""The token that the server accepts."""
LARGE = 2_000
"""The number of bytes from which this hub requires Git LFS for a file."""


@dataclass
class Hub:
    """The data that a hub has received: requests, repositories by visibility, commits, tags and objects."""

    accepted: str = RIGHT
    fails: dict[str, int] = field(default_factory=dict)
    """The status to return, by a part of the requested address."""
    repeats_tokens: bool = False
    """Whether errors contain the token that was sent, as those of a careless server would."""
    asked: list[str] = field(default_factory=list)
    visibility: dict[str, str] = field(default_factory=dict)
    commits: list[dict[str, bytes]] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    address: str = ""


class Handler(BaseHTTPRequestHandler):
    """Handles requests for the hub of its server."""

    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        hub: Hub = self.server.hub  # type: ignore[attr-defined]  # set by `hub_server`
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        place = self.path.partition("?")[0]
        hub.asked.append(f"{self.command} {place}")
        status = next((code for part, code in hub.fails.items() if part in place), 200)
        if not place.startswith("/upload/") and self.headers.get("authorization") != f"Bearer {hub.accepted}":
            status = 401
        elif self.command == "GET" and place.removeprefix("/api/datasets/") not in hub.visibility:
            status = 404
        said = self.headers.get("authorization") if hub.repeats_tokens else "planned"
        answer = _done(hub, place, body) if status == 200 else {"error": said}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = _answer  # noqa: N815 - names of the library

    def log_message(self, *_words: object) -> None:
        """Print nothing."""


def _done(hub: Hub, place: str, body: bytes) -> dict[str, Any]:
    """Do what the request asks for, and return the response."""
    if place.startswith("/upload/"):
        hub.objects[place.removeprefix("/upload/")] = body
    elif place == "/api/repos/create":
        asked = json.loads(body)
        name = f"{asked['organization']}/{asked['name']}"
        hub.visibility.setdefault(name, asked.get("visibility", "public"))
        return {"url": f"{hub.address}/datasets/{name}", "name": name, "id": "1"}
    elif "/preupload/" in place:
        return {"files": [_planned(one) for one in json.loads(body)["files"]]}
    elif place.endswith("/info/lfs/objects/batch"):
        wanted = json.loads(body)["objects"]
        uploads = [{"actions": {"upload": {"href": f"{hub.address}/upload/{one['oid']}"}}} for one in wanted]
        return {"transfer": "basic", "objects": [one | to for one, to in zip(wanted, uploads, strict=True)]}
    elif "/commit/" in place:
        return _commit(hub, body, place.removeprefix("/api").partition("/commit/")[0])
    elif "/tag/" in place:
        hub.tags[json.loads(body)["tag"]] = place.rpartition("/")[2]
    return {}


def _planned(file: dict[str, Any]) -> dict[str, Any]:
    mode = "lfs" if file["size"] >= LARGE else "regular"
    return {"path": file["path"], "uploadMode": mode, "shouldIgnore": False}


def _commit(hub: Hub, body: bytes, place: str) -> dict[str, Any]:
    files: dict[str, bytes] = {}
    for line in map(json.loads, body.splitlines()):
        value = line["value"]
        if line["key"] == "header":
            hub.summaries.append(value["summary"])
        elif line["key"] == "lfsFile":
            files[value["path"]] = hub.objects[value["oid"]]
            assert hashlib.sha256(files[value["path"]]).hexdigest() == value["oid"]
        else:
            files[value["path"]] = base64.b64decode(value["content"])
    hub.commits.append(files)
    oid = f"{len(hub.commits):040x}"
    return {"success": True, "commitOid": oid, "commitUrl": f"{hub.address}{place}/commit/{oid}"}


@contextmanager
def hub_server(hub: Hub) -> Iterator[Hub]:
    """Serve a hub on a free port, and set its address, until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.hub = hub  # type: ignore[attr-defined]  # read by each handler
        hub.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield hub
        finally:
            server.shutdown()
