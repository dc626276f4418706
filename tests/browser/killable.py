"""A real server in a process of its own, that a test can kill while somebody types, and start again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection

from tests.architecture import BASE
from tests.config.programs import environment, free_port, wait_until
from tests.services import SETTINGS


def database_of_this_test() -> str:
    """Its address, for a process of its own."""
    address = urlsplit(os.environ["DATABASE_URL"])
    return address._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


class KillableSite:
    """Gunicorn on loopback, on the database of the test or another; its address stays from start to start."""

    def __init__(self, home: Path, database: str = "") -> None:
        self._database = database or database_of_this_test()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and return when it answers."""
        named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"} | {
            "DATABASE_URL": self._database,
            "REDIS_URL": os.environ["REDIS_URL"],
            "PARABLE_PORT": str(self.port),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", "config.wsgi"],
            env=environment(self._home, **named),
            cwd=BASE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # the one who answers is a child of the one we started
        )
        wait_until(self._answers, seconds=60)

    def _answers(self) -> bool:
        with contextlib.suppress(urllib.error.URLError, OSError):
            return bool(urllib.request.urlopen(f"{self.url}/healthz", timeout=5).status == 200)
        return False

    def kill(self) -> None:
        """Kill it and its children as a power cut would; nothing where it does not run."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=10)
        self._process = None
