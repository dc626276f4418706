"""The site as `make demo` starts it, in a folder, as a user and on a port of a drill's choice."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.config.programs import environment, wait_until

PATIENCE = 300.0
"""Seconds after which something is wrong, whatever the machine: 60 are promised on two cores."""


@contextlib.contextmanager
def demo(
    clone: Path, port: int, log: Path, command: Sequence[str] = ("make", "demo"), **settings: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command in the clone, with these settings and as the owner of the clone; stop it at the end."""
    owner = clone.stat()
    named = environment(clone / "var", PARABLE_PORT=str(port)) | settings
    for outer in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        named.pop(
            outer, None
        )  # of the `make` that runs the tests: the one below it says what it would not say alone
    with log.open("wb") as said:
        process = subprocess.Popen(
            command,
            cwd=clone,
            env=named,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=owner.st_uid if os.geteuid() == 0 else None,
            group=owner.st_gid if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
        )
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """As Ctrl+C twice does: the site stops its servers itself, and waits for no sample to be filled."""
    for how, seconds in ((signal.SIGINT, 5), (signal.SIGINT, 60), (signal.SIGKILL, 10)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
            return


def page(port: int) -> str:
    """The first page as far as it is served; empty where it is not."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            return str(answer.read().decode())
    except (OSError, urllib.error.URLError):
        return ""


def until_served(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Return once the first page is there; fail with what was printed where it never will be."""
    wait_until(lambda: bool(page(port)) or process.poll() is not None, PATIENCE)
    assert process.poll() is None, log.read_text(encoding="utf-8")
    assert 'name="login"' in page(port)
