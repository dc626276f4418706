"""Distinguishes a process from every other one that ever had its number.

Numbers are used again, so a number in a file of a crashed run may by now belong to anybody.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from parable.system import process


def birth(pid: int) -> str | None:
    """Return what no other process shares with this one; None if it is dead.

    A zombie is dead: it holds no file and serves nobody, its parent just has not looked yet.
    """
    known = process(pid)
    return None if known is None or known.state in "ZX" else known.began


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
