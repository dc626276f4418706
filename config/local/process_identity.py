"""Distinguishes a process from every other one that ever had its number.

Numbers are used again, so a number in a file of a crashed run may by now belong to anybody.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

_PROC = Path("/proc")


def birth(pid: int) -> str | None:
    """Return what no other process shares with this one; None if it is dead.

    A zombie is dead: it holds no file and serves nobody, its parent just has not looked yet.
    """
    if (_PROC / "self" / "stat").exists():
        return _birth_from_proc(pid)
    return _birth_from_ps(pid)


def _birth_from_proc(pid: int) -> str | None:
    try:
        # The name is in brackets and may itself hold any character.
        fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    state, started = fields[0], fields[19]
    return None if state in "ZX" else f"{boot}/{started}"


def _birth_from_ps(pid: int) -> str | None:
    state, _space, started = _ps(pid, "stat=,lstart=").partition(" ")
    return None if not state or state.startswith("Z") else started.strip()


def _ps(pid: int, columns: str) -> str:
    """Ask the system's `ps`, on systems without /proc."""
    if not shutil.which("ps"):
        return ""
    command = ["ps", "-o", columns, "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def arguments(pid: int) -> str:
    """Return the command line of a process, in one line; empty if it is dead."""
    try:
        return (_PROC / str(pid) / "cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return _ps(pid, "args=")


def children(pid: int) -> list[int]:
    """Return the numbers of the processes that this one has started and that still run."""
    if not (_PROC / "self" / "stat").exists():
        command = ["pgrep", "-P", str(pid)]
        return [
            int(line) for line in subprocess.run(command, capture_output=True, check=False).stdout.split()
        ]
    return [int(path.name) for path in _PROC.iterdir() if path.name.isdigit() and _parent(path) == pid]


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except OSError:  # it has ended meanwhile
        return 0


def stop(pid: int, born: str, *signals: int, patience: float = 20.0, group: bool = False) -> bool:
    """Send each signal in turn, then SIGKILL, until the process is dead; say whether it is.

    `patience` is how many seconds each signal may take. With `group` the whole process group
    is addressed. A process of another birth is left alone.
    """
    send = os.killpg if group else os.kill
    for number in (*signals, signal.SIGKILL):
        if birth(pid) != born:
            return True
        try:
            send(pid, number)
        except ProcessLookupError:
            return True
        if _died(pid, born, patience):
            bury(pid)
            return True
    return False


def signal_group(pid: int, number: int) -> None:
    """Send a signal to what is left of the process group of a child; nothing where nobody is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def bury(pid: int) -> None:
    """Free the number of a dead child of ours; other people's dead are their parents' matter."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _died(pid: int, born: str, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while birth(pid) == born:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
