"""Servers shared by several processes: the first process starts a server, the last one stops it.

The server's folder has two locks. `starting.lock` is held exclusively while a process starts, joins or
leaves. `using.lock` is shared by all users of the server; a process that gets it exclusively knows that there
are no users. The system releases both when a process dies for any reason.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Protocol

from config.local.files import write_whole
from config.local.places import within_reach
from config.local.process_identity import birth, bury

SHORT_FOLDER = "/tmp"  # noqa: S108 - only ever the parent of a folder that mkdtemp makes private


@dataclass(frozen=True)
class Running:
    """A running server: its process (pid and identity), and the folder of its socket."""

    pid: int
    born: str
    socket_folder: str

    @property
    def alive(self) -> bool:
        """Whether the server's process still runs. Another process with the same pid does not count."""
        return birth(self.pid) == self.born


class Server(Protocol):
    """The interface of a server that can be shared by processes."""

    @property
    def folder(self) -> Path:
        """The folder of the server's locks, which the server must create."""

    def start(self, socket_folder: Path) -> Running:
        """Start the server with its socket in this folder, and return without waiting for it."""

    def wait(self, running: Running) -> None:
        """Wait until the server responds. Raise LocalServerError if it does not."""

    def stop(self, running: Running) -> None:
        """Stop the server, and return when its process is dead."""

    def hangs(self, running: Running) -> bool:
        """Return whether the server's process is alive, but will never respond."""

    def end(self, running: Running) -> None:
        """Kill a server that no longer responds."""

    def addresses(self, running: Running) -> dict[str, str]:
        """Return the settings with the server's URLs, by name."""


@contextlib.contextmanager
def shared(server: Server) -> Iterator[dict[str, str]]:
    """Run the server within the context, unless it is running; yield the settings with its URLs.

    At the end, the server is stopped if no other process uses it.
    """
    hold = _Hold(server)
    atexit.register(hold.release)  # for exits that skip the finally below
    try:
        yield server.addresses(hold.take())
    finally:
        hold.release()
        atexit.unregister(hold.release)


def clear_unused(server: Server) -> bool:
    """Stop a server left by a killed process, unless a process uses it; return whether it was unused."""
    return _Hold(server).clear_if_unused()


def restart_if_dead(server: Server) -> bool:
    """Restart a server that died while processes use it; return whether it had died.

    The server uses the same socket as before, so that its users' settings stay valid. Raises LocalServerError
    or OSError if it does not start; the call can be repeated.
    """
    return _Hold(server).restart_if_dead()


def end_if_hung(server: Server) -> bool:
    """Kill a server that hangs, so that `restart_if_dead` can restart it; return whether it hung."""
    return _Hold(server).end_if_hung()


class _Hold:
    """The use of a shared server by this process."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._state = server.folder / "state.json"
        self._using: IO[str] | None = None
        self._owner = os.getpid()

    def take(self) -> Running:
        """Use the running server, or start it. It keeps running until `release`."""
        with alone(self._server.folder / "starting.lock"):
            using = (self._server.folder / "using.lock").open("a")
            try:
                running = self._join_or_start(nobody_else=_locked_alone(using))
                fcntl.flock(using, fcntl.LOCK_SH)
            except BaseException:
                using.close()
                raise
            self._using = using
        return running

    def release(self) -> None:
        """Stop using the server, and stop the server if no other process uses it.

        May be called twice, or in a fork.
        """
        using, self._using = self._using, None
        if using is None or os.getpid() != self._owner:
            return
        with alone(self._server.folder / "starting.lock"), using:
            fcntl.flock(using, fcntl.LOCK_UN)
            if _locked_alone(using):
                self._clear()

    def restart_if_dead(self) -> bool:
        """Restart the server with the same socket if it has died; return whether it had died."""
        if self._lives():
            return False
        with alone(self._server.folder / "starting.lock"):
            if self._lives():  # another process was faster
                return False
            self._join_or_start(nobody_else=False)
        return True

    def end_if_hung(self) -> bool:
        """Kill the server if it hangs; return whether it hung."""
        running = self._read()
        if running is None or not running.alive or not self._server.hangs(running):
            return False
        self._server.end(running)
        return True

    def _lives(self) -> bool:
        running = self._read()
        return running is not None and running.alive

    def clear_if_unused(self) -> bool:
        """Stop the server and delete its state if no process uses it; return whether it was unused."""
        with (
            alone(self._server.folder / "starting.lock"),
            (self._server.folder / "using.lock").open("a") as using,
        ):
            unused = _locked_alone(using)
            if unused:
                self._clear()
        return unused

    def _join_or_start(self, *, nobody_else: bool) -> Running:
        running = self._read()
        if running and running.alive and not nobody_else:
            return running
        if nobody_else:
            self._clear()  # left by a crashed run
            running = None
        elif running:
            bury(running.pid)
        started = self._server.start(_socket_folder(running))
        try:
            # Saved before waiting: if this process is killed meanwhile, the next process finds the server.
            write_whole(self._state, json.dumps(asdict(started)))
            self._server.wait(started)
        except BaseException:
            if started.alive:
                self._server.stop(started)
            bury(started.pid)
            if running is None:  # otherwise other processes still use the folder of the dead server
                shutil.rmtree(started.socket_folder, ignore_errors=True)
                self._state.unlink(missing_ok=True)
            raise
        return started

    def _clear(self) -> None:
        if running := self._read():
            if running.alive:
                self._server.stop(running)
            shutil.rmtree(running.socket_folder, ignore_errors=True)
        self._state.unlink(missing_ok=True)

    def _read(self) -> Running | None:
        try:
            return Running(**json.loads(self._state.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):  # absent, or cut off by a crash
            return None


def _socket_folder(previous: Running | None) -> Path:
    """Return a private folder with a short path, since paths of sockets are limited to about 100 bytes.

    A server that replaces one that died gets the same folder, since processes still use it.
    """
    if previous and (old := Path(previous.socket_folder)).is_dir():
        for leftover in old.iterdir():
            leftover.unlink()
        return old
    usual = tempfile.gettempdir()
    is_short = len(os.fsencode(usual)) < 60
    is_open = os.geteuid() != 0 or within_reach(Path(usual))  # root's servers run as another user
    return Path(tempfile.mkdtemp(prefix="parable-", dir=usual if is_short and is_open else SHORT_FOLDER))


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file `path` within the context. Wait until the lock is free."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _locked_alone(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
