"""A walk of the site on the Python that runs it: a sign-in and pages of each role, and a command.

`make pythons` repeats it on every other Python that is found.
"""

from __future__ import annotations

import http.cookiejar
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import BASE
from tests.config.programs import environment, free_port, wait_until
from tests.drills.demo import PATIENCE, demo, until_served

pytestmark = pytest.mark.drill

PAGES = {
    "writer": ["write", "guideline"],
    "reviewer": ["review", "guideline"],
    "verifier": ["verify", "adjudicate"],
    "manager": ["overview", "items", "evaluation", "members", "settings", "work-report", "export"],
}
"""Pages of a project for each role, by the end of their addresses."""


class Visitor:
    """A browser without a window: it keeps cookies and follows where it is sent."""

    def __init__(self, port: int) -> None:
        self._site = f"http://127.0.0.1:{port}"
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )

    def open(self, address: str, form: dict[str, str] | None = None) -> str:
        """Return a page, or what answers a form; fail where it is no page."""
        data = None if form is None else urllib.parse.urlencode(form).encode()
        asked = urllib.request.Request(self._site + address, data, {"Referer": self._site + address})
        with self._opener.open(asked, timeout=60) as answer:
            return str(answer.read().decode())

    def sign_in(self, name: str, password: str) -> str:
        """Return the first page of this person."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.open("/accounts/login/"))
        assert token is not None
        return self.open(
            "/accounts/login/", {"login": name, "password": password, "csrfmiddlewaretoken": token[1]}
        )


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[Path, int, str]]:
    """`manage.py demo` on a data folder of its own: the folder, its port, and what it has printed."""
    with tempfile.TemporaryDirectory(prefix="parable-walk-") as name:
        home, port, log = Path(name) / "home", free_port(), Path(name) / "log"
        Path(name).chmod(0o755)
        command = [sys.executable, "manage.py", "demo"]
        with demo(BASE, port, log, command, PARABLE_HOME=str(home)) as process:
            until_served(process, port, log)
            wait_until(lambda: "A worker fills them" in log.read_text(encoding="utf-8"), PATIENCE)
            yield home, port, log.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("role", PAGES)
def test_each_role_signs_in_and_sees_its_pages(site: tuple[Path, int, str], role: str, language: str) -> None:
    _home, port, said = site
    person = re.search(rf"^  ({role}-{language}) +password +(\S+)  (.+)$", said, re.MULTILINE)
    assert person is not None
    visitor = Visitor(port)
    first = visitor.sign_in(person[1], person[2])
    assert person[3].strip() in first
    project = re.search(r'href="(/p/[-\w]+)"', first)
    assert project is not None
    for end in PAGES[role]:
        assert "<main" in visitor.open(f"{project[1]}/{end}"), end


def test_a_command_joins_the_servers_that_run(site: tuple[Path, int, str]) -> None:
    home, _port, _said = site
    command = [
        sys.executable,
        "manage.py",
        "create_project",
        "walked",
        "--name",
        "Walked",
        "--language",
        "en",
    ]
    done = subprocess.run(
        command,
        cwd=BASE,
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
