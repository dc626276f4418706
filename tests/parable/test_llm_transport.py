"""On the wire: pinned addresses with the name kept for TLS, packed bodies, broken servers."""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from parable.llm import errors
from parable.llm.addresses import Target, parse_base_url
from parable.llm.client import ONCE, EndpointSpec, Message, ask
from parable.llm.transport import LARGEST_BODY, PinnedTransport, deadline_after

HELLO = (Message("user", "hello"),)
CHAT = b'{"model": "m", "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}'


@contextmanager
def raw_server(answer: bytes, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """A server that gives every connection the same bytes, whatever it asked."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(60)  # the first test of a process loads the client meanwhile

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            try:
                if context:
                    connection = context.wrap_socket(connection, server_side=True)
                connection.settimeout(5)
                connection.recv(65536)
                connection.sendall(answer)
            except OSError:
                pass
            finally:
                connection.close()

    worker = threading.Thread(target=serve, daemon=True)
    worker.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        worker.join(timeout=10)


def http(body: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def text_from(port: int) -> str:
    spec = EndpointSpec(f"http://127.0.0.1:{port}/v1", "m", allow_private=True)
    return ask(spec, HELLO, timeout=30, retries=ONCE).text


def test_a_packed_body_is_unpacked() -> None:
    with raw_server(http(gzip.compress(CHAT), "Content-Encoding: gzip")) as port:
        assert text_from(port) == "hi"


def test_a_small_body_that_unpacks_to_a_large_one_is_cut_off() -> None:
    bomb = gzip.compress(b" " * (LARGEST_BODY * 4))
    with raw_server(http(bomb, "Content-Encoding: gzip")) as port, pytest.raises(errors.Garbage) as caught:
        text_from(port)
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (b"HELO mail.example\r\n\r\n", errors.Garbage, "garbage"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", errors.Unreachable, "connection_lost"),
        (b"", errors.Unreachable, "connection_lost"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{", errors.Unreachable, "connection_lost"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
            errors.Garbage,
            "garbage",
        ),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000, errors.Garbage, "garbage"),
        (
            b"HTTP/1.1 301 Moved\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n",
            errors.Redirected,
            "redirected",
        ),
    ],
    ids=["mail", "ssh", "nothing", "cut off", "not packed", "endless head", "moved"],
)
def test_a_broken_server_is_an_error_of_its_own(
    answer: bytes, kind: type[errors.LlmError], code: str
) -> None:
    with raw_server(answer) as port, pytest.raises(errors.LlmError) as caught:
        text_from(port)
    assert (type(caught.value), caught.value.code) == (kind, code)


@pytest.mark.parametrize("at", ["sending", "reading"])
def test_a_server_that_resets_the_connection_has_lost_it(at: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def reset() -> None:
            connection, _ = listener.accept()
            connection.recv(1)  # what is left unread makes closing a reset
            if at == "reading":
                time.sleep(0.3)  # the request has left by now, and the client reads
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        worker = threading.Thread(target=reset, daemon=True)
        worker.start()
        with pytest.raises(errors.Unreachable) as caught:
            text_from(listener.getsockname()[1])
        worker.join(timeout=10)
    assert caught.value.code == "connection_lost"


def test_the_second_address_is_tried_where_the_first_is_dead() -> None:
    with raw_server(http(CHAT)) as port:
        url = parse_base_url(f"http://two.example:{port}/v1")
        transport = PinnedTransport(Target(url, ("127.0.0.2", "127.0.0.1")), api_key="")
        with httpx2.Client(transport=transport) as client, deadline_after(5):
            assert client.get(f"http://two.example:{port}/v1").content == CHAT


def test_it_speaks_to_no_other_host() -> None:
    with raw_server(http(CHAT)) as port:
        transport = PinnedTransport(
            Target(parse_base_url(f"http://a.example:{port}"), ("127.0.0.1",)), api_key="k"
        )
        with (
            httpx2.Client(transport=transport) as client,
            deadline_after(5),
            pytest.raises(httpx2.ConnectError),
        ):
            client.get(f"http://b.example:{port}/")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for llm.example that signs itself, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", str(key), "-out", str(cert), "-days", "2", "-subj", "/CN=llm.example",
        "-addext", "subjectAltName=DNS:llm.example",
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return cert, key


def served(certificate: tuple[Path, Path], names: list[str | None]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    return context


def test_tls_goes_to_the_pinned_address_under_the_name(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    names: list[str | None] = []
    with raw_server(http(CHAT), served(certificate, names)) as port:
        url = parse_base_url(f"https://llm.example:{port}/v1")
        transport = PinnedTransport(Target(url, ("127.0.0.1",)), api_key="k")
        with httpx2.Client(transport=transport) as client, deadline_after(5):
            assert client.get(str(url)).content == CHAT
    assert names == ["llm.example"]


def test_a_certificate_that_nobody_vouches_for_is_refused(certificate: tuple[Path, Path]) -> None:
    with raw_server(http(CHAT), served(certificate, [])) as port:
        spec = EndpointSpec(f"https://localhost:{port}/v1", "m", api_key="sk-secret-key", allow_private=True)
        with pytest.raises(errors.Unreachable) as caught:
            ask(spec, HELLO, timeout=30, retries=ONCE)
    assert (caught.value.code, caught.value.heals) == ("tls_failed", False)
