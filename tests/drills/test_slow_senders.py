"""Two hundred clients that send a byte a second: ordinary requests are answered while they all hold on."""

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
    """Connections that bring their body a byte a second; at the end of the block none has been answered."""
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
        for sender in senders:
            sender.setblocking(False)
            with pytest.raises(BlockingIOError):
                sender.recv(1)


def asked(site: Site) -> list[float]:
    """How long each of a window of requests took, in seconds, after a few that do not count."""
    for _ in range(5):
        site.get()
    times = []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        assert site.get()[0] == 200
        times.append(time.perf_counter() - start)
    return times


def p95(times: list[float]) -> float:
    """The time within which 95 of 100 were answered."""
    return sorted(times)[len(times) * 95 // 100]


def test_ordinary_requests_are_answered_before_any_of_two_hundred_slow_senders(tmp_path: Path) -> None:
    site = Site(tmp_path, "--worker-connections", "512")
    with site.process:
        try:
            assert site.process.stdout
            site.process.stdout.readline()
            asked(site)
            quiet: list[float] = []
            beset: list[float] = []
            for _ in range(WINDOWS):
                quiet += asked(site)
                with slow_senders(site):
                    beset += asked(site)
                    assert site.get("/livez")[0] == site.get("/readyz")[0] == 200
            ratio = p95(beset) / p95(quiet)
            print(f"p95 with {SENDERS} slow senders: {ratio:.2f} times that without")
        finally:
            site.process.kill()
