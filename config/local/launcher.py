"""Starts server processes that may outlive their parent, and short programs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from config.local.places import Account

# A server needs no variables of our environment, and must not have our secrets in its own.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def launch(command: list[str], *, log: Path, account: Account | None = None) -> subprocess.Popen[bytes]:
    """Start a server in a new session, so that Ctrl-C in the terminal does not reach it.

    Output goes to `log`, which is truncated and readable by its owner only; the previous log is renamed.
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
    """Run a short program, and return its result with its output."""
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
    """Return the last lines of a log as one line, for an error message."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return " ".join(line.strip() for line in lines[-count:]) or "it said nothing."


def detached(process: subprocess.Popen[bytes]) -> None:
    """Prevent Python's warning at exit that this process is still running.

    `process_identity.stop` can still end the process.
    """
    process.returncode = 0  # Python now considers the process ended
