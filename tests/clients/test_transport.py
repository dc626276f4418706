"""How the client asks a site that is busy, away, or says no: over real HTTP, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from parable_client import Problem, Site, Unreachable
from parable_client.transport import LONGEST_WAIT, Transport, _pause

from tests.config.programs import free_port


class Server(ThreadingHTTPServer):
    """Answers with what it was given, in turn, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def says(self, status: int, body: Any = None, **headers: str) -> None:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append(
            (status, {name.replace("_", "-"): value for name, value in headers.items()}, sent)
        )


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, dict(self.headers), body))
        status, headers, sent = self.server.answers.pop(0)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - names of the base class

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def http(server: Server, waits: list[float]) -> Transport:
    return Transport(server.url, "parable_x", wait=waits.append)


def test_it_sends_its_token(server: Server, http: Transport) -> None:
    server.says(200, {"a": 1})
    assert http.get("me/", q=None, limit=2) == {"a": 1}
    method, path, headers, _body = server.asked[0]
    assert (method, path) == ("GET", "/api/v1/me/?limit=2")
    assert headers["Authorization"] == "Bearer parable_x"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_it_asks_a_busy_site_again_with_the_same_key(
    server: Server, http: Transport, waits: list[float], status: int
) -> None:
    server.says(status, {}, Retry_After="7")
    server.says(status, {})
    server.says(201, {"id": 1})
    assert http.send("POST", "projects/", {"slug": "a"}) == {"id": 1}
    assert waits[0] == 7
    assert 1 <= waits[1] <= 2
    keys = {headers["Idempotency-Key"] for _method, _path, headers, _body in server.asked}
    assert len(keys) == 1
    assert len(server.asked) == 3


def test_each_request_that_creates_has_a_key_of_its_own(server: Server, http: Transport) -> None:
    for _each in range(2):
        server.says(201, {})
        http.send("POST", "projects/")
    assert len({headers["Idempotency-Key"] for _method, _path, headers, _body in server.asked}) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 422, 500])
def test_a_refusal_is_raised_at_once_in_the_words_of_the_site(
    server: Server, http: Transport, status: int
) -> None:
    server.says(status, {"detail": "Too long.", "code": "invalid", "fields": {"name": "Too long."}})
    with pytest.raises(Problem, match=r"Too long\.") as refused:
        http.get("me/")
    assert (refused.value.status, refused.value.code) == (status, "invalid")
    assert refused.value.fields == {"name": "Too long."}
    assert len(server.asked) == 1


def test_a_refusal_without_words_names_its_status(server: Server, http: Transport) -> None:
    server.says(500, b"<html>")
    with pytest.raises(Problem, match="500"):
        http.get("me/")


def test_a_site_that_stays_busy_is_a_problem_in_the_end(
    server: Server, http: Transport, waits: list[float]
) -> None:
    for _each in range(6):
        server.says(503, {"detail": "Later."})
    with pytest.raises(Problem, match="Later"):
        http.get("me/")
    assert len(waits) == 5


def test_a_site_that_is_away_is_asked_six_times(waits: list[float]) -> None:
    away = Transport(f"http://127.0.0.1:{free_port()}", "parable_x", wait=waits.append)
    with pytest.raises(Unreachable, match="does not answer"):
        away.get("me/")
    assert len(waits) == 5


@pytest.mark.parametrize(
    ("attempt", "asked", "least", "most"),
    [
        (1, None, 0.5, 1),
        (4, None, 4, 8),
        (20, None, LONGEST_WAIT / 2, LONGEST_WAIT),
        (1, "3", 3, 3),
        (1, "600", LONGEST_WAIT, LONGEST_WAIT),
        (1, "Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        (1, "soon", 0.5, 1),
    ],
)
def test_it_waits_as_long_as_it_should(attempt: int, asked: str | None, least: float, most: float) -> None:
    assert least <= _pause(attempt, asked) <= most


def test_a_list_is_read_page_by_page_as_it_is_needed(server: Server, http: Transport) -> None:
    server.says(200, {"results": [{"id": 3}, {"id": 2}], "next": f"{server.url}/api/v1/x/?cursor=b"})
    rows = http.pages("x/", state="verified")
    assert [next(rows), next(rows)] == [{"id": 3}, {"id": 2}]
    assert len(server.asked) == 1
    server.says(200, {"results": [{"id": 1}], "next": None})
    assert list(rows) == [{"id": 1}]
    assert [path for _method, path, *_rest in server.asked] == [
        "/api/v1/x/?state=verified",
        "/api/v1/x/?cursor=b",
    ]


def test_an_older_list_names_its_next_page_in_a_header(server: Server, http: Transport) -> None:
    server.says(200, [{"id": 2}], Link=f'<{server.url}/api/v1/x/?cursor=b>; rel="next"')
    server.says(200, [{"id": 1}])
    assert [row["id"] for row in http.pages("x/")] == [2, 1]


def test_the_next_page_of_a_site_behind_a_proxy_is_asked_where_the_first_was(
    server: Server, http: Transport
) -> None:
    """The site may know itself by another name; the token goes to no other host."""
    server.says(200, {"results": [], "next": "https://elsewhere.example/api/v1/x/?cursor=b"})
    server.says(200, {"results": [], "next": None})
    assert list(http.pages("x/")) == []
    assert server.asked[1][1] == "/api/v1/x/?cursor=b"


def test_a_file_that_broke_off_is_not_there(server: Server, http: Transport, tmp_path: Path) -> None:
    server.says(200, b"whole")
    assert http.download("/api/v1/f", tmp_path / "f").read_bytes() == b"whole"
    server.says(404, {"detail": "Gone."})
    with pytest.raises(Problem, match="Gone"):
        http.download("/api/v1/g", tmp_path / "g")
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_an_upload_is_sent_whole_each_time(server: Server, http: Transport, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"id": 1}\n' * 1000)
    server.says(503, {})
    server.says(202, {"job": 1})
    assert http.upload("x/", path, release="1.0.0", note=None) == {"job": 1}
    for _method, _path, headers, body in server.asked:
        assert headers["Content-Type"].startswith("multipart/form-data")
        assert body.count(b'{"id": 1}') == 1000
        assert b'name="release"' in body
        assert b'name="note"' not in body


def test_a_change_names_what_was_read(server: Server, http: Transport) -> None:
    server.says(200, {})
    http.send("PATCH", "x/", {"name": "a"}, tag='"abc"')
    assert server.asked[0][2]["If-Match"] == '"abc"'
    assert "Idempotency-Key" not in server.asked[0][2]


def test_a_site_wants_an_address_and_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARABLE_URL", raising=False)
    with pytest.raises(ValueError, match="PARABLE_URL"):
        Site(token="parable_x")
