"""Keeps out of every log the links by which people join or set a password, and what is mere routine."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from http import HTTPStatus

SECRET_ADDRESSES = re.compile(r"/(join|report|score|solve|mail/stop|reset/[^/\s]+)/[^/\s]+")


class HideTokens(logging.Filter):
    """Writes `/join/…` in place of `/join/TOKEN` into whatever a record says."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record where it names such an address; let every record pass."""
        message = record.getMessage()
        hidden = SECRET_ADDRESSES.sub(r"/\1/…", message)
        if hidden != message:
            record.msg, record.args = hidden, ()
        return True


class HideRoutine(logging.Filter):
    """Leaves out that a periodic task was sent, received and done; what goes wrong with it is still said.

    And each single request that was told to come again (429): one line a minute says how many were.
    """

    LOGGERS = ("celery.beat", "celery.worker.strategy", "celery.app.trace")

    def __init__(self, tasks: Iterable[str]) -> None:
        super().__init__()
        self._tasks = frozenset(tasks)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is more than a line of routine."""
        if (
            record.name == "django.request"
            and getattr(record, "status_code", 0) == HTTPStatus.TOO_MANY_REQUESTS
        ):
            return False
        if record.levelno > logging.INFO or record.name not in self.LOGGERS:
            return True
        data = getattr(record, "data", None)  # Celery passes the task's name beside the message
        named = data.get("name") if isinstance(data, dict) else None
        sent = record.args if isinstance(record.args, tuple) else ()
        return named not in self._tasks and self._tasks.isdisjoint(map(str, sent))
