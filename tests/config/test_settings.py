"""Settings come from the environment, and bad ones are refused with a sentence."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from kombu import Connection
from redis import Redis

from config.cookies import MessageStorage
from config.environment import Environment, broker_address
from tests.architecture import BASE
from tests.services import redis_database

Reading = Callable[[Environment], Any]


def _read(monkeypatch: pytest.MonkeyPatch, value: str | None, reading: Reading) -> Any:
    if value is None:
        monkeypatch.delenv("PARABLE_X", raising=False)
    else:
        monkeypatch.setenv("PARABLE_X", value)
    return reading(Environment())


def flag(env: Environment) -> bool:
    return env.flag("PARABLE_X", default=False)


def number(env: Environment) -> int:
    return env.number("PARABLE_X", 3, least=1, most=9)


def choice(env: Environment) -> str:
    return env.choice("PARABLE_X", "en", among=("en", "zh-hans"))


def words(env: Environment) -> list[str]:
    return env.words("PARABLE_X", "")


def database(env: Environment) -> dict[str, Any]:
    return env.database("PARABLE_X")


def redis(env: Environment) -> str:
    return env.redis("PARABLE_X")


def hub(env: Environment) -> str:
    return env.hub("PARABLE_X", "https://hub.example")


def secret(env: Environment) -> str:
    return env.secret("PARABLE_X")


def folder(env: Environment) -> Path:
    return env.folder("PARABLE_X", Path("/nowhere"))


@pytest.mark.parametrize(
    ("reading", "value", "expected"),
    [
        (flag, "True", True),
        (flag, "false", False),
        (flag, "", False),
        (flag, None, False),
        (number, "7", 7),
        (number, None, 3),
        (choice, "zh-hans", "zh-hans"),
        (words, " a, b ,,c", ["a", "b", "c"]),
        (redis, "unix:///tmp/redis.sock", "unix:///tmp/redis.sock"),
        (hub, None, "https://hub.example"),
        (hub, "", "https://hub.example"),
        (hub, "none", ""),
        (hub, "https://another.example/", "https://another.example"),
        (hub, "http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        (secret, "x" * 32, "x" * 32),
        (folder, "/data", Path("/data")),
    ],
)
def test_it_understands(
    monkeypatch: pytest.MonkeyPatch, reading: Reading, value: str | None, expected: object
) -> None:
    assert _read(monkeypatch, value, reading) == expected


@pytest.mark.parametrize(
    ("reading", "value", "sentence"),
    [
        (flag, "yes", "PARABLE_X must be True or False, not 'yes'."),
        (flag, "1", "PARABLE_X must be True or False, not '1'."),
        (number, "ten", "PARABLE_X must be a whole number from 1 to 9, not 'ten'."),
        (number, "0", "PARABLE_X must be a whole number from 1 to 9, not '0'."),
        (number, "²", "PARABLE_X must be a whole number from 1 to 9, not '²'."),
        (number, "-", "PARABLE_X must be a whole number from 1 to 9, not '-'."),
        (choice, "fr", "PARABLE_X must be one of en, zh-hans, not 'fr'."),
        (database, None, "PARABLE_X is not set; docs/settings.md says what it is for."),
        (database, "sqlite:///x.db", "PARABLE_X must be the address of a PostgreSQL database, as in"),
        (database, "postgres://host:port/name", "PARABLE_X must be the address of a PostgreSQL database"),
        (database, "postgres://host", "PARABLE_X must be the address of a PostgreSQL database"),
        (redis, "localhost:6379", "PARABLE_X must be the address of a Redis server"),
        (
            hub,
            "http://hub.example",
            "PARABLE_X must be the address of a hub, as in https://huggingface.co, or",
        ),
        (hub, "huggingface.co", "PARABLE_X must be the address of a hub"),
        (secret, "short", "PARABLE_X must have at least 32 characters."),
        (folder, __file__, "PARABLE_X must be a folder"),
    ],
)
def test_it_refuses(
    monkeypatch: pytest.MonkeyPatch, reading: Reading, value: str | None, sentence: str
) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        _read(monkeypatch, value, reading)
    assert str(refusal.value).startswith(sentence)


def test_it_finds_a_database_behind_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = _read(monkeypatch, "postgres://me@/parable?host=/run/postgresql", database)
    assert (parsed["HOST"], parsed["USER"], parsed["NAME"]) == ("/run/postgresql", "me", "parable")


def test_it_never_shows_a_password_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        _read(monkeypatch, "mysql://me:hunter2@host/name", database)
    assert "hunter2" not in str(refusal.value)


def test_it_remembers_what_it_was_asked_for() -> None:
    env = Environment()
    flag(env)
    number(env)
    assert env.declared == {"PARABLE_X"}


@pytest.mark.parametrize("number", [0, 3, 14])
def test_the_queue_lives_in_the_database_of_redis_that_the_address_names(number: int) -> None:
    queue = f"lives-in-{number}"
    address = broker_address(redis_database(settings.REDIS_URL, number))
    with Connection(address) as broker, broker.SimpleQueue(queue) as messages:
        messages.put("here")
        found = {each: _has_key(each, queue) for each in (0, 3, 14)}
        messages.clear()
    assert found == {each: each == number for each in found}


def _has_key(database: int, key: str) -> bool:
    with Redis.from_url(redis_database(settings.REDIS_URL, database)) as client:
        return bool(client.exists(key))


@pytest.mark.parametrize(("plain", "prefix", "seconds"), [("True", "", 0), ("False", "__Host-", 31_536_000)])
def test_cookies_are_bound_to_the_host_and_browsers_to_tls_where_there_is_tls(
    monkeypatch: pytest.MonkeyPatch, plain: str, prefix: str, seconds: int
) -> None:
    monkeypatch.setenv("PARABLE_PLAIN_HTTP", plain)
    monkeypatch.delenv("PARABLE_HSTS_SECONDS", raising=False)
    read = runpy.run_path(str(BASE / "config" / "settings.py"))
    names = [read[name] for name in ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "KNOWN_BROWSER_COOKIE")]
    assert names == [f"{prefix}sessionid", f"{prefix}csrftoken", f"{prefix}known"]
    others = [read[f"{name}_COOKIE"] for name in ("MESSAGES", "THEME")] + [read["LANGUAGE_COOKIE_NAME"]]
    assert others == [f"{prefix}messages", f"{prefix}theme", f"{prefix}django_language"]
    assert read["CSRF_COOKIE_HTTPONLY"] is read["LANGUAGE_COOKIE_HTTPONLY"] is True
    assert read["SESSION_COOKIE_SECURE"] is read["CSRF_COOKIE_SECURE"] is bool(prefix)
    assert not any(read.get(f"{kind}_COOKIE_DOMAIN") for kind in ("SESSION", "CSRF"))
    assert all(read.get(f"{kind}_COOKIE_PATH", "/") == "/" for kind in ("SESSION", "CSRF"))
    assert read["SECURE_HSTS_SECONDS"] == seconds
    assert read["SECURE_HSTS_INCLUDE_SUBDOMAINS"] is True


def test_the_cookie_of_messages_has_the_name_of_the_settings() -> None:
    assert MessageStorage.storage_classes[0].cookie_name == settings.MESSAGES_COOKIE
    assert import_string(settings.MESSAGE_STORAGE) is MessageStorage


@pytest.mark.parametrize(("cores", "processes"), [(1, 1), (2, 2), (16, 2)])
def test_two_web_processes_run_where_there_are_two_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int, processes: int
) -> None:
    monkeypatch.delenv("PARABLE_WEB_WORKERS", raising=False)
    monkeypatch.setattr("parable.system.processors", lambda: cores)
    assert runpy.run_path(str(BASE / "config" / "settings.py"))["WEB_WORKERS"] == processes
