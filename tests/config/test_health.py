"""The health check, and what every answer carries."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable

import pytest
from django.db import DatabaseError
from django.test import Client
from pytest_django import Settings
from redis.exceptions import RedisError

from config import health
from config.health import Health, Probe, check_database, check_redis
from tests.looping import run_aside


def answers() -> None:
    """A server that answers."""


def database_fails() -> None:
    raise DatabaseError("no route")


def redis_fails() -> None:
    raise RedisError("no route")


@pytest.mark.parametrize(
    ("path", "database", "redis", "status", "said"),
    [
        ("/readyz", answers, answers, 200, {"database": True, "redis": True}),
        ("/healthz", answers, answers, 200, {"database": True, "redis": True}),
        ("/readyz", database_fails, answers, 503, {"database": False, "redis": True}),
        # Pages are served without Redis, so a load balancer must not take the site away.
        ("/readyz", answers, redis_fails, 200, {"database": True, "redis": False}),
        ("/livez", database_fails, redis_fails, 200, {"live": True}),
    ],
)
def test_it_distinguishes_live_from_ready(
    path: str,
    database: Callable[[], None],
    redis: Callable[[], None],
    status: int,
    said: dict[str, bool],
) -> None:
    answer = run_aside(Health(database=database, redis=redis).answer("GET", path))
    assert answer
    assert (answer[0], json.loads(answer[1])) == (status, said)


def test_it_leaves_other_addresses_and_methods_alone() -> None:
    async def ask(method: str, path: str) -> int | None:
        answer = await Health(database=answers, redis=answers).answer(method, path)
        return answer and answer[0]

    assert run_aside(ask("GET", "/")) is None
    assert run_aside(ask("POST", "/readyz")) == 405


def test_it_does_not_wait_for_a_server_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.05)
    released, asked = threading.Event(), []

    def hangs() -> None:
        asked.append(1)
        released.wait(30)

    async def ask() -> list[bool]:
        probe = Probe(hangs)
        said = [await probe.answers() for _ in range(5)]
        released.set()
        return said

    assert run_aside(ask()) == [False] * 5
    assert len(asked) == 1, "one check runs at a time"


def test_it_asks_once_for_everybody_and_says_once_that_a_server_is_gone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = []

    def counted() -> None:
        asked.append(1)
        database_fails()

    async def ask() -> None:
        probe = Probe(counted)
        await asyncio.gather(*(probe.answers() for _ in range(20)))
        assert len(asked) == 1
        monkeypatch.setattr(health, "FRESH", 0.0)
        assert [await probe.answers() for _ in range(3)] == [False] * 3

    monkeypatch.setattr(health.logger, "disabled", False)  # a server started in this process may have done it
    run_aside(ask())
    assert len(asked) == 4
    assert len(caplog.records) == 1


@pytest.mark.django_db
def test_it_asks_the_database_and_redis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "close_old_connections", lambda: None)  # that of the test must stay
    check_database()
    check_redis()
    nowhere = settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": nowhere}
    with pytest.raises(RedisError):
        check_redis()


@pytest.mark.django_db
def test_it_allows_no_inline_code_and_no_other_host(client: Client) -> None:
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    for part in ("frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'", "object-src 'none'"):
        assert part in policy
