"""A real worker in this process, on the real broker."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from celery.contrib.testing.worker import start_worker

from config.celery import app


@contextmanager
def running_worker(threads: int) -> Iterator[None]:
    """Run a worker of both queues, then restore the logging configuration, which Celery replaces."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        with start_worker(
            app, pool="threads", concurrency=threads, perform_ping_check=False, queues=["llm", "default"]
        ):
            yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
