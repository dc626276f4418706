"""Runs coroutines in tests, even while Playwright's event loop is running."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_aside(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own, and return its result.

    Once a worker of pytest-xdist has opened a browser, a loop runs in its main thread to the end, and asyncio
    cannot start a second loop there.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
