"""Time-outs towards PostgreSQL and Redis: requests have the short ones, jobs and commands do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.test import RequestFactory
from django.utils import translation
from psycopg import errors

from config import settings
from config.middleware import RefusalMiddleware
from config.timeouts import limit_sessions
from tests.architecture import BASE
from tests.config.programs import environment

SHOW = "SELECT string_agg(current_setting(n), ' ') FROM unnest(%s::text[]) n"
LIMITS = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
ASK = f"""
import django, sys
if sys.argv[1] == "web":
    import config.wsgi
else:
    django.setup()
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute({SHOW!r}, [{LIMITS!r}])
    print(cursor.fetchone()[0])
"""


@pytest.mark.parametrize(
    ("process", "named", "limits"),
    [
        ("web", {}, "30s 10s 10min"),
        ("worker", {}, "0 0 10min"),
        ("web", {"PARABLE_STATEMENT_SECONDS": "7", "PARABLE_LOCK_SECONDS": "0"}, "7s 0 10min"),
        ("worker", {"PARABLE_IDLE_TRANSACTION_SECONDS": "0"}, "0 0 0"),
    ],
)
def test_requests_are_limited_and_jobs_are_not(
    tmp_path: Path, process: str, named: dict[str, str], limits: str
) -> None:
    servers = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL", "PARABLE_SECRET_KEY")}
    answer = subprocess.run(
        [sys.executable, "-c", ASK, process],
        env=environment(tmp_path, **servers, **named) | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        cwd=BASE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.stdout.strip() == limits, answer.stderr


@pytest.mark.parametrize(
    ("named", "of_role", "missing"),
    [
        ({}, "0", ""),
        ({"PARABLE_IDLE_TRANSACTION_SECONDS": "0"}, "0", ""),
        ({"PARABLE_POOLER": "True"}, "0", "idle_in_transaction_session_timeout, lock_timeout"),
        ({"PARABLE_POOLER": "True", "PARABLE_LOCK_SECONDS": "0"}, "0", "idle_in_transaction_session_timeout"),
        ({"PARABLE_POOLER": "True"}, "9s", ""),
        ({"PARABLE_POOLER": "True", "DATABASE_OWNER_URL": "…"}, "0", ""),
    ],
)
def test_each_process_says_at_its_start_which_limits_do_not_arrive(
    tmp_path: Path, named: dict[str, str], of_role: str, missing: str
) -> None:
    servers = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL", "PARABLE_SECRET_KEY")}
    if "DATABASE_OWNER_URL" in named:  # a command of the owner
        named = named | {"DATABASE_OWNER_URL": servers["DATABASE_URL"]}
    # as the role would have them; the settings of this site add theirs, or behind a pooler none
    limits = {"PGOPTIONS": f"-c idle_in_transaction_session_timeout={of_role} -c lock_timeout={of_role}"}
    answer = subprocess.run(
        [sys.executable, "-c", ASK, "worker"],
        env=environment(tmp_path, **servers, **named)
        | limits
        | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        cwd=BASE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = [one for one in answer.stderr.splitlines() if "a pooler drops" in one]
    assert len(said) == bool(missing), answer.stderr
    assert all(f"drops {missing}:" in one for one in said)


def test_a_silent_server_is_noticed() -> None:
    options = settings.DATABASES["default"]["OPTIONS"]
    assert options["connect_timeout"] == 10
    assert options["keepalives"] == 1
    assert options["keepalives_idle"] + options["keepalives_interval"] * options["keepalives_count"] <= 60
    assert options["tcp_user_timeout"] <= 60_000
    assert settings.CACHES["default"]["OPTIONS"] == {"socket_connect_timeout": 5, "socket_timeout": 5}


def test_limits_are_added_to_the_options_of_an_address() -> None:
    database = {"OPTIONS": {"options": "-c work_mem=8MB"}}
    limit_sessions(database, statement_timeout=3, lock_timeout=0)
    assert database["OPTIONS"]["options"] == "-c work_mem=8MB -c statement_timeout=3s"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/projects/", "/api/drafts/"])
def test_a_page_whose_statement_took_too_long_says_so(path: str) -> None:
    middleware = RefusalMiddleware(lambda _request: pytest.fail("unused"))
    with connection.cursor() as cursor, pytest.raises(OperationalError) as ended:
        cursor.execute("SET LOCAL statement_timeout = '20ms'; SELECT pg_sleep(30)")
    assert isinstance(ended.value.__cause__, errors.QueryCanceled)
    request = RequestFactory().get(path)
    with translation.override("en"):
        answer = middleware.process_exception(request, ended.value)
    assert answer is not None
    assert answer.status_code == 503
    assert "took too long" in answer.content.decode()
    assert middleware.process_exception(request, OperationalError("else")) is None
