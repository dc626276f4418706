"""The web server: slow clients hold no thread, bodies are bounded, health is answered beside the requests."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from accounts.models import User
from accounts.sessions import SessionStore
from config.server import bodies
from config.server.bodies import Gone, TooLarge, TooSlow, receive_body
from config.server.responses import Exchange, Response, Spool
from tests.architecture import BASE
from tests.browser.killable import database_of_this_test
from tests.config.programs import environment, free_port, wait_until
from tests.looping import run_aside
from tests.services import SETTINGS

THREADS = 2
CONNECTIONS = 40
SMALL = django_settings.SMALL_BODY
FORM = "application/x-www-form-urlencoded"


class Site:
    """The site's web process on loopback, with few threads and short patience."""

    def __init__(self, home: Path, *options: str) -> None:
        self.port = free_port()
        named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"} | {
            "DATABASE_URL": database_of_this_test(),
            "REDIS_URL": os.environ["REDIS_URL"],
            "PARABLE_PORT": str(self.port),
            "PARABLE_WEB_THREADS": str(THREADS),
            "PARABLE_WEB_CONNECTIONS": str(CONNECTIONS),
        }
        command = [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", *options]
        self.process = subprocess.Popen(
            [*command, "config.wsgi"],
            env=environment(home, **named),
            cwd=BASE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def get(self, path: str = "/accounts/login/", method: str = "GET", **headers: str) -> tuple[int, str]:
        """Status and text of one request."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(asked):
            asked.request(method, path, headers=headers)
            answer = asked.getresponse()
            return answer.status, answer.read().decode()

    def opened(self, sent: bytes = b"") -> socket.socket:
        """A connection of its own that has sent these bytes."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        client.sendall(sent)
        return client

    def said(self, sent: bytes) -> str:
        """All that is answered to these bytes until the server closes."""
        with self.opened(sent) as client:
            return b"".join(iter(lambda: client.recv(65536), b"")).decode()


@pytest.fixture(scope="module")
def site(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """One for all tests here."""
    with django_db_blocker.unblock():
        site = Site(tmp_path_factory.mktemp("site"), "--keep-alive", "3")
    with site.process:
        try:
            assert site.process.stdout
            assert "Parable is at" in site.process.stdout.readline()
            yield site
        finally:
            site.process.kill()


def posted(path: str, length: int | str, *headers: str, kind: str = FORM) -> bytes:
    """The head of a request that brings a body; `length` may be a transfer coding."""
    framing = f"Content-Length: {length}" if isinstance(length, int) else f"Transfer-Encoding: {length}"
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", framing, *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def test_it_answers_as_soon_as_it_says_so(site: Site) -> None:
    assert site.get()[0] == 200


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="this system has no /proc")
def test_a_process_that_is_killed_is_back_without_loading_anew(site: Site) -> None:
    killed, loaded = _worker_of(site), _worked(site.process.pid)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: _worker_of(site) not in (0, killed))
    assert site.get()[0] == 200
    assert _worked(_worker_of(site)) < loaded / 2


def _worker_of(site: Site) -> int:
    """The process that answers; 0 while there is none."""
    pid = site.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return int(children[0]) if children else 0


def _worked(pid: int) -> float:
    """Ticks of the processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_it_does_not_say_which_server_it_is(site: Site) -> None:
    for path in ("/accounts/login/", "/livez", "/nowhere"):
        head = site.said(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode()).split("\r\n\r\n")[0]
        assert not re.search("^(server|x-powered-by):|gunicorn|django", head, re.IGNORECASE | re.MULTILINE), (
            head
        )


SLOW = {
    "headers": b"POST /accounts/login/ HTTP/1.1\r\nHost: local",
    "body": posted("/accounts/login/", 1000) + b"login=",
    "chunks": posted("/accounts/login/", "chunked") + b"5\r\nlog",
}


@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW.keys())
def test_it_serves_others_while_slow_senders_wait(site: Site, sent: bytes) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(THREADS * 8):
            stack.enter_context(contextlib.closing(site.opened(sent)))
        assert site.get()[0] == 200
        assert site.get("/livez") == (200, '{"live": true}')
        assert site.get("/readyz") == (200, '{"database": true, "redis": true}')
        assert site.get("/healthz", "HEAD") == (200, "")


def test_it_makes_room_where_too_many_connect(site: Site) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(CONNECTIONS * 2):
            stack.enter_context(contextlib.closing(site.opened(SLOW["body"])))
        assert site.get()[0] == 200


def test_it_closes_a_connection_that_sends_no_request(site: Site) -> None:
    assert site.said(SLOW["headers"]) == ""


@pytest.mark.parametrize("length", [SMALL + 1, 10 * 1024**3, "chunked"])
def test_it_refuses_a_large_body_before_it_arrives(site: Site, length: int | str) -> None:
    part = f"{SMALL + 1:x}\r\n".encode() + b"x" * (SMALL + 1) if length == "chunked" else b"login="
    said = site.said(posted("/accounts/login/", length) + part)
    assert said.startswith("HTTP/1.1 413")
    assert "larger than this page accepts" in said
    assert "connection: close" in said.lower()


@pytest.mark.parametrize(
    ("path", "headers", "words"),
    [
        ("/accounts/login/", ["Accept-Language: zh-hans"], "发送的内容"),
        ("/api/v1/schema/", [], '"detail": "The request is larger'),
        ("/p/none/stories/import", [], "larger than this page accepts"),
        ("/nowhere", [], "larger than this page accepts"),
    ],
)
def test_it_says_so_in_plain_words(site: Site, path: str, headers: list[str], words: str) -> None:
    said = site.said(posted(path, SMALL + 1, *headers))
    assert said.startswith("HTTP/1.1 413")
    assert words in said


def test_it_refuses_a_large_body_instead_of_asking_for_it(site: Site) -> None:
    said = site.said(posted("/accounts/login/", SMALL + 1, "Expect: 100-continue"))
    assert said.startswith("HTTP/1.1 413")
    with site.opened(posted("/accounts/login/", 6, "Expect: 100-continue", "Connection: close")) as client:
        assert client.recv(65536).startswith(b"HTTP/1.1 100 Continue")
        client.sendall(b"login=")
        assert client.recv(65536).startswith(b"HTTP/1.1 403")  # Django's, for want of a token


def test_it_answers_too_many_fields_in_the_same_words(site: Site) -> None:
    body = b"&".join(b"a=1" for _ in range(django_settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
    cookie, header = f"Cookie: csrftoken={'b' * 32}", f"X-CSRFToken: {'b' * 32}"
    said = site.said(posted("/accounts/login/", len(body), cookie, header, "Connection: close") + body)
    assert said.startswith("HTTP/1.1 413")
    assert "larger than this page accepts" in said


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (b"HEAD /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", ["200"]),
        (b"GET /accounts/login/ HTTP/1.0\r\nHost: localhost\r\n\r\n", ["200"]),
        (
            posted("/accounts/login/", "chunked", "Connection: close") + b"6\r\nlogin=\r\n0\r\n\r\n",
            ["403"],
        ),
        (
            posted("/accounts/login/", 6)
            + b"login=HEAD /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            ["403", "200"],
        ),
        (posted("/accounts/login/", 6, "Transfer-Encoding: chunked") + b"0\r\n\r\n", ["400"]),
        (posted("/accounts/login/", 6, "Content-Length: 7") + b"login=", ["400"]),
        (posted("/accounts/login/", "chunked, gzip") + b"0\r\n\r\n", ["400"]),
        (b"GET /accounts/login/ HTTP/1.1\r\nHost : localhost\r\n\r\n", ["400"]),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", ["431"]),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", ["414"]),
    ],
    ids=["head", "1.0", "chunked", "pipelined", "te+cl", "two lengths", "coding", "space", "header", "line"],
)
def test_it_reads_requests_as_the_standard_says(site: Site, sent: bytes, statuses: list[str]) -> None:
    said = site.said(sent)
    assert [part[:3] for part in re.split(r"HTTP/1\.[01] ", said)[1:]] == statuses


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("is_signed_in", "status"), [(True, "404"), (False, "413")])
def test_it_takes_files_from_people_who_are_signed_in(site: Site, is_signed_in: bool, status: str) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    body = part + b"x" * (SMALL * 3) + b"\r\n--x--\r\n"
    cookie = f"Cookie: sessionid={_session()}; csrftoken={'b' * 32}" if is_signed_in else "Cookie: a=b"
    sent = posted(
        "/p/none/stories/import",
        len(body),
        cookie,
        f"X-CSRFToken: {'b' * 32}",
        "Connection: close",
        kind="multipart/form-data; boundary=x",
    )
    said = site.said(sent + body)
    assert said.startswith(f"HTTP/1.1 {status}"), said[:200]


def _session() -> str:
    person = User.objects.create_user("sender", password="a long password")
    store = SessionStore()
    store[SESSION_KEY] = str(person.pk)
    store[BACKEND_SESSION_KEY] = "accounts.sessions.AccountBackend"
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.create()
    return str(store.session_key)


@pytest.mark.django_db
def test_it_finishes_a_request_that_is_in_flight_when_it_stops(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with site.process:
        assert site.process.stdout
        site.process.stdout.readline()
        with site.opened(posted("/accounts/login/", 12) + b"login=") as client, site.opened() as idle:
            wait_until(lambda: site.get("/livez")[0] == 200)
            site.process.send_signal(signal.SIGTERM)
            assert idle.recv(1) == b""
            client.sendall(b"nobody")
            assert client.recv(65536).startswith(b"HTTP/1.1 403")
        assert site.process.wait(timeout=30) == 0


# --- the parts -------------------------------------------------------------------------------


LEFT = {"type": "http.disconnect"}


def received(*chunks: bytes | None, most: int = 100) -> tuple[int, bytes]:
    """What `receive_body` makes of these chunks; None is a client that leaves."""
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": chunk, "more_body": True} if chunk is not None else LEFT
        for chunk in chunks
    ]

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.001)
        return messages.pop(0) if messages else {"type": "http.request", "body": b"", "more_body": False}

    file = io.BytesIO()
    return run_aside(receive_body(receive, file, most=most)), file.read()


def test_it_receives_a_body_whole() -> None:
    assert received(b"ab", b"cd") == (4, b"abcd")
    with pytest.raises(TooLarge):
        received(b"x" * 101)
    with pytest.raises(Gone):
        received(b"ab", None)


def test_it_gives_a_body_time_by_what_has_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "PATIENCE", 0.0)
    with pytest.raises(TooSlow):
        received(b"")
    monkeypatch.setattr(bodies, "LEAST_RATE", 1e-6)
    monkeypatch.setattr(bodies, "PATIENCE", 60.0)
    assert received(b"ab", b"") == (2, b"ab")


def answered(application: Any, *, reads: int | None = None) -> tuple[Response, bytes]:
    """What an application's response is to a client that reads so many blocks and then leaves."""

    async def exchange() -> tuple[Response, bytes]:
        with ThreadPoolExecutor(1) as pool:
            environ = {"REQUEST_METHOD": "GET", "wsgi.input": io.BytesIO()}
            response = await Exchange(application, environ, asyncio.get_running_loop()).response(pool)
            if response.spool is None:
                return response, response.body
            blocks: list[bytes] = []
            while (reads is None or len(blocks) < reads) and (block := await response.spool.read()):
                blocks.append(block)
            response.spool.abandon()
            return response, b"".join(blocks)

    return run_aside(exchange())


class Stream:
    """A streamed response that counts what is asked of it."""

    streaming = True

    def __init__(self, size: int, *, breaks: bool = False) -> None:
        self.size, self.breaks, self.made, self.is_closed = size, breaks, 0, False

    def __call__(self, environ: Any, start_response: Any) -> Stream:
        """Be an application that answers with itself."""
        start_response("200 OK", [])
        return self

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self.size):
            self.made += 1
            yield b"x" * 65536
        if self.breaks:
            raise ValueError("broken")

    def close(self) -> None:
        """Be closed, as WSGI demands."""
        self.is_closed = True


