"""`make demo` in a fresh clone, where paths and rights are awkward. It installs every package."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import BASE
from tests.config.programs import free_port, wait_until
from tests.drills.demo import demo, until_served

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        not (shutil.which("git") and shutil.which("make") and (BASE / ".git").exists()),
        reason="needs git, make and a clone to clone",
    ),
]
NO_NETWORK = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),
    "UV_OFFLINE": "1",
    "PIP_NO_INDEX": "1",
}
"""Whoever asks another machine for something is refused."""


def _cloned(clone: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", str(BASE), str(clone)], check=True, timeout=60)
    return clone


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user may pass through: root's local servers run as somebody else."""
    with tempfile.TemporaryDirectory(prefix="parable-demo-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def ordinary_user() -> Iterator[str | None]:
    """A user made for the drill, with a read-only home; None where the drill runs as an ordinary user."""
    if os.geteuid() != 0 or not shutil.which("useradd"):
        yield None
        return
    name = f"fable{secrets.token_hex(3)}"
    home = Path("/home") / name
    subprocess.run(
        ["useradd", "--system", "--user-group", "--create-home", "--home-dir", home, name], check=True
    )
    home.chmod(0o555)
    os.chown(home, 0, 0)
    try:
        yield name
    finally:
        shutil.rmtree(home)
        subprocess.run(["userdel", name], check=True)


def test_the_first_page_of_a_fresh_clone_below_a_path_of_spaces_and_chinese_letters(
    folder: Path, ordinary_user: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no socket's path would fit; then without the network, and on a port that is taken."""
    port, log = free_port(), folder / "log"
    began = time.monotonic()
    clone = _cloned(folder / "寓言 two fables" / "我的 clone")
    temporary = folder / ("t" * 90)
    temporary.mkdir()
    settings = {"TMPDIR": str(temporary)}
    if ordinary_user is not None:
        for path in (temporary, clone.parent):
            shutil.chown(path, ordinary_user, ordinary_user)
        subprocess.run(["chown", "-R", f"{ordinary_user}:", str(clone)], check=True)
        settings |= {"HOME": f"/home/{ordinary_user}", "USER": ordinary_user}
    with demo(clone, port, log, **settings) as process:
        until_served(process, port, log)
        seconds = time.monotonic() - began
        wait_until(lambda: str(port) in log.read_text(encoding="utf-8"))
    with capsys.disabled():
        print(f"\nmake demo: first page after {seconds:.0f} s, packages and clone included")
    assert "rror" not in log.read_text(encoding="utf-8").partition("The sample")[0]
    with demo(clone, port, log, **settings, **NO_NETWORK) as process:
        until_served(process, port, log)
    with socket.socket() as taken, demo(clone, port, log, **settings) as process:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert process.wait(60) != 0
    said = log.read_text(encoding="utf-8")
    assert said.startswith(f"Cannot listen on 127.0.0.1 port {port} (Address already in use).")
    assert "set PARABLE_PORT to another number." in said
    assert "Traceback" not in said
