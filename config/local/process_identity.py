"""Identifies a process even if another process has had the same pid before.

Pids are reused, so a pid in a file that a crashed run left may now belong to another process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from parable.system import process


def birth(pid: int) -> str | None:
    """Return the start time of the process with this pid; None if it is dead.

    No other process with this pid has the same start time. A zombie counts as dead: it holds no file and
    serves nothing.
    """
    known = process(pid)
    return None if known is None or known.state in "ZX" else known.began


def stop(pid: int, born: str, *signals: int, patience: float = 20.0, group: bool = False) -> bool:
    """Send the signals one after another, then SIGKILL, until the process is dead; return whether it is.

    `born` identifies the process (see `birth`); another process with the same pid is not signalled.
    `patience` is in seconds for each signal. With `group`, the whole process group is signalled.
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
    """Send a signal to the process group of a child. Do nothing if the group no longer exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def bury(pid: int) -> None:
    """Reap a child process that has exited. Do nothing if the process is not our child."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _died(pid: int, born: str, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while birth(pid) == born:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
