"""A disk that fills up refuses work in words, and the site goes on by itself once there is room.

The data folder lies on a file system of its own in memory, which takes root; elsewhere this is skipped.
Its local PostgreSQL and Redis are then killed too: the supervisor starts them again.
"""

from __future__ import annotations

import http.cookiejar
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from accounts.forms import UTC
from config.local.process_identity import birth
from tests.architecture import BASE
from tests.config.programs import environment, wait_until
from tests.drills.site import SERVED_WITHIN, Site

pytestmark = pytest.mark.drill

SIZE = "200m"
FULL_FOR = 18.0
PASSWORD = "correct horse battery staple"


@pytest.fixture
def disk() -> Iterator[Path]:
    """A small file system of our own."""
    folder = Path(tempfile.mkdtemp(prefix="parable-disk-"))
    folder.chmod(0o755)
    options = f"size={SIZE},mode=0755"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        folder.rmdir()
        pytest.skip("only root may mount the small file system that this drill fills")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
    folder.rmdir()


class Person:
    """Somebody who signs in and changes their name again and again."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self._cookies), _StaysHere()
        )
        self.saved = 0
        self.refusals: list[tuple[int, str]] = []

    def sign_in(self) -> None:
        self._ask("/accounts/login/")
        status, _page = self._ask("/accounts/login/", login="ada", password=PASSWORD)
        assert status == 302

    def save(self) -> bool:
        """Change the name; whether the site said that it did."""
        asked = {"name": f"Ada {self.saved + 1}", "language": "en", "time_zone": UTC}
        status, page = self._ask("/me", **asked)
        if status == 302:
            self.saved += 1
        else:
            self.refusals.append((status, page))
        return status == 302

    def _ask(self, path: str, **form: str) -> tuple[int, str]:
        token = next((each.value for each in self._cookies if each.name == "csrftoken"), "")
        data = urllib.parse.urlencode(form | {"csrfmiddlewaretoken": token}).encode() if form else None
        try:
            with self._opener.open(self._address + path, data, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.read().decode()
        except OSError:
            return 0, ""


class _StaysHere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **named: object) -> None:
        """Follow nothing."""


def _database(home: Path) -> str:
    state = json.loads((home / "local" / "postgresql" / "state.json").read_text())
    return f"postgres://postgres@/parable?host={state['socket_folder']}"


def _fill(disk: Path) -> Path:
    """Take every byte that is left."""
    ballast = disk / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (1_000_000, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


def _need_room_for_log(home: Path) -> None:
    """Let the database want a new file for its log of changes, as it does after some megabytes."""
    try:
        with psycopg.connect(_database(home), autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
            connection.execute("CREATE TABLE IF NOT EXISTS room (a int)")
    except psycopg.Error:
        return


def test_it_outlives_a_full_disk_and_servers_that_were_killed(disk: Path) -> None:
    home = disk / "var"
    made = subprocess.run(
        [sys.executable, "manage.py", "create_administrator", "ada", "--name", "Ada"],
        input=PASSWORD, text=True, cwd=BASE, env=environment(home), capture_output=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    settings = {"DATABASE_URL": "", "DATABASE_OWNER_URL": "", "REDIS_URL": ""}
    log_folder = Path(tempfile.mkdtemp(prefix="parable-log-"))
    with Site(home, settings, [sys.executable, "manage.py", "run"], log_folder / "log") as site:
        person = Person(site.port)
        wait_until(lambda: person._ask("/accounts/login/")[0] == 200, 120)
        person.sign_in()
        assert person.save(), person.refusals
        saved_before = person.saved

        ballast = _fill(disk)
        until = time.monotonic() + FULL_FOR
        while time.monotonic() < until:
            person.save()
            _need_room_for_log(home)
            time.sleep(0.3)
        ballast.unlink()
        print(f"{person.saved - saved_before} saves while the disk was full, {len(person.refusals)} refused")
        assert person.refusals
        assert {status for status, _page in person.refusals} <= {0, 503, 507}
        assert any(
            "may not have been saved" in page or "nothing was saved" in page for _s, page in person.refusals
        )
        assert not [page for _status, page in person.refusals if "Traceback" in page]
        _is_served(person, "the disk has room")

        for name in ("postgresql", "redis"):
            state = home / "local" / name / "state.json"
            before = json.loads(state.read_text())
            os.kill(before["pid"], signal.SIGKILL)
            wait_until(lambda pid=before["pid"]: birth(pid) is None)  # type: ignore[misc]  # mypy infers no such lambda
            wait_until(lambda state=state, pid=before["pid"]: json.loads(state.read_text())["pid"] != pid, 60)  # type: ignore[misc]  # as above
            _is_served(person, f"{name} was killed")
        with psycopg.connect(_database(home)) as connection:
            row = connection.execute("SELECT count(*) FROM accounts_auditevent WHERE verb = 'update_profile'")
            (kept,) = row.fetchone() or (0,)
        assert kept >= person.saved  # what was acknowledged is there
        assert site.stop(120) == 0
        said = site.said()
        assert "Traceback" not in said, said[:3000]
    parts = [
        path
        for path in home.rglob("*")
        if path.name.endswith((".part", ".new")) or ".drafts" in path.parts[:-1]
    ]
    assert not parts
    shutil.rmtree(log_folder)


def _is_served(person: Person, after: str) -> None:
    began = time.monotonic()
    wait_until(person.save, SERVED_WITHIN)
    print(f"{after}: served again after {time.monotonic() - began:.1f} s")
