"""The processes of a site, with the command line of each.

`make demo`, `make run` and `make serve` run all of them under a supervisor; in containers, each is started
separately by `manage.py process NAME`. In both cases, their numbers come from the settings.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from config import demo_model
from config.environment import Environment, listening_address
from config.local.errors import LocalServerError
from config.local.process_identity import birth, stop
from config.local.shared_server import Server
from config.supervisor import Supervisor

# The documentation warns about running as root, so Celery's warning in the log is not needed.
THREADS_PER_PROCESS = 16
QUIETLY = ["-W", "ignore:You're running the worker with superuser privileges"]
CELERY = [sys.executable, *QUIETLY, "-m", "config.celery_process"]

STAGES: Final = (("web", "beat", "llm-worker"), ("worker",))
"""The order in which processes stop: first those that accept new work or have calls in flight."""
RECORD: Final = "processes.json"
"""The name of the file, in the data folder, with the pids of the running processes."""
NO_SERVERS: Final[Mapping[str, Server]] = MappingProxyType({})


def command_lines() -> dict[str, list[str]]:
    """Return the command line of each process, by its name."""
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


def _web_apart(commands: Mapping[str, list[str]], count: int) -> dict[str, list[str]]:
    """Replace the web process by `count` processes, so that the others still respond if one is killed.

    They listen on the same port. In a container, one gunicorn has all of them, since a port belongs to one
    container.
    """
    names = ["web", *(f"web-{number}" for number in range(2, count + 1))]
    alone = [*commands["web"], "--workers", "1", "--reuse-port"]
    return {name: [*alone, "--name", name] for name in names} | {
        name: command for name, command in commands.items() if name != "web"
    }


def _llm_workers(calls: int) -> dict[str, list[str]]:
    """Return the command lines of the workers for calls to LLMs, which use threads instead of processes.

    A Python process uses one core, which some sixty answers per second keep busy. So many calls are divided
    among several processes.
    """
    count = -(-calls // THREADS_PER_PROCESS)
    names = ["llm-worker", *(f"llm-worker-{number}" for number in range(2, count + 1))]
    rest = ["--queues", "llm", "--pool", "threads", "--concurrency", str(-(-calls // count))]
    return {name: [*rest, "--hostname", f"{name}@%h"] for name in names}


def become(name: str) -> None:
    """Replace this process by the process of the site with this name. Does not return."""
    command = command_lines()[name]
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


def require_idle(home: Path, *, model: bool = False) -> None:
    """Stop processes that a killed run left behind, and check that the site can start.

    Raises LocalServerError if a run is alive or a port is in use. This needs no settings, so it is done
    before servers and sample data are prepared.
    """
    require_stopped(home)
    require_free_port(*listening_address(Environment()), setting="PARABLE_PORT")
    if model:
        require_free_port(demo_model.HOST, demo_model.port(), setting="PARABLE_MODEL_PORT")


def run_all(
    base: Path, home: Path, *, model: bool = False, servers: Mapping[str, Server] = NO_SERVERS
) -> int:
    """Run all processes under a supervisor until it is stopped; return the exit code.

    The local `servers` are restarted, too, if they die. With `model`, the small LLM of the demo is one of the
    processes. Call `require_idle` first.
    """
    from config import settings

    home.mkdir(parents=True, exist_ok=True)
    commands = _web_apart(command_lines(), settings.WEB_WORKERS)
    if model:
        commands["model"] = demo_model.command_line(base)
    return Supervisor(
        commands,
        base=base,
        record=home / RECORD,
        stages=STAGES,
        stop_seconds=settings.STOP_SECONDS,
        json_lines=settings.LOG_FORMAT == "json",
        servers=servers,
    ).run()


def require_stopped(home: Path) -> None:
    """Stop the processes of a killed run. Raise LocalServerError if the run is still alive."""
    record = home / RECORD
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


def require_free_port(host: str, port: int, *, setting: str) -> None:
    """Raise LocalServerError if the port is in use; the message names the `setting` to change."""
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
