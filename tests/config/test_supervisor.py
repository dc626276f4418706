"""The supervisor starts again what dies, alone, and stops all of it in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from config.local import LocalServerError, local_services, postgresql, servers_of
from config.local.launcher import detached
from config.local.process_identity import birth
from config.local.shared_server import end_if_hung, restart_if_dead
from config.roles import prepare_application_role
from config.supervisor import LONGEST_WAIT, seconds_before
from tests.config.programs import running, wait_until
from tests.config.test_local_services import _ask, _pids

RUN = """
import json, pathlib, sys
from config import supervisor as supervision
commands, stages, seconds, folder = json.loads(sys.argv[1])
supervision.LEAST_SECONDS = min(supervision.LEAST_SECONDS, seconds)
folder = pathlib.Path(folder)
record = folder / "record.json"
supervisor = supervision.Supervisor(commands, base=folder, record=record, stages=stages, stop_seconds=seconds)
sys.exit(supervisor.run())
"""
# What a process of the site does here: it writes its number down, and how it ended.
LIVE = """
import os, pathlib, signal, sys, time
name, stop_seconds = sys.argv[1], float(sys.argv[2])
book = pathlib.Path("book")
def note(what):
    with book.open("a") as file:
        file.write(f"{name} {what}\\n")
def leave(number, frame):
    note("asked")
    time.sleep(stop_seconds)
    note("left")
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
signal.signal(signal.SIGINT, signal.SIG_IGN)
note(f"began {os.getpid()}")
while True:
    time.sleep(0.05)
"""


class Site:
    """A supervisor in a process of its own, with what it and its processes say."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self._book = folder / "book"

    def book(self) -> list[str]:
        return self._book.read_text().splitlines() if self._book.exists() else []

    def pid(self, name: str) -> int:
        """The newest process of this name."""
        began = [line for line in self.book() if line.startswith(f"{name} began")]
        return int(began[-1].split()[-1]) if began else 0

    def wait_for(self, *names: str) -> None:
        wait_until(lambda: all(self.pid(name) for name in names), 60)

    def end(self) -> str:
        """Wait for its end; return all that it printed."""
        return self.process.communicate(timeout=60)[0]


def command(name: str, stop_seconds: float = 0.0) -> list[str]:
    return [sys.executable, "-S", "-c", LIVE, name, str(stop_seconds)]


def supervised(
    commands: dict[str, list[str]], folder: Path, *, stages: object = (), seconds: float = 30.0
) -> list[str]:
    return [sys.executable, "-c", RUN, json.dumps([commands, stages, seconds, str(folder)])]


def test_it_starts_again_alone_what_was_killed(tmp_path: Path) -> None:
    commands = {name: command(name) for name in ("web", "worker")}
    with running(supervised(commands, tmp_path), tmp_path) as process:
        site = Site(process, tmp_path)
        site.wait_for("web", "worker")
        web, worker = site.pid("web"), site.pid("worker")
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: site.pid("worker") != worker, 60)
        assert site.pid("web") == web
        assert birth(web)
        process.send_signal(signal.SIGTERM)
        said = site.end()
    assert "worker ended (killed by SIGKILL) and is started again in" in said
    assert process.returncode == 0
    assert not (tmp_path / "record.json").exists()


