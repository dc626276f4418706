"""Identifies a process uniquely, even if other processes have had the same pid.

Pids are reused, so a pid in a file that a crashed run left may now belong to another process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from parable.system import process


def birth(pid: int) -> str | None:
    """Return a value that identifies the process with this pid, or None if it is dead.

    A zombie counts as dead: it holds no file and serves nothing.
    """
    known = process(pid)
    return None if known is None or known.state in "ZX" else known.began


def stop(pid: int, born: str, *signals: int, patience: float = 20.0, group: bool = False) -> bool:
    """Send the signals in turn, then SIGKILL, until the process is dead; return whether it is.

    `patience`: seconds for each signal. With `group` the whole process group is signalled. A process with
    another identity is left alone.
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
    """Send a signal to the process group of a child, if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def bury(pid: int) -> None:
    """Reap a child process that has exited; do nothing if the process is not our child."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _died(pid: int, born: str, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while birth(pid) == born:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
