"""The client as a program has it: from its folder, which is not installed here. And who works for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from django.db import connection

from events.services import order_events
from tests.architecture import BASE
from tests.work import work_off

sys.path.insert(0, str(BASE / "clients" / "python"))


@pytest.fixture
def worker() -> Iterator[None]:
    """Does the jobs that are ordered, as a worker of the site would."""
    stopped = threading.Event()

    def work() -> None:
        while not stopped.wait(0.1):
            work_off()
            order_events()
        connection.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield
    stopped.set()
    thread.join(60)
