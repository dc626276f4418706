"""The processes of a site, and the one command line of each.

`make demo`, `make run` and `make serve` run all of them under one roof; in containers each is
started alone by `manage.py process NAME`. Both take their numbers from the settings.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import socket
import sys
from pathlib import Path

from honcho.manager import Manager

from config import demo_model
from config.local.births import birth, stop
from config.local.errors import LocalServerError

# Root is warned of in the docs, once, and not in every log.
THREADS_PER_PROCESS = 16
PRIVATE = 0o077
"""The umask of the site: what its processes write is for their own account only."""
QUIETLY = ["-W", "ignore:You're running the worker with superuser privileges"]
CELERY = [sys.executable, *QUIETLY, "-m", "celery", "--app", "config.celery:app", "--quiet"]


def command_lines() -> dict[str, list[str]]:
    """Return the command line of each process by its name; the settings are read only now."""
    from config import settings

    level = ["--loglevel", settings.LOG_LEVEL]
    worker = [*CELERY, "worker", *level, "--without-gossip", "--without-mingle"]
    return {
        "web": [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", "config.wsgi"],
        "worker": [
            *(*worker, "--queues", "default", "--hostname", "worker@%h"),
            *("--concurrency", str(settings.WORKERS)),
        ],
        **{name: [*worker, *rest] for name, rest in _llm_workers(settings.LLM_WORKERS).items()},
        "beat": [*CELERY, "beat", *level],
    }


def _llm_workers(calls: int) -> dict[str, list[str]]:
    """What waits for models does not compute: threads, so that many calls cost little.

    One Python runs on one core: some sixty answers a second keep it busy, so many calls are shared out.
    """
    count = -(-calls // THREADS_PER_PROCESS)
    names = ["llm-worker", *(f"llm-worker-{number}" for number in range(2, count + 1))]
    rest = ["--queues", "llm", "--pool", "threads", "--concurrency", str(-(-calls // count))]
    return {name: [*rest, "--hostname", f"{name}@%h"] for name in names}


def become(name: str) -> None:
    """Turn this process into one of the site's processes; never returns."""
    os.umask(PRIVATE)
    command = command_lines()[name]
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


def run_all(base: Path, home: Path, *, model: bool = False) -> int:
    """Run all processes until one ends or somebody stops us; return the exit code.

    With `model`, the small language model is one of them. Raises LocalServerError with a sentence where
    a port is taken.
    """
    os.umask(PRIVATE)
    record = home / "processes.json"
    home.mkdir(parents=True, exist_ok=True)
    _stop_leftovers(record)
    _require_free_port()
    commands = command_lines()
    if model:
        require_free_port(demo_model.HOST, demo_model.port(), setting="PARABLE_MODEL_PORT")
        commands["model"] = demo_model.command_line(base)
    manager = _RecordingManager(record)
    for name, command in commands.items():
        manager.add_process(name, f"exec {shlex.join(command)}", cwd=str(base))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        manager.loop()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        record.unlink(missing_ok=True)
    return 0 if manager.returncode in (130, 143) else int(manager.returncode or 0)


class _RecordingManager(Manager):  # type: ignore[misc]  # honcho has no annotations
    """Honcho's manager, which also writes down whom it started, in case it is killed itself."""

    def __init__(self, record: Path) -> None:
        super().__init__()
        self._record = record

    def _all_started(self) -> bool:
        started = bool(super()._all_started())
        if started and not self._record.exists() and not self._terminating:
            pids = [process["pid"] for process in self._processes.values()]
            children = {pid: birth(pid) for pid in pids}
            me = {"pid": os.getpid(), "born": birth(os.getpid())}
            self._record.write_text(json.dumps({"manager": me, "children": children}), encoding="utf-8")
        return started


def _stop_leftovers(record: Path) -> None:
    """Stop the processes of an earlier run that was killed; leave a run that lives alone."""
    try:
        earlier = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    manager = earlier["manager"]
    if birth(manager["pid"]) == manager["born"]:
        raise LocalServerError("Parable is already running on this data folder.")
    for pid, born in earlier["children"].items():
        if born:
            stop(int(pid), born, signal.SIGTERM, patience=5.0, group=True)
    record.unlink(missing_ok=True)


def _require_free_port() -> None:
    from config import settings

    require_free_port(settings.BIND, settings.PORT, setting="PARABLE_PORT")


def require_free_port(host: str, port: int, *, setting: str) -> None:
    """Raise LocalServerError, naming the setting to change, where nobody can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise LocalServerError(
                f"Cannot listen on {host} port {port} ({error.strerror})."
                f" Stop what uses it, or set {setting} to another number."
            ) from None
