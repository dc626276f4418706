"""Runs our commands as people do: in processes of their own, with an environment of their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from tests.architecture import BASE


def environment(home: Path, **settings: str) -> dict[str, str]:
    """Return an environment that names no server, with this data folder and these settings."""
    ours = ("PARABLE_", "DATABASE_", "REDIS_", "DJANGO_", "PYTEST_", "CELERY_")
    filtered = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return filtered | {"PARABLE_HOME": str(home), "PARABLE_ENV_FILE": os.devnull} | settings


def manage(home: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py` to its end."""
    return subprocess.run(
        [sys.executable, str(BASE / "manage.py"), *arguments],
        env=environment(home, **settings),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@contextlib.contextmanager
def running(command: list[str], home: Path, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Start a program; kill it at the end if it still runs."""
    with subprocess.Popen(
        command,
        env=environment(home, **settings),
        cwd=BASE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Return once the condition holds; fail if it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@cache
def may_confine() -> bool:
    """Return whether namespaces are allowed in which a command mounts and has no network."""
    tried = "mount --make-rprivate / && mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp"
    command = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "sh", "-c", tried]
    if not shutil.which("unshare"):
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
