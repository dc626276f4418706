"""Starts a server process that outlives its parent if other processes still use it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from config.local.places import Account

# A server needs no variable of our environment, and its own environment must not reveal our secrets.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def launch(command: list[str], *, log: Path, account: Account | None = None) -> subprocess.Popen[bytes]:
    """Start `command` in its own session, so that Ctrl-C in the terminal does not reach it.

    Output goes to `log`, which is truncated and readable by its owner only; the previous log is kept next to
    it.
    """
    if log.exists():
        log.replace(log.with_name(f"{log.name}.1"))
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            env=_ENVIRONMENT,
            cwd="/",
            start_new_session=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    finally:
        os.close(descriptor)


def run_once(command: list[str], *, account: Account | None = None) -> subprocess.CompletedProcess[str]:
    """Run a short program to its end, and return its output."""
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=_ENVIRONMENT,
        cwd="/",
        timeout=120,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )


def last_lines(log: Path, count: int = 5) -> str:
    """Return the last lines of a log, for an error message."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return " ".join(line.strip() for line in lines[-count:]) or "it said nothing."


def detached(process: subprocess.Popen[bytes]) -> None:
    """Mark a process as one that may outlive this one, so that Python does not warn about it at exit.

    `process_identity.stop` can still end it.
    """
    process.returncode = 0  # otherwise Python warns at exit that the process still runs, as is intended
