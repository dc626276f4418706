"""A site of an earlier version is upgraded, or is as it was: killed and failing at each step, and back."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.architecture import BASE
from tests.config.programs import environment
from tests.drills.hashes import hashes_of
from tests.restoring import empty_database
from tests.services import SETTINGS
from tests.upgrades.stored import DUMPS
from tests.upgrades.test_upgrade import GONE, REWRITTEN, changed, rows_of

pytestmark = pytest.mark.drill

OLDEST = min(DUMPS.glob("*.sql.xz"))


class Installation:
    """A stopped site with the data of the oldest dump, and with two roles; commands run on it."""

    def __init__(self, url: str, own_url: str, home: Path, process: subprocess.Popen[str]) -> None:
        self.url, self.home, self._own_url, self._process = url, home, own_url, process
        with psycopg.connect(url, autocommit=True) as line:
            line.execute(lzma.decompress(OLDEST.read_bytes()))
        for name in ("files/1/stories.jsonl", "releases/ab/crow.jsonl"):
            path = home / name
            path.parent.mkdir(parents=True)
            path.write_text(name)

    def manage(self, *arguments: str, fault: str = "") -> tuple[int, str]:
        """Run a command; return its exit code, or minus the signal, and what it printed."""
        out = self.home.with_name("said")
        asked = {"arguments": arguments, "fault": fault, "out": str(out), "url": self._own_url}
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline()), out.read_text(encoding="utf-8")

    def state(self) -> dict[str, Any]:
        """Return the hashes of all tables and files, but not sequences: no transaction takes back ids."""
        with psycopg.connect(self.url) as line:
            found: dict[str, Any] = {**hashes_of(line)}
        for path in sorted(path for name in ("files", "releases") for path in (self.home / name).rglob("*")):
            if path.is_file():
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """Yield a site of the oldest version that has a dump, on its own database."""
    home, role = tmp_path / "var", f"test_site_{secrets.token_hex(4)}"
    with ExitStack() as stack:
        url = stack.enter_context(empty_database())
        before, _at, after = url.partition("@")
        named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"} | {
            "DATABASE_OWNER_URL": url,
            "DATABASE_URL": url,
            "REDIS_URL": os.environ["REDIS_URL"],
        }
        with psycopg.connect(url) as line:
            line.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'words'".encode())
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "tests.drills.commands"],
                cwd=BASE,
                env=environment(home, **named),
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        stack.callback(process.kill)
        own_url = f"{before.partition('//')[0]}//{role}:words@{after}"
        yield Installation(url, own_url, home, process)
        with psycopg.connect(url) as line:
            line.execute(f"DROP OWNED BY {role}".encode())
            line.execute(f"DROP ROLE {role}".encode())


def test_whatever_stops_an_upgrade_it_is_one_of_the_two_versions(
    installation: Installation, tmp_path: Path
) -> None:
    archives = tmp_path / "archives"
    upgrade = ("upgrade", str(archives), "--json")
    before = installation.state()
    with psycopg.connect(installation.url) as line:
        rows = rows_of(line)
        code, said = installation.manage(*upgrade)
        assert (code, "1 other connection uses this database" in said) == (2, True), said

    code, said = installation.manage(*upgrade, fault="killed in the backup")
    assert (code, installation.state() == before) == (-9, True), said
    assert not list(archives.glob("parable-*.zip"))

    code, said = installation.manage(*upgrade, fault="killed after three migrations")
    assert (code, installation.state() == before) == (-9, True), said
    archive = str(max(archives.glob("parable-*.zip")))

    for fault, state in (
        ("refused after three migrations", "unchanged"),
        ("unusable after the commit", "restored"),
    ):
        code, said = installation.manage(*upgrade, fault=fault)
        shown = json.loads(said.splitlines()[-1])
        assert (code, shown["state"], shown["migrations"]) == (1, state, []), said
        assert "A crow sits on it. Put the former sources back" in shown["problem"]
        assert installation.state() == before

    code, said = installation.manage(*upgrade, fault="killed after the commit")
    assert code == -9, said
    code, said = installation.manage(*upgrade)
    shown = json.loads(said.splitlines()[-1])
    assert (code, shown["state"], shown["problem"]) == (0, "upgraded", ""), said
    assert f"restore {shown['archive']} --replace --no-migrate" in said
    with psycopg.connect(installation.url) as line:
        assert changed(rows, rows_of(line), {*GONE, *REWRITTEN}) == {}
    assert installation.state() != before

    code, said = installation.manage("restore", archive, "--replace", "--no-migrate")
    assert (code, installation.state() == before) == (0, True), said
