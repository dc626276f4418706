"""A whole site under its supervisor, on the database of the test, and a writer who goes on typing."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from django.conf import settings as site
from django.db import connection
from django.test import Client

from annotation.models import ItemDraft
from config.local.process_identity import birth
from corpus.models import Story
from tests.annotation.sheets import draft_api, save_of
from tests.architecture import BASE
from tests.config.programs import free_port, wait_until
from tests.drills.proxy import Address
from tests.factories import Cast

RUN = """
import pathlib, sys
from config.processes import require_idle, run_all
home = pathlib.Path(sys.argv[1])
require_idle(home)
sys.exit(run_all(pathlib.Path.cwd(), home))
"""
SERVED_WITHIN = 60.0


class Site:
    """Web, workers and beat, started by the supervisor as `make serve` starts it."""

    def __init__(
        self,
        home: Path,
        settings: Mapping[str, str],
        command: list[str] | None = None,
        log_file: Path | None = None,
    ) -> None:
        self.home, self.port = home, free_port()
        self.log_file = log_file or home.with_name("site.log")
        self._env = (
            os.environ
            | settings
            | {
                "PARABLE_ENV_FILE": os.devnull,
                "PARABLE_HOME": str(home),
                "PARABLE_PORT": str(self.port),
                "PARABLE_LOG_LEVEL": "INFO",
            }
        )
        self._command = command or [sys.executable, "-c", RUN, str(home)]

    def __enter__(self) -> Self:
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, cwd=BASE, env=self._env, stdout=log, stderr=log, start_new_session=True
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)
        if error is not None:
            print(self.said()[-6000:])

    def said(self) -> str:
        """All that its processes and its supervisor printed."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def pid(self, name: str) -> int:
        """The process of this name that was started last."""
        found = re.findall(rf"\| {name} started \(process (\d+)\)", self.said())
        return int(found[-1]) if found else 0

    def pids(self, *names: str) -> dict[str, int]:
        """The processes of these names."""
        return {name: self.pid(name) for name in names}

    def kill(self, name: str) -> None:
        """`kill -9`, and wait until it is dead and another was started."""
        pid = self.pid(name)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: birth(pid) is None and self.pid(name) != pid, SERVED_WITHIN)

    def stop(self, seconds: float) -> int:
        """An ordinary stop; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)


class Browser:
    """A writer's browser: it saves a draft again and again, and writes down what the site acknowledged."""

    def __init__(self, port: int, cast: Cast, story: Story) -> None:
        self._address, self._cast, self._story = f"http://127.0.0.1:{port}", cast, story
        client = Client()
        client.force_login(cast.writer)
        session = client.cookies[site.SESSION_COOKIE_NAME].value
        self._headers = {
            "Cookie": f"{site.SESSION_COOKIE_NAME}={session}; csrftoken={'a' * 32}",
            "X-CSRFToken": "a" * 32,
            "Referer": self._address,
            "Content-Type": "application/json",
        }
        self.drafts: list[uuid.UUID] = []
        self.refusals: list[tuple[int, str]] = []

    def move(self, port: int) -> None:
        """Go on at another site, with the same session."""
        self._address = f"http://127.0.0.1:{port}"
        self._headers["Referer"] = self._address

    def look(self) -> int:
        """The status of a page that reads the database; 0 where nobody answers."""
        return self._ask("GET", "/")[0]

    def type(self) -> bool:
        """Save one more draft; whether the site said that it did."""
        client_id = uuid.uuid4()
        status, said = self._ask("PUT", draft_api(client_id), save_of(self._cast, self._story))
        if status == 200:
            self.drafts.append(client_id)
        else:
            self.refusals.append((status, said))
        return status == 200

    def wait_until_served(self) -> float:
        """Seconds until a page is shown and a draft is saved; at most what the site promises."""
        began = time.monotonic()
        wait_until(lambda: self.look() == 200 and self.type(), SERVED_WITHIN)
        return time.monotonic() - began

    def lost(self) -> list[uuid.UUID]:
        """Drafts that the site said it had saved, and that are not there."""
        kept = set(ItemDraft.objects.filter(client_id__in=self.drafts).values_list("client_id", flat=True))
        return [each for each in self.drafts if each not in kept]

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self._address + path, data, self._headers, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""


def database_address() -> Address:
    """Where the database of the tests listens."""
    parts = connection.settings_dict
    host, port = str(parts["HOST"]), int(parts["PORT"] or 5432)
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)


def redis_address() -> tuple[Address, int]:
    """Where the Redis of the tests listens, and the number of the database there."""
    parts = urlsplit(site.REDIS_URL)
    if parts.scheme == "unix":
        return unquote(parts.path), int(parts.query.removeprefix("db="))
    return (str(parts.hostname), parts.port or 6379), int(parts.path.removeprefix("/") or 0)


def settings_through(database_port: int, redis_port: int) -> dict[str, str]:
    """Settings of a site that reaches database and Redis of the test through these ports of loopback."""
    parts = connection.settings_dict
    user = f"{parts['USER']}:{parts['PASSWORD']}" if parts["PASSWORD"] else str(parts["USER"])
    url = f"postgres://{user}@127.0.0.1:{database_port}/{parts['NAME']}"
    return {
        "DATABASE_URL": url,
        "DATABASE_OWNER_URL": url,
        "REDIS_URL": f"redis://127.0.0.1:{redis_port}/{redis_address()[1]}",
        "PARABLE_LLM_ALLOW_PRIVATE": "127.0.0.1",
    }
