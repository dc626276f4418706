"""What `manage.py` does around a command: servers, a new folder, refusals, signals."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from config.local import local_services
from config.local.process_identity import birth
from tests.architecture import BASE
from tests.config.programs import environment, free_port, manage, running, wait_until

MANAGE = [sys.executable, str(BASE / "manage.py")]
BOOKKEEPING = {"state.json", "starting.lock", "using.lock", "lock"}
ASK = "from django.db import connection as c; print(c.cursor().execute({!r}).fetchone())"

WRITE = """
from django.core.files.base import ContentFile
from django.core.files.storage import storages
storages["default"].save("a/b.txt", ContentFile(b"b"))
storages["releases"].save("a1b2/c", ContentFile(b"c"))
"""


def _ask(home: Path, question: str, **settings: str) -> str:
    answer = manage(home, "shell", "--no-imports", "--command", ASK.format(question), **settings)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def _dead(home: Path, name: str) -> bool:
    return not (home / "local" / name / "state.json").exists()


@pytest.mark.drill
def test_it_replaces_one_server_alone_and_writes_files_for_its_own_account_only(home: Path) -> None:
    with local_services(home.parent / "other", redis=False, durable=False) as addresses:
        url = addresses["DATABASE_URL"]
        assert _ask(home, "SELECT current_user", DATABASE_URL=url) == "('parable_app',)"
        written = manage(home, "shell", "--no-imports", "--command", WRITE, DATABASE_URL=url)
        assert (written.returncode, written.stderr) == (0, "")
    assert _open_to_others(home) == []
    assert {path.name for path in (home / "releases").iterdir()} - {".drafts"} == {"a1b2"}
    assert [path.name for path in home.glob("files/a/*")] == ["b.txt"]
    assert (home / "local" / "redis").exists()
    assert not (home / "local" / "postgresql").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PARABLE_PORT", "many"),
        ("DATABASE_URL", "x"),
    ],
)
def test_it_refuses_a_bad_setting_with_a_sentence(home: Path, name: str, value: str) -> None:
    answer = manage(home, "showmigrations", **{name: value})
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"{name} must be")
    assert "Traceback" not in answer.stderr


def test_it_starts_no_servers_where_that_is_forbidden(home: Path) -> None:
    answer = manage(home, "migrate", PARABLE_LOCAL_SERVERS="False")
    assert answer.returncode == 2
    assert "DATABASE_URL and REDIS_URL must be set" in answer.stderr
    assert not home.exists()


def test_it_serves_in_production_only_with_servers_that_are_named(home: Path) -> None:
    answer = manage(home, "serve")
    assert answer.returncode == 2
    assert "DATABASE_URL and REDIS_URL must be set" in answer.stderr


def test_it_loads_no_settings_without_a_database_and_a_key(home: Path) -> None:
    for missing in ("DATABASE_URL", "REDIS_URL", "PARABLE_SECRET_KEY"):
        named = {
            "DATABASE_URL": "postgres://a@b/c",
            "REDIS_URL": "redis://b",
            "PARABLE_SECRET_KEY": "x" * 40,
        }
        del named[missing]
        answer = subprocess.run(
            [sys.executable, "-c", "import config.settings"],
            env=environment(home, **named),
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 1
        assert f"{missing} is not set" in answer.stderr


def test_it_helps_without_starting_anything(home: Path) -> None:
    assert "migrate" in manage(home, "help").stdout
    assert manage(home, "migrate", "--help").returncode == 0
    assert "usage: manage.py demo" in manage(home, "demo", "--help").stdout
    assert "unrecognized arguments: --port" in manage(home, "serve", "--port", "80").stderr
    assert not (home / "local").exists()


@pytest.mark.drill
def test_it_stops_the_servers_on_sigterm(home: Path) -> None:
    wait = "import time; print('here', flush=True); time.sleep(60)"
    command = [*MANAGE, "shell", "--no-imports", "--command", wait]
    nowhere = "postgres://nobody@localhost:1/none"  # Redis alone is started, and is enough to see it
    with running(command, home, DATABASE_URL=nowhere) as waiting:
        assert waiting.stdout
        assert waiting.stdout.readline().strip() == "here"
        waiting.send_signal(signal.SIGTERM)
        assert waiting.wait(timeout=30) == 143
    assert _dead(home, "redis")


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(json.load(answer) == {"database": True, "redis": True})
    except OSError:
        return False


def _open_to_others(home: Path) -> list[str]:
    """What others than the owner can list or read in the data folder.

    Locks, and what says that migrations and servers have run, hold nothing of anybody.
    """
    found, folders = [], [home]
    while folders:
        folder = folders.pop()
        for entry in folder.iterdir():
            rights = entry.lstat().st_mode
            holds_nothing = entry.name.startswith("migrat") or entry.name in BOOKKEEPING
            if rights & (stat.S_IRGRP | stat.S_IROTH) and not holds_nothing:
                found.append(str(entry.relative_to(home)))
            if entry.is_dir() and rights & (stat.S_IXGRP | stat.S_IXOTH):
                folders.append(entry)
    return found


@pytest.mark.drill
def test_it_runs_the_whole_site_and_stops_all_of_it(home: Path) -> None:
    port = free_port()
    (home / "releases" / "ab").mkdir(parents=True)
    (home / "releases").chmod(0o755)  # as an earlier version left it
    with running([*MANAGE, "run"], home, PARABLE_PORT=str(port), PARABLE_WEB_WORKERS="2") as site:
        wait_until(lambda: _healthy(port), 180)
        children = json.loads((home / "processes.json").read_text())["children"]
        assert len(children) == 5, "two web processes, two of workers, and the clock"
        assert _open_to_others(home) == []
        taken = manage(home, "run", PARABLE_PORT=str(port))
        assert taken.returncode == 2
        assert "already running" in taken.stderr
        other = manage(home.parent / "other", "run", PARABLE_PORT=str(port))
        assert other.returncode == 2
        assert f"port {port}" in other.stderr
        site.send_signal(signal.SIGINT)
        assert site.wait(timeout=30) == 0
    assert all(birth(int(pid)) is None for pid in children)
    question = "SELECT tableowner, current_user FROM pg_tables WHERE tablename = 'accounts_user'"
    assert _ask(home, question) == "('postgres', 'parable_app')"  # a command starts what it needs by itself
    assert _dead(home, "postgresql")
    assert _dead(home, "redis")


@pytest.mark.drill
def test_it_takes_over_from_a_site_that_was_killed(home: Path) -> None:
    port = free_port()
    with running([*MANAGE, "run"], home, PARABLE_PORT=str(port)) as site:
        wait_until(lambda: _healthy(port), 180)
        left = json.loads((home / "processes.json").read_text())["children"]
        os.kill(site.pid, signal.SIGKILL)
    assert any(birth(int(pid)) for pid in left)
    with running([*MANAGE, "run"], home, PARABLE_PORT=str(port)) as site:
        wait_until(lambda: all(birth(int(pid)) is None for pid in left), 60)
        wait_until(lambda: _healthy(port), 180)
        site.send_signal(signal.SIGTERM)
        assert site.wait(timeout=30) == 0


@pytest.mark.drill
def test_it_serves_as_in_production_with_hashed_files(home: Path) -> None:
    port = free_port()
    with local_services(home) as addresses:
        named = addresses | {
            "PARABLE_SECRET_KEY": "x" * 40,
            "PARABLE_PORT": str(port),
            "PARABLE_PROXIES": "1",
        }
        with running([*MANAGE, "serve"], home, **named) as site:
            wait_until(lambda: _healthy(port), 180)
            page = _get(port, "/accounts/login/")
            sheet = re.search(rb'href="(/static/css/parable\.[0-9a-f]{12}\.css)"', page)
            assert sheet, page
            assert _get(port, sheet[1].decode())
            site.send_signal(signal.SIGTERM)
            assert site.wait(timeout=30) == 0


def _get(port: int, path: str) -> bytes:
    """Ask as a reverse proxy with TLS would."""
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return bytes(answer.read())
