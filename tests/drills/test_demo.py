"""`make demo` in a fresh clone: the time from nothing to the first page. It installs every package."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import BASE
from tests.config.programs import environment, free_port, wait_until

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        not (shutil.which("git") and shutil.which("make") and (BASE / ".git").exists()),
        reason="needs git, make and a clone to clone",
    ),
]
PATIENCE = 300.0
"""Seconds after which something is wrong, whatever the machine: 60 are promised on two cores."""


@contextlib.contextmanager
def demo(port: int) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """Run `make demo` in a clone of what is committed; its log, and the process."""
    with tempfile.TemporaryDirectory(prefix="parable-demo-") as folder:
        Path(folder).chmod(0o755)  # local servers run as somebody else than root
        clone, log = Path(folder) / "clone", Path(folder) / "log"
        subprocess.run(["git", "clone", "--quiet", str(BASE), str(clone)], check=True, timeout=60)
        with log.open("wb") as said:
            process = subprocess.Popen(
                ["make", "demo"],
                cwd=clone,
                env=environment(clone / "var", PARABLE_PORT=str(port)),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield log, process
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


def _page(port: int) -> str:
    """The first page as far as it is served; empty where it is not."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            return str(answer.read().decode())
    except (OSError, urllib.error.URLError):
        return ""


def test_the_first_page_of_a_fresh_clone(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    began = time.monotonic()
    with demo(port) as (log, process):
        wait_until(lambda: bool(_page(port)) or process.poll() is not None, PATIENCE)
        seconds = time.monotonic() - began
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert 'name="login"' in _page(port)
        wait_until(lambda: str(port) in log.read_text(encoding="utf-8"))
    with capsys.disabled():
        print(f"\nmake demo: first page after {seconds:.0f} s, packages and clone included")
