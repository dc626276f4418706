"""Signs of life of workers and of the scheduler, for the container runtime on their machine and for pages.

Each touches a file of its own in the data folder while it works. The name of the file has that of the machine
or container, since several may share the folder.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

FOLDER: Final = "alive"
LEFT_AFTER: Final = 86_400.0
"""Seconds after which the file of a machine or container that is gone is removed."""


def presence_key(queue: str) -> str:
    """Return the cache key for the time at which a worker of this queue, or `beat`, was last seen."""
    return f"worker-seen:{queue}"


def show_life(home: Path, process: str) -> None:
    """Show that this process works. Do nothing if the folder cannot be written."""
    file = _file(home, process)
    with suppress(OSError):
        if not file.exists():
            file.parent.mkdir(mode=0o700, exist_ok=True)
            _remove_left(file.parent)
        file.touch(mode=0o600)


def seconds_silent(home: Path, process: str) -> float | None:
    """Return for how long a process of this name on this machine has shown no life; None if it never did."""
    try:
        return max(0.0, time.time() - _file(home, process).stat().st_mtime)
    except OSError:
        return None


def _file(home: Path, process: str) -> Path:
    return home / FOLDER / f"{socket.gethostname()}.{process}"


def _remove_left(folder: Path) -> None:
    for file in folder.iterdir():
        if time.time() - file.stat().st_mtime > LEFT_AFTER:
            file.unlink(missing_ok=True)
