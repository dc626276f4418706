"""Log filters that hide the tokens of links, and drop routine messages."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from http import HTTPStatus

SECRET_ADDRESSES = re.compile(r"/(join|report|score|solve|mail/stop|reset/[^/\s]+)/[^/\s]+")


class HideTokens(logging.Filter):
    """Replaces the tokens of secret links in log records: `/join/TOKEN` becomes `/join/…`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace tokens in the record's message; return True, as no record is dropped."""
        message = record.getMessage()
        hidden = SECRET_ADDRESSES.sub(r"/\1/…", message)
        if hidden != message:
            record.msg, record.args = hidden, ()
        return True


class HideRoutine(logging.Filter):
    """Drops records of routine events of periodic tasks, but not their errors.

    It also drops single requests answered with 429: one line per minute reports their number.
    """

    LOGGERS = ("celery.beat", "celery.worker.strategy", "celery.app.trace")

    def __init__(self, tasks: Iterable[str]) -> None:
        super().__init__()
        self._tasks = frozenset(tasks)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False for a record of a routine event."""
        if (
            record.name == "django.request"
            and getattr(record, "status_code", 0) == HTTPStatus.TOO_MANY_REQUESTS
        ):
            return False
        if record.levelno > logging.INFO or record.name not in self.LOGGERS:
            return True
        data = getattr(record, "data", None)  # Celery passes the task's name in the record's data
        named = data.get("name") if isinstance(data, dict) else None
        sent = record.args if isinstance(record.args, tuple) else ()
        return named not in self._tasks and self._tasks.isdisjoint(map(str, sent))
