"""Runs coroutines in tests, wherever Playwright's own loop is running."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_aside(work: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns, run in a thread of its own.

    Once a worker of pytest-xdist has opened a browser, a loop runs in its main thread to the end, and
    asyncio starts no second one there.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
