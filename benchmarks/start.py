"""Memory of an idle site and time to start a command, of this build and of an earlier build, in turns.

Each turn starts a whole site, as `manage.py run` does, on a data folder of its build, waits until it is
ready, requests the sign-in page from every web process, and measures the memory of the idle site's Python
processes; shared memory counts once (PSS). Times of commands, process starts and first answers are processor
time. `PARABLE_BENCH_BEFORE` names the earlier commit.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from threading import Thread

from benchmarks.items import BASE, BEFORE, unpack
from benchmarks.lines import Line, line

BENCH = "start"
TURNS = 3
MOST = {"idle site": 0.85, "first answer": 0.5}
"""The maximum ratio to the earlier build: of its memory, and of its processor time for the first answer."""
NO_WORSE = 1.1
"""The maximum ratio of other figures: 1, plus the usual difference between two runs of one build."""
COMMANDS = {
    "manage.py help": ("manage.py", "help"),
    "manage.py check": ("manage.py", "check"),
    "manage.py migrate --check": ("manage.py", "migrate", "--check"),
    "parable --help": ("-m", "parable", "--help"),
}
READY = re.compile(r" (web +\| Parable is at|(worker|llm-worker) +\| .* ready\.|beat +\| .*beat: Starting)")
BEGIN = ("web", "worker", "llm-worker", "beat")
STARTED = re.compile(r"\| (?P<name>\S+) started \(process (?P<pid>\d+)\)")
PATIENCE, IDLE_SECONDS = 300.0, 8.0
TICK = os.sysconf("SC_CLK_TCK")

Figures = dict[tuple[str, str], float]


def measure() -> Iterator[Line]:
    """Yield the figures of commands, of process starts, of the first answer, and of memory once idle."""
    with tempfile.TemporaryDirectory(prefix="parable-bench-") as folder:
        former = Path(folder) / "before"
        former.mkdir()
        unpack(os.environ.get("PARABLE_BENCH_BEFORE", BEFORE), former)
        Path(folder).chmod(0o711)  # root runs PostgreSQL as another user
        builds = [Build(former, Path(folder) / "home-before"), Build(BASE, Path(folder) / "home")]
        for build in builds:
            build.turn()  # makes the data folder, and what Python and gettext compile once
        turns = [[build.turn() for build in builds] for _turn in range(TURNS)]
    for case, metric in turns[0][1]:
        then, now = (median(turn[build].get((case, metric), 0) for turn in turns) for build in (0, 1))
        yield line(
            BENCH, case, metric, round(now, 3), "MB" if metric == "memory" else "s", beside=round(then, 3)
        )
        if case in (*MOST, "site", *COMMANDS):
            most = MOST.get(case, NO_WORSE)
            yield line(BENCH, case, f"{metric}_of_before", round(now / then, 3), "share", most=most)


class Build:
    """A checkout with a data folder of its own."""

    def __init__(self, tree: Path, home: Path) -> None:
        self._tree = tree
        home.mkdir(mode=0o711)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        ours = ("PARABLE_", "PYTHON")  # Python compiles what it loads once, whatever the shell says
        filtered = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self._environment = filtered | {
            "PARABLE_ENV_FILE": os.devnull,
            "PARABLE_HOME": str(home),
            "PARABLE_PORT": str(self._port),
            "PARABLE_WEB_WORKERS": "2",
        }

    def turn(self) -> Figures:
        """Measure the site, which first creates missing tables, then the commands; return the figures."""
        site = self._site()
        return site | {(name, "processor_time"): self._command(words) for name, words in COMMANDS.items()}

    def _start(self, words: tuple[str, ...]) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, *words],
            cwd=self._tree,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _command(self, words: tuple[str, ...]) -> float:
        """Return the processor time in seconds of a command, without the servers that it may start."""
        process = self._start(words)
        assert process.stdout is not None
        output = process.stdout.read()
        _pid, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, output
        return used.ru_utime + used.ru_stime

    def _site(self) -> Figures:
        site = self._start(("manage.py", "run"))
        lines: list[str] = []
        Thread(target=lambda: lines.extend(site.stdout or ()), daemon=True).start()
        try:
            _wait(lambda: sum(bool(READY.search(printed)) for printed in lines) >= len(BEGIN), lines)
            time.sleep(IDLE_SECONDS)
            named = {found["name"]: int(found["pid"]) for found in map(STARTED.search, lines) if found}
            processes = {"manage.py run": [site.pid]} | {name: _family(pid) for name, pid in named.items()}
            web = [pid for name, pids in processes.items() if name.startswith("web") for pid in pids]
            found = {
                (name, "processor_time"): sum(map(_worked, pids))
                for name, pids in processes.items()
                if name in BEGIN
            }
            found["site", "processor_time"] = sum(_worked(pid) for pids in processes.values() for pid in pids)
            found["first answer", "processor_time"] = self._first_answer(web)
            self._ask_all(web)
            time.sleep(IDLE_SECONDS)
            memory = {name: sum(map(_megabytes, pids)) for name, pids in processes.items()}
        finally:
            site.send_signal(signal.SIGTERM)
            site.wait(PATIENCE)
        found |= {(name, "memory"): megabytes for name, megabytes in memory.items()}
        return found | {("idle site", "memory"): sum(memory.values())}

    def _first_answer(self, web: list[int]) -> float:
        before = sum(map(_worked_exactly, web))
        self._ask()
        return sum(map(_worked_exactly, web)) - before

    def _ask_all(self, web: list[int]) -> None:
        """Request pages until each web process has answered one."""
        before = {pid: _worked_exactly(pid) for pid in web}
        waits = set(web)
        for _try in range(40):
            self._ask()
            waits = {pid for pid in waits if _worked_exactly(pid) - before[pid] < 0.02}
            if len(web) - len(waits) >= 2:
                break

    def _ask(self) -> None:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self._port}/accounts/login/", timeout=PATIENCE
        ) as answer:
            assert answer.status == 200
            answer.read()


def _wait(is_there: Callable[[], bool], lines: list[str]) -> None:
    until = time.monotonic() + PATIENCE
    while not is_there():
        if time.monotonic() > until:
            raise TimeoutError("".join(lines))
        time.sleep(0.2)


def _family(pid: int) -> list[int]:
    """Return the ids of a process and of all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(one for child in children for one in _family(int(child)))]


def _worked(pid: int) -> float:
    """Return the processor time in seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _worked_exactly(pid: int) -> float:
    """Return the processor time in seconds, precise to the nanosecond, of the living threads of a process."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9


def _megabytes(pid: int) -> float:
    """Return the memory of a process in MB; shared pages count in equal parts for each process."""
    found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text("ascii"), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024