def test_it_clears_what_a_killed_process_left(tmp_path: Path) -> None:
    nest = f"import subprocess, sys, time; subprocess.Popen({command('inner')!r}); time.sleep(600)"
    commands = {"web": [sys.executable, "-S", "-c", nest]}
    with running(supervised(commands, tmp_path), tmp_path) as process:
        site = Site(process, tmp_path)
        site.wait_for("inner")
        inner = site.pid("inner")
        outer = int(Path(f"/proc/{inner}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(outer, signal.SIGKILL)
        wait_until(lambda: birth(inner) is None, 60)
        wait_until(lambda: site.pid("inner") != inner, 60)
        process.send_signal(signal.SIGTERM)
        site.end()
    assert birth(site.pid("inner")) is None


@pytest.mark.drill
def test_it_says_why_a_process_cannot_live_and_goes_on_trying(tmp_path: Path) -> None:
    commands = {
        "web": command("web"),
        "beat": [sys.executable, "-S", "-c", "raise SystemExit('no such host')"],
    }
    lines: list[str] = []
    with running(supervised(commands, tmp_path), tmp_path) as process:
        assert process.stdout
        for line in process.stdout:
            lines.append(line)
            if "has ended 5 times" in line:
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert "no such host" in lines[-1]
    assert "docs/settings.md" in lines[-1]
    assert sum("beat ended (exit code 1)" in line for line in lines) == 5


def test_it_waits_longer_after_each_end_but_never_long() -> None:
    for ends in range(1, 40):
        whole = min(LONGEST_WAIT, 0.5 * 2 ** (ends - 1))
        assert whole / 2 <= seconds_before(ends) <= whole


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_lets_each_stage_finish_before_it_stops_the_next(tmp_path: Path, number: signal.Signals) -> None:
    commands = {name: command(name, 0.3) for name in ("model", "worker", "llm-worker")}
    stages = [["llm-worker"], ["worker"]]
    with running(supervised(commands, tmp_path, stages=stages), tmp_path) as process:
        site = Site(process, tmp_path)
        site.wait_for(*commands)
        process.send_signal(number)
        said = site.end()
    ends = [line for line in site.book() if "began" not in line]
    names = ("llm-worker", "worker", "model")
    assert ends == [f"{name} {what}" for name in names for what in ("asked", "left")]
    assert "waiting for llm-worker" in said
    assert process.returncode == 0


@pytest.mark.parametrize("how", ["a second Ctrl-C", "its time is over"])
def test_it_stops_at_once_what_does_not_end(tmp_path: Path, how: str) -> None:
    seconds = 3600.0 if how == "a second Ctrl-C" else 1.0
    with running(supervised({"web": command("web", 3600)}, tmp_path, seconds=seconds), tmp_path) as process:
        site = Site(process, tmp_path)
        site.wait_for("web")
        process.send_signal(signal.SIGINT)
        wait_until(lambda: "web asked" in site.book())
        if how == "a second Ctrl-C":
            process.send_signal(signal.SIGINT)
        said = site.end()
    assert "web left" not in site.book()
    assert "Stopped at once: web." in said
    assert birth(site.pid("web")) is None


def test_it_goes_on_where_nobody_reads_what_it_says(tmp_path: Path) -> None:
    loud = "import sys\nwhile True: print('x' * 1000, flush=True)"
    commands = {"beat": [sys.executable, "-S", "-c", loud], "web": command("web")}
    with running(supervised(commands, tmp_path), tmp_path) as process:
        site = Site(process, tmp_path)
        site.wait_for("web")
        before = site.pid("web")
        os.kill(before, signal.SIGKILL)
        wait_until(lambda: site.pid("web") != before, 60)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


@pytest.mark.drill
def test_it_starts_local_servers_again_in_their_old_place(home: Path) -> None:
    with local_services(home, durable=False) as addresses:
        servers = servers_of(home, ["DATABASE_URL", "REDIS_URL"], durable=False)
        assert not any(restart_if_dead(server) for server in servers.values())
        before = _pids(home)
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda pid=pid: birth(pid) is None)  # type: ignore[misc]  # mypy infers no such lambda
        assert all(restart_if_dead(server) for server in servers.values())
        assert _ask(addresses["DATABASE_URL"], "SELECT 1") == 1  # at the address that processes know
        after = _pids(home)
    assert not set(before.values()) & set(after.values())
    assert all(birth(pid) is None for pid in after.values())


@pytest.mark.drill
def test_a_database_that_waits_for_a_process_of_its_own_that_has_ended_is_started_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A standby lets nobody in: it stands for what a full disk can make of PostgreSQL."""
    with local_services(home, redis=False, durable=False) as addresses:
        (server,) = servers_of(home, ["DATABASE_URL"], durable=False).values()
        assert not end_if_hung(server), "it answers"
        cluster = home / "local" / "postgresql" / "cluster"
        settings, standby = cluster / "postgresql.auto.conf", cluster / "standby.signal"
        good = settings.read_text()
        settings.write_text("hot_standby = off\n")
        standby.touch()
        os.kill(_database_pid(home), signal.SIGKILL)
        wait_until(lambda: birth(_database_pid(home)) is None)
        with monkeypatch.context() as patch:
            patch.setattr(postgresql.PostgreSQL, "wait", lambda self, _running: detached(self._process))
            assert restart_if_dead(server)
        wait_until(lambda: "accepting" in postgresql._refusal(addresses["DATABASE_OWNER_URL"]))
        assert not end_if_hung(server), "a process of its own still reads the log"
        monkeypatch.setattr(postgresql, "children", lambda _pid: [])
        assert end_if_hung(server)
        monkeypatch.undo()
        settings.write_text(good)
        standby.unlink()
        assert restart_if_dead(server)
        assert _ask(addresses["DATABASE_URL"], "SELECT 1") == 1


@pytest.mark.drill
def test_it_keeps_the_place_of_a_server_that_cannot_be_started_yet(home: Path) -> None:
    with local_services(home, redis=False, durable=False) as addresses:
        (server,) = servers_of(home, ["DATABASE_URL"], durable=False).values()
        pid = _database_pid(home)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: birth(pid) is None)
        settings = home / "local" / "postgresql" / "cluster" / "postgresql.auto.conf"
        good = settings.read_text()
        settings.write_text("no_such_setting = 1\n")
        with pytest.raises(LocalServerError):
            restart_if_dead(server)
        settings.write_text(good)
        assert restart_if_dead(server)
        assert _ask(addresses["DATABASE_URL"], "SELECT 1") == 1


@pytest.mark.drill
def test_a_server_that_ends_while_it_is_prepared_is_tried_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end_first(url: str, *, role: str) -> None:
        os.kill(_database_pid(home), signal.SIGKILL)
        wait_until(lambda: birth(_database_pid(home)) is None)
        prepare_application_role(url, role=role)

    with local_services(home, redis=False, durable=False) as addresses:
        (server,) = servers_of(home, ["DATABASE_URL"], durable=False).values()
        pid = _database_pid(home)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: birth(pid) is None)
        monkeypatch.setattr(postgresql, "prepare_application_role", end_first)
        with pytest.raises(LocalServerError):
            restart_if_dead(server)
        monkeypatch.undo()
        assert restart_if_dead(server)
        assert _ask(addresses["DATABASE_URL"], "SELECT 1") == 1


def _database_pid(home: Path) -> int:
    return int(json.loads((home / "local" / "postgresql" / "state.json").read_text())["pid"])
