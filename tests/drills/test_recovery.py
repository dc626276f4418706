"""A site is recovered to a point in time from a base backup, archived WAL and a copy of its files."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.local.launcher import detached, launch, run_once
from config.local.places import unprivileged_account
from config.local.process_identity import birth, stop
from config.local.programs import find_programs
from tests.config.programs import wait_until
from tests.drills.hashes import hashes_of
from tests.restoring import manage_on
from tests.upgrades.stored import DUMPS

pytestmark = pytest.mark.drill

ARCHIVES = """
wal_level = replica
archive_mode = on
archive_command = 'test ! -f {wal}/%f && cp %p {wal}/%f.part && mv {wal}/%f.part {wal}/%f'
"""
"""As docs/operating.md has it, but for the folder; a part never has the name of a segment."""
RECOVERS = """
restore_command = 'cp {wal}/%f %p'
recovery_target_{kind} = '{target}'
recovery_target_action = 'promote'
"""

PERSON = (
    "UPDATE accounts_user SET name = '{name}' WHERE id = (SELECT min(id) FROM accounts_user) RETURNING id"
)
NAMES = "SELECT name FROM accounts_user WHERE name IN ('crow', 'fox')"


class Server:
    """PostgreSQL on a socket, with one data folder after another."""

    def __init__(self, folder: Path) -> None:
        self._account = unprivileged_account()
        self._programs = find_programs(self._account)
        self._folder, self.wal, self._running = folder, folder / "wal", (0, "")
        for each in (folder, self.wal):
            each.mkdir(exist_ok=True)
            if self._account:
                self._account.own(each)
        folder.chmod(0o711)
        self.url = f"postgres://postgres@/postgres?host={folder}"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs to its end."""
        done = run_once([str(self._programs / program), *arguments], account=self._account)
        assert done.returncode == 0, done.stderr

    def make(self, name: str) -> Path:
        """Return a new data folder."""
        options = ("-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self.run("initdb", "-D", str(self._folder / name), *options)
        return self._folder / name

    def back_up(self, name: str) -> Path:
        """Return a base backup of the running server."""
        target = self._folder / name
        self.run("pg_basebackup", "-d", self.url, "-D", str(target), "--checkpoint=fast", "--no-sync")
        return target

    def copy(self, data: Path, name: str) -> Path:
        """Return a copy of a data folder."""
        target = self._folder / name
        done = run_once(["cp", "-a", str(data), str(target)], account=self._account)
        assert done.returncode == 0, done.stderr
        return target

    def start(self, data: Path) -> None:
        """Start on a data folder, and return when rows can be written."""
        options = ("listen_addresses=", f"unix_socket_directories={self._folder}", "fsync=off")
        command = [str(self._programs / "postgres"), "-D", str(data)]
        command += [part for option in options for part in ("-c", option)]
        process = launch(command, log=self._folder / "log", account=self._account)
        self._running = process.pid, birth(process.pid) or ""
        detached(process)
        wait_until(self._takes_rows, 120)

    def _takes_rows(self) -> bool:
        try:
            return not self.ask("SELECT pg_is_in_recovery()")
        except psycopg.OperationalError:
            return False

    def ask(self, statement: str) -> Any:
        """Return the only value of a statement."""
        with psycopg.connect(self.url, autocommit=True) as line:
            return (line.execute(statement.encode()).fetchone() or (None,))[0]

    def end(self) -> None:
        """End the server at once, as a power cut would."""
        stop(*self._running, signal.SIGQUIT, signal.SIGKILL)


@pytest.fixture
def server() -> Iterator[Server]:
    """Yield a server without data, in a folder that another user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="parable-recovery-"))
    own = Server(folder)
    yield own
    own.end()
    shutil.rmtree(folder)


def test_what_was_before_a_mistake_comes_back(server: Server, tmp_path: Path) -> None:
    home, copied = tmp_path / "var", tmp_path / "copied"

    def manage(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return manage_on(server.url, folder, *arguments)

    def write(name: str) -> None:
        """Name a person and write a file: as those of releases are, written once, and named by its hash."""
        server.ask(PERSON.format(name=name))
        path = home / "releases" / hashlib.sha256(name.encode()).hexdigest()
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)

    def follow() -> None:
        """As `rsync -a` without --delete: what is there is never changed or removed."""
        for folder in ("files", "releases"):
            (home / folder).mkdir(parents=True, exist_ok=True)
            shutil.copytree(home / folder, copied / folder, dirs_exist_ok=True)

    data = server.make("data")
    with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.write(ARCHIVES.format(wal=server.wal))
    server.start(data)
    with psycopg.connect(server.url, autocommit=True) as line:
        line.execute(lzma.decompress(max(DUMPS.glob("*.sql.xz")).read_bytes()))
    assert manage(home, "migrate", "--verbosity", "0").returncode == 0
    base = server.back_up("base")
    follow()

    write("crow")
    with psycopg.connect(server.url, autocommit=True) as line:
        line.execute("SELECT pg_create_restore_point('before_the_mistake')")
        wanted = hashes_of(line)
        targets = {"name": "before_the_mistake", "time": str(server.ask("SELECT clock_timestamp()"))}
        targets["lsn"] = str(server.ask("SELECT pg_current_wal_lsn()"))
        write("fox")
        line.execute("UPDATE annotation_itemdraft SET content = '{}'")
        assert hashes_of(line) != wanted
        last = server.ask("SELECT pg_walfile_name(pg_switch_wal())")
        wait_until(lambda: (server.ask("SELECT last_archived_wal FROM pg_stat_archiver") or "") >= last, 60)
    follow()
    server.end()
    shutil.rmtree(data)
    shutil.rmtree(home)

    for kind, target in targets.items():
        restored = server.copy(base, kind)
        with (restored / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.write(RECOVERS.format(wal=server.wal, kind=kind, target=target))
        (restored / "recovery.signal").touch()
        os.chown(restored / "recovery.signal", restored.stat().st_uid, restored.stat().st_gid)
        server.start(restored)
        with psycopg.connect(server.url) as line:
            assert hashes_of(line) == wanted, kind
            assert line.execute(NAMES).fetchall() == [("crow",)]
        if kind == "name":
            shown = manage(copied, "doctor", "--json")
            found = {one["code"] for one in json.loads(shown.stdout.splitlines()[-1])["findings"]}
            # the site is not started, its role is the owner, and the list of vulnerabilities may be old
            assert found <= {"worker_default", "worker_llm", "owner", "backup", "advisories"}, shown.stdout
        server.end()
    assert (copied / "releases" / hashlib.sha256(b"crow").hexdigest()).read_text() == "crow"
