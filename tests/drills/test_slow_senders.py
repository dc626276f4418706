"""Two hundred clients that send a byte a second: ordinary requests must hardly notice."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.test_server import Site, posted

SENDERS = 200
REQUESTS = 40
WINDOWS = 5

pytestmark = [pytest.mark.drill, pytest.mark.django_db]


@contextlib.contextmanager
def slow_senders(site: Site) -> Iterator[None]:
    """Connections that bring their body a byte a second."""
    stopped = threading.Event()
    with contextlib.ExitStack() as stack:
        head = posted("/accounts/login/", 100_000)
        senders = [stack.enter_context(contextlib.closing(site.opened(head))) for _ in range(SENDERS)]

        def drip() -> None:
            while not stopped.wait(1.0):
                for sender in senders:
                    with contextlib.suppress(OSError):
                        sender.send(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()


def slowest_of_twenty(site: Site) -> float:
    """The 95th percentile of a window of requests, in seconds."""
    times = []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        assert site.get()[0] == 200
        times.append(time.perf_counter() - start)
    return sorted(times)[REQUESTS * 95 // 100]


def test_two_hundred_slow_senders_are_hardly_noticed(tmp_path: Path) -> None:
    site = Site(tmp_path, "--worker-connections", "512")
    with site.process:
        try:
            assert site.process.stdout
            site.process.stdout.readline()
            slowest_of_twenty(site)
            quiet, beset = [], []
            for _ in range(WINDOWS):
                quiet.append(slowest_of_twenty(site))
                with slow_senders(site):
                    beset.append(slowest_of_twenty(site))
                    assert site.get("/livez")[0] == site.get("/readyz")[0] == 200
            ratio = sorted(beset)[WINDOWS // 2] / sorted(quiet)[WINDOWS // 2]
            print(f"p95 with {SENDERS} slow senders: {ratio:.2f} times that without")
            assert ratio < 1.5
        finally:
            site.process.kill()
