"""A PostgreSQL server on a private socket, with its data (cluster) in the data folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from config.local.errors import LocalServerError
from config.local.launcher import detached, last_lines, launch, run_once
from config.local.places import service_folder, unprivileged_account
from config.local.process_identity import birth, stop
from config.local.programs import find_programs
from config.local.shared_server import Running
from config.roles import prepare_application_role
from parable.system import arguments, children

DATABASE = "parable"
OWNER = "postgres"
HANGS_STILL_AFTER = 2.0
"""Seconds between two checks for a hang: PostgreSQL needs a moment to handle the end of a process."""
APPLICATION = "parable_app"
"""The role of the web server and workers, which may read and write rows but owns no table."""


class PostgreSQL:
    """The PostgreSQL server of a data folder."""

    def __init__(self, home: Path, *, durable: bool) -> None:
        self._durable = durable
        self._account = unprivileged_account()
        self._folder = service_folder(home, "postgresql", self._account)
        self._cluster = self._folder / "cluster"
        self._process: subprocess.Popen[bytes]

    @property
    def folder(self) -> Path:
        """The folder of the server's locks, log and cluster."""
        return self._folder

    def start(self, socket_folder: Path) -> Running:
        """Start the server, after creating the cluster if it is missing."""
        programs = find_programs(self._account)
        if not self._cluster.exists():
            self._initialise(programs)
        self._check_version(programs)
        self._clear_leftovers()
        if self._account:
            self._account.own(socket_folder)
        options = ["listen_addresses=", "unix_socket_permissions=0700", "timezone=UTC"]
        if not self._durable:
            options += ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
            options += ["max_connections=300"]  # several sites of drills share one server
        command = [str(programs / "postgres"), "-D", str(self._cluster), "-k", str(socket_folder)]
        command += [part for option in options for part in ("-c", option)]
        self._process = launch(command, log=self._folder / "log", account=self._account)
        return Running(self._process.pid, birth(self._process.pid) or "", str(socket_folder))

    def wait(self, running: Running) -> None:
        """Wait until the server accepts connections, and create the database and role if they are missing.

        After a crash, the server first replays its log. Raises LocalServerError if it does not start.
        """
        deadline = time.monotonic() + 120
        while _refusal(_url(running, OWNER, "postgres")):
            if self.hangs(running):
                self.end(running)
            if self._process.poll() is not None or time.monotonic() > deadline:
                output = last_lines(self._folder / "log")
                raise LocalServerError(f"PostgreSQL did not start: {output}")
            time.sleep(0.1)
        detached(self._process)
        try:
            _prepare(running)
        except psycopg.Error as error:  # on a full disk it may exit just after starting
            raise LocalServerError(f"PostgreSQL did not stay: {error}") from error

    def stop(self, running: Running) -> None:
        """Stop the server and close open connections. Committed data are not lost."""
        stop(running.pid, running.born, signal.SIGINT, signal.SIGQUIT)

    def hangs(self, running: Running) -> bool:
        """Return whether the server refuses connections, although it is not replaying its write-ahead log.

        A full disk can end the replaying process at a moment when PostgreSQL 18.6 does not notice: the server
        then waits for ever, even when there is space again.
        """
        for wait in (0.0, HANGS_STILL_AFTER):
            time.sleep(wait)
            refusal = _refusal(_url(running, OWNER, "postgres"))
            at_work = any("startup" in arguments(pid) for pid in children(running.pid))
            if not ("accepting connections" in refusal and not at_work):
                return False
        return True

    def end(self, running: Running) -> None:
        """Kill the server at once. Committed data are not lost."""
        stop(running.pid, running.born, signal.SIGQUIT)

    def addresses(self, running: Running) -> dict[str, str]:
        """Return DATABASE_URL, with the application's role, and DATABASE_OWNER_URL."""
        return {
            "DATABASE_URL": _url(running, APPLICATION, DATABASE),
            "DATABASE_OWNER_URL": _url(running, OWNER, DATABASE),
        }

    def _initialise(self, programs: Path) -> None:
        """Create a cluster under a temporary name, then rename it: an incomplete one would never start."""
        draft = self._folder / "cluster.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        if self._account:
            self._account.own(draft)
        command = [str(programs / "initdb"), "-D", str(draft), "-U", OWNER, "--auth=trust", "--no-sync"]
        for locale in (["--locale-provider=builtin", "--builtin-locale=C.UTF-8"], ["--locale=C"]):
            # The second locale is for PostgreSQL before 17, which has no built-in locale provider.
            made = run_once([*command, "--encoding=UTF8", *locale], account=self._account)
            if made.returncode == 0:
                draft.rename(self._cluster)
                return
        raise LocalServerError(f"PostgreSQL could not make its data folder: {made.stderr.strip()}")

    def _check_version(self, programs: Path) -> None:
        made_by = (self._cluster / "PG_VERSION").read_text(encoding="ascii").strip()
        ours = run_once([str(programs / "postgres"), "-V"], account=self._account).stdout.split()[2]
        if ours.split(".")[0] != made_by:
            raise LocalServerError(
                f"The data in {self._cluster} were made by PostgreSQL {made_by}, but this is"
                f" PostgreSQL {ours}; restore a backup into a new data folder (PARABLE_HOME)."
            )

    def _clear_leftovers(self) -> None:
        """Write our own pid to the pid file of a dead server, so that PostgreSQL does not refuse to start.

        It would refuse if the old pid now belongs to a zombie or another program. We hold the exclusive lock
        and have stopped all our servers, so no server is running. The new pid is our own, since PostgreSQL
        ignores the pid of its parent. The file itself stays, because PostgreSQL uses it to detect processes
        of the dead server that still write, and refuses to start beside them.
        """
        pid_file = self._cluster / "postmaster.pid"
        if not pid_file.exists():
            return
        lines = pid_file.read_text(encoding="utf-8").splitlines()
        if not lines:  # cut off by a full disk
            pid_file.unlink()
            return
        pid = int(lines[0])
        born = birth(pid)
        if born and str(self._cluster) in arguments(pid):  # started, but not recorded by our state file
            stop(pid, born, signal.SIGINT, signal.SIGQUIT)
        if pid_file.exists():
            with pid_file.open("r+", encoding="utf-8") as file:  # in place: a full disk allows no new file
                file.write("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
                file.truncate()


def _url(running: Running, role: str, database: str) -> str:
    return f"postgres://{role}@/{database}?host={running.socket_folder}"


def _refusal(url: str) -> str:
    """Return why a server refuses connections; "" if it accepts them."""
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError as error:
        return str(error) or "no reason"
    return ""


def _prepare(running: Running) -> None:
    """Create the database and the application's role if they are missing."""
    with psycopg.connect(_url(running, OWNER, "postgres"), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if found.fetchone() is None:
            # Privileges granted here are inherited by every later database, including those of tests.
            prepare_application_role(_url(running, OWNER, "template1"), role=APPLICATION)
            connection.execute(f"CREATE DATABASE {DATABASE}")
    prepare_application_role(_url(running, OWNER, DATABASE), role=APPLICATION)
