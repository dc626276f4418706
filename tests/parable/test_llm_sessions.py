"""Sessions with endpoints are kept between calls: opened once, and closed on demand."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpcore2
import pytest

from parable.llm.client import EndpointSpec, Message
from parable.llm.sessions import SessionPool
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


def test_it_opens_one_session_with_an_endpoint_and_closes_all_when_asked(
    stub: StubServer, opened: list[socket.socket]
) -> None:
    sessions = SessionPool()
    for model in ("stub-ok", "stub-plain", "stub-ok"):
        sessions.ask(spec(stub, model), PROMPT)
    assert len(opened) == 2
    sessions.close()
    assert [one.fileno() for one in opened] == [-1, -1]
    sessions.ask(spec(stub), PROMPT)
    assert len(opened) == 3
    sessions.close()


def test_it_opens_a_session_that_has_grown_old_anew(stub: StubServer, opened: list[socket.socket]) -> None:
    sessions = SessionPool(longest_life=0.0)
    sessions.ask(spec(stub), PROMPT)
    sessions.ask(spec(stub), PROMPT)
    assert opened[0].fileno() == -1
    assert opened[1].fileno() != -1
    sessions.close()