def test_it_streams_a_response_and_closes_it() -> None:
    stream = Stream(50)
    response, body = answered(stream)
    assert (response.status, len(body), stream.is_closed) == (200, 50 * 65536, True)


def test_it_does_not_pass_off_half_a_response_as_a_whole_one(caplog: pytest.LogCaptureFixture) -> None:
    stream = Stream(3, breaks=True)
    response, _body = answered(stream)
    assert response.spool
    assert response.spool.is_broken
    assert stream.is_closed
    assert "A streamed response failed." in caplog.text


def test_it_frees_the_thread_of_a_slow_reader_and_stops_for_one_who_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Stream(100)
    answered(stream, reads=1)  # the thread pool would not end while the thread waits for its reader
    assert stream.is_closed
    monkeypatch.setattr("config.server.responses.AHEAD", 10 * 65536)
    far = Stream(10_000)
    answered(far, reads=1)
    assert far.is_closed
    assert far.made < 1000


def test_it_waits_for_a_reader_who_is_far_behind() -> None:
    async def behind() -> bool:
        spool = Spool(asyncio.get_running_loop())
        assert spool.write(b"abc")
        assert await spool.read() == b"abc"
        spool.abandon()
        spool.complete()
        return spool.write(b"more")

    assert run_aside(behind()) is False


def test_it_answers_500_where_the_application_fails(caplog: pytest.LogCaptureFixture) -> None:
    def fails(environ: Any, start_response: Any) -> None:
        raise ValueError("a fault")

    assert answered(fails)[0].status == 500
    assert "The application failed." in caplog.text
