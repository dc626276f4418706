"""Lines to endpoints that are kept between calls: opened once, and closed when told to."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpcore2
import pytest

from parable.llm.client import EndpointSpec, Message
from parable.llm.lines import Lines
from parable.llm.stub import StubServer

PROMPT = (Message("user", "Write 3 wrong morals for The Crow."),)


@pytest.fixture(scope="module")
def stub() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[socket.socket]:
    """The sockets that are opened from now on."""
    sockets: list[socket.socket] = []
    real = httpcore2.SyncBackend.connect_tcp

    def connect(*args: object, **named: object) -> httpcore2.NetworkStream:
        stream = real(*args, **named)  # type: ignore[arg-type]  # whatever it is given
        sockets.append(stream.get_extra_info("socket"))
        return stream

    monkeypatch.setattr(httpcore2.SyncBackend, "connect_tcp", connect)
    return sockets


def spec(stub: StubServer, model: str = "stub-ok") -> EndpointSpec:
    return EndpointSpec(stub.base_url, model, allow_private=True)


def test_it_opens_one_line_to_an_endpoint_and_closes_all_when_told(
    stub: StubServer, opened: list[socket.socket]
) -> None:
    lines = Lines()
    for model in ("stub-ok", "stub-plain", "stub-ok"):
        lines.ask(spec(stub, model), PROMPT)
    assert len(opened) == 2
    lines.close()
    assert [one.fileno() for one in opened] == [-1, -1]
    lines.ask(spec(stub), PROMPT)
    assert len(opened) == 3
    lines.close()


def test_it_opens_a_line_that_has_grown_old_anew(stub: StubServer, opened: list[socket.socket]) -> None:
    lines = Lines(longest_life=0.0)
    lines.ask(spec(stub), PROMPT)
    lines.ask(spec(stub), PROMPT)
    assert opened[0].fileno() == -1
    assert opened[1].fileno() != -1
    lines.close()
