"""Runs the processes of a site, restarts those that have died, and stops all of them in order.

Each process has a process group of its own, so that Ctrl-C reaches only the supervisor, and the children of a
killed process can be cleaned up before it is restarted.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import SystemRandom
from types import FrameType
from typing import Final

from config.local import LocalServerError
from config.local.files import write_whole
from config.local.process_identity import birth, signal_group
from config.local.shared_server import Server, end_if_hung, restart_if_dead
from core.invariants import present

LOOKS_EVERY: Final = 0.1
STEADY_SECONDS: Final = 60.0
"""If a process has run for this many seconds, its earlier exits no longer count."""
LONGEST_WAIT: Final = 20.0
ENDS_BEFORE_ADVICE: Final = 5
REMINDS_EVERY: Final = 10.0
LEAST_SECONDS: Final = 10.0
"""The least seconds that the last processes get to stop, however long the others took."""
ASKS_SERVERS_EVERY: Final = 5.0
STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def seconds_before(ends: int) -> float:
    """Return the random seconds to wait before a restart; the range doubles with each exit in a row."""
    whole = min(LONGEST_WAIT, 0.5 * 2.0 ** min(ends - 1, 10))
    return whole * SystemRandom().uniform(0.5, 1.0)


class Console:
    """Prints lines with time and process name in a thread, so that a slow terminal does not block callers.

    If the terminal is closed or remains full, lines are lost.
    """

    def __init__(self, names: Sequence[str], *, as_json: bool = False) -> None:
        self._width, self._as_json = max(map(len, names)), as_json
        self._lines: queue.Queue[str | None] = queue.Queue(maxsize=10_000)
        self._printer = threading.Thread(target=self._print, daemon=True)
        self._printer.start()

    def say(self, name: str, line: str) -> None:
        """Add a line of the process `name` to the queue for printing."""
        if line or not self._as_json:
            with contextlib.suppress(queue.Full):
                self._lines.put_nowait(self._line_of(name, line))

    def _line_of(self, name: str, line: str) -> str:
        """Return the line with time and name; one that is a JSON object already stays one, with its name."""
        if not self._as_json:
            return f"{time.strftime('%H:%M:%S')} {name.ljust(self._width)} | {line}\n"
        if line.startswith('{"') and line.endswith("}"):
            return f'{{"name": {json.dumps(name)}, {line[1:]}\n'
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        said = {"name": name, "time": now, "level": "INFO", "logger": __name__, "message": line}
        return json.dumps(said) + "\n"

    def close(self) -> None:
        """Print the remaining lines, for at most two seconds."""
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)
        self._printer.join(timeout=2.0)

    def _print(self) -> None:
        while (line := self._lines.get()) is not None:
            data = line.encode("utf-8", "replace")
            with contextlib.suppress(OSError):
                while data:
                    data = data[os.write(1, data) :]


@dataclass
class Child:
    """A process of the site, which is running or waiting to be restarted."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    born: str | None = None
    started_at: float = 0.0
    starts_at: float = 0.0
    ends: int = 0
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=5))

    @property
    def runs(self) -> bool:
        """Whether the process was started, and its exit has not been handled yet."""
        return self.process is not None

    def has_ended(self) -> bool:
        """Return whether the process has exited, and this has not been handled yet."""
        return self.process is not None and self.process.poll() is not None

    def send(self, number: int) -> None:
        """Send a signal to the process if it is running."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)


@dataclass
class Supervisor:
    """Runs the processes in `commands` and watches the local servers in `servers`, until a signal stops it.

    `stages` has prefixes of process names. The processes of a stage stop together, one stage after the other,
    within `stop_seconds` in total.
    """

    commands: Mapping[str, Sequence[str]]
    base: Path
    record: Path
    stages: Sequence[Sequence[str]]
    stop_seconds: float
    json_lines: bool = False
    servers: Mapping[str, Server] = field(default_factory=dict)

    def run(self) -> int:
        """Run until everything has stopped; return the exit code."""
        self._children = [Child(name, command) for name, command in self.commands.items()]
        self._console = Console(["site", *self.commands], as_json=self.json_lines)
        self._asked_to_stop = 0
        self._stopping = threading.Event()
        self._recorded: object = None
        guards = [
            threading.Thread(target=self._keep_server, args=each, daemon=True)
            for each in self.servers.items()
        ]
        for guard in guards:
            guard.start()
        with self._signals():
            try:
                self._keep_running()
            finally:
                self._stop_all()
                self._stopping.set()
                for guard in guards:
                    guard.join()
                self.record.unlink(missing_ok=True)
                self._console.close()
        return 0

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._ask_to_stop) for number in STOPS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._asked_to_stop += 1

    def _say(self, sentence: str) -> None:
        self._console.say("site", sentence)

    # --- running ---

    def _keep_running(self) -> None:
        while not self._asked_to_stop:
            for child in self._children:
                if child.has_ended():
                    self._look_after(child)
                if not child.runs and time.monotonic() >= child.starts_at:
                    self._start(child)
            self._write_record()
            time.sleep(LOOKS_EVERY)

    def _start(self, child: Child) -> None:
        child.started_at = time.monotonic()
        try:
            process = subprocess.Popen(
                child.command,
                cwd=self.base,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:  # no memory or no process available, for a while
            self._wait_before_next(child, f"could not be started ({error.strerror})")
            return
        child.process, child.born = process, birth(process.pid)
        threading.Thread(target=self._pass_on, args=(child, process), daemon=True).start()
        self._say(f"{child.name} started (process {process.pid}).")

    def _pass_on(self, child: Child, process: subprocess.Popen[bytes]) -> None:
        """Print the output of a process until it exits."""
        output = present(process.stdout, "it was started with a pipe")
        with output as lines, contextlib.suppress(OSError, ValueError):
            for raw in lines:
                line = raw.decode("utf-8", "replace").rstrip()
                child.last_lines.append(line)
                self._console.say(child.name, line)

    def _look_after(self, child: Child) -> None:
        """Clean up after a process that has exited on its own, and schedule its restart."""
        process = present(child.process, "it was started before it ended")
        signal_group(process.pid, signal.SIGKILL)
        if time.monotonic() - child.started_at >= STEADY_SECONDS:
            child.ends = 0
        self._wait_before_next(child, f"ended ({_how(process.returncode)})")

    def _wait_before_next(self, child: Child, what: str) -> None:
        child.process = None
        child.ends += 1
        wait = seconds_before(child.ends)
        child.starts_at = time.monotonic() + wait
        self._say(f"{child.name} {what} and is started again in {wait:.1f} s.")
        if child.ends == ENDS_BEFORE_ADVICE:
            output = " ".join(child.last_lines) or "it printed nothing."
            self._say(
                f"{child.name} has ended {child.ends} times soon after its start. Its last lines: {output}"
                f" It is tried again about every {LONGEST_WAIT:.0f} s. Check that the database and Redis"
                " answer, that the disk is not full, and the settings (docs/settings.md)."
            )

    def _write_record(self) -> None:
        """Save the pids of the processes, for the next run in case the supervisor is killed.

        If the disk is full, try again later.
        """
        alive = {str(child.process.pid): child.born for child in self._children if child.process}
        if alive != self._recorded:
            me = {"pid": os.getpid(), "born": birth(os.getpid())}
            with contextlib.suppress(OSError):
                write_whole(self.record, json.dumps({"manager": me, "children": alive}))
                self._recorded = alive

    # --- local servers ---

    def _keep_server(self, name: str, server: Server) -> None:
        """Restart a local server when it has died or hangs, until all processes have stopped."""
        tries, asks_at = 0, time.monotonic() + ASKS_SERVERS_EVERY
        while not self._stopping.wait(0.5 if not tries else seconds_before(tries)):
            if time.monotonic() >= asks_at:
                asks_at = time.monotonic() + ASKS_SERVERS_EVERY
                if end_if_hung(server):
                    self._say(f"{name} ran but let nobody in, and would not have again; it was ended.")
            try:
                died = restart_if_dead(server)
            except (LocalServerError, OSError) as error:
                tries += 1
                self._say(f"{name} cannot be started yet and is tried again: {error}")
            else:
                if died:
                    self._say(f"{name} had ended and was started again.")
                tries = 0

    # --- stopping ---

    def _stop_all(self) -> None:
        deadline = time.monotonic() + self.stop_seconds
        left = [child for child in self._children if child.runs]
        for stage in self.stages:
            these = [child for child in left if child.name.startswith(tuple(stage))]
            self._stop(these, max(deadline, time.monotonic() + LEAST_SECONDS))
            left = [child for child in left if child not in these]
        self._stop(left, max(deadline, time.monotonic() + LEAST_SECONDS))

    def _stop(self, children: list[Child], deadline: float) -> None:
        """Stop the processes. Kill them at the deadline, or when a second signal arrives."""
        for child in children:
            child.send(signal.SIGTERM)
        remind_at = time.monotonic()
        while waiting := [child for child in children if child.process and child.process.poll() is None]:
            if self._asked_to_stop > 1 or time.monotonic() > deadline:
                self._kill(waiting)
            elif time.monotonic() >= remind_at:
                self._say_waiting(waiting, deadline - time.monotonic())
                remind_at = time.monotonic() + REMINDS_EVERY
            time.sleep(LOOKS_EVERY)
        for child in children:
            if child.process:
                signal_group(child.process.pid, signal.SIGKILL)  # children that the process left
                child.process = None

    def _say_waiting(self, waiting: Sequence[Child], seconds: float) -> None:
        names = ", ".join(child.name for child in waiting)
        self._say(
            f"Stopping: waiting for {names}, {seconds:.0f} s at most. Press Ctrl-C again to stop at once."
        )
        if any(child.name.startswith("llm") for child in waiting):
            self._say("Calls to language models that are out may come back; no new ones are made.")

    def _kill(self, waiting: Sequence[Child]) -> None:
        names = ", ".join(child.name for child in waiting)
        self._say(f"Stopped at once: {names}. What they were at is done again after the next start.")
        for child in waiting:
            if child.process:
                signal_group(child.process.pid, signal.SIGKILL)
                child.process.wait()


def _how(code: int) -> str:
    """Return the cause of a process's exit as text, such as "exit code 1"."""
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
