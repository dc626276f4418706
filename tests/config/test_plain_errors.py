"""What an operator can mend is said in a sentence, with exit code 2; what is our fault stays a traceback."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import psycopg
import pytest
import redis

from config.local import local_services
from config.plain_errors import sentence
from tests.architecture import BASE
from tests.config.programs import environment, free_port, manage, running, wait_until


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "/data/x"),
            "full while writing /data/x",
        ),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "The disk is full (Disk quota exceeded)"),
        (OSError(errno.EROFS, "Read-only file system", "/data"), "Cannot write or read /data (Read-only"),
        (PermissionError(errno.EACCES, "Permission denied", "/data"), "Cannot write or read /data (Perm"),
        (psycopg.errors.DiskFull("could not extend file"), "PostgreSQL has no room left on its disk"),
        (
            psycopg.OperationalError("password authentication failed"),
            "Correct the password in",
        ),
        (psycopg.OperationalError('FATAL:  database "x" does not exist'), "`manage.py role_sql`"),
        (psycopg.OperationalError("connection refused"), "Is it running, and does DATABASE_"),
        (redis.exceptions.ConnectionError("Error 111"), "Redis at "),
        (redis.exceptions.ResponseError("MISCONF Redis is configured to save"), "Redis at "),
    ],
)
def test_it_says_what_to_do(error: Exception, said: str) -> None:
    assert said in (sentence(error) or "")


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x"),
        FileNotFoundError(errno.ENOENT, "No such file", "/x"),
        psycopg.errors.UniqueViolation("duplicate key"),
        psycopg.errors.QueryCanceled("canceling statement"),
        redis.exceptions.ResponseError("WRONGTYPE"),
    ],
)
def test_it_leaves_our_own_faults_alone(error: Exception) -> None:
    assert sentence(error) is None


def _plain(answer: subprocess.CompletedProcess[str], *words: str) -> None:
    assert answer.returncode == 2, answer.stderr
    assert "Traceback" not in answer.stderr
    assert [word for word in words if word not in answer.stderr] == []


SERVERS = {
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "PARABLE_SECRET_KEY": "x" * 40,
}


@pytest.mark.drill
def test_a_server_that_is_away_is_named(home: Path) -> None:
    away = SERVERS | {"DATABASE_URL": f"postgres://a:secret-word@127.0.0.1:{free_port()}/x"}
    for verb in ("showmigrations", "migrate", "serve"):
        answer = manage(home, verb, **away)
        _plain(answer, "PostgreSQL cannot be used", "Is it running, and does DATABASE_URL")
        assert "secret-word" not in answer.stderr


@pytest.mark.drill
def test_a_database_that_is_missing_is_named(home: Path) -> None:
    with local_services(home, redis=False, durable=False) as addresses:
        url = addresses["DATABASE_URL"].replace("/parable?", "/fables?")
        _plain(
            manage(home, "showmigrations", DATABASE_URL=url, **SERVERS), '"fables" does not exist', "role_sql"
        )


@pytest.mark.skipif(
    not Path("/sys/kernel").exists(), reason="only Linux has a folder that even root cannot write"
)
def test_a_data_folder_that_cannot_be_written_is_named() -> None:
    answer = manage(Path("/sys/parable"), "create_administrator", "kim", "--name", "Kim")
    _plain(answer, "Cannot write or read /sys/parable", "PARABLE_HOME")


@pytest.mark.drill
@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    ],
)
def test_it_reads_and_prints_chinese_in_any_locale(home: Path, locale: dict[str, str]) -> None:
    named = {"DATABASE_URL": "postgres://寓@h/伊索", "PARABLE_HOME": str(home / "寓言")}
    answer = subprocess.run(
        [sys.executable, str(BASE / "manage.py"), "role_sql"],
        env=environment(home) | named | locale, capture_output=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert 'CREATE DATABASE "伊索" OWNER "寓"' in answer.stdout.decode()


@pytest.mark.drill
def test_it_serves_from_a_folder_with_a_chinese_name_in_a_posix_locale(home: Path) -> None:
    locale = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    folder, port = home / "寓言", free_port()
    folder.mkdir(parents=True)
    with running([sys.executable, "manage.py", "run"], folder, PARABLE_PORT=str(port), **locale) as site:
        wait_until(lambda: _status(port, "/healthz") == 200, 180)
        assert _status(port, "/accounts/login/") == 200
        site.send_signal(signal.SIGINT)
        assert site.wait(timeout=60) == 0
    assert (folder / "local").is_dir()


def _status(port: int, path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return int(answer.status)
    except OSError:
        return 0
