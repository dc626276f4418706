"""Distinguishes a process from every other one that ever had its number.

Pids are reused, so the pid in a file of a crashed run may by now belong to any process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from parable.system import process


def birth(pid: int) -> str | None:
    """Return an identity that no other process shares, or None if the process is dead.

    A zombie counts as dead: it holds no file and serves nothing.
    """
    known = process(pid)
    return None if known is None or known.state in "ZX" else known.began


def stop(pid: int, born: str, *signals: int, patience: float = 20.0, group: bool = False) -> bool:
    """Send each signal in turn, then SIGKILL, until the process is dead; say whether it is.

    Returns whether it is dead. `patience`: seconds for each signal. With `group` the whole process group is
    signalled. A process with another identity is left alone.
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
    """Send a signal to the rest of a child's process group, if any."""
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
