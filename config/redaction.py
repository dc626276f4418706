"""Log filters that hide tokens in URLs, and drop routine messages."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from http import HTTPStatus

SECRET_ADDRESSES = re.compile(r"/(join|report|score|solve|audit|file-audits|mail/stop|reset/[^/\s]+)/[^/\s]+")


class HideTokens(logging.Filter):
    """Replaces the tokens of secret links in log records, so that `/join/TOKEN` becomes `/join/…`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the tokens in the record's message. Return True, since no record is dropped."""
        message = record.getMessage()
        hidden = SECRET_ADDRESSES.sub(r"/\1/…", message)
        if hidden != message:
            record.msg, record.args = hidden, ()
        return True


CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


class EscapeControls(logging.Filter):
    """Escapes line ends and other control characters, so that input cannot forge lines or colour a terminal.

    Tracebacks are not part of a message, and keep their lines.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Escape the characters in the record's message. Return True, since no record is dropped."""
        message = record.getMessage()
        if CONTROLS.search(message):
            record.msg, record.args = CONTROLS.sub(lambda found: ascii(found[0])[1:-1], message), ()
        return True


class HideRoutine(logging.Filter):
    """Drops log records about the normal course of periodic tasks, but not about their errors.

    It also drops records of requests with status 429, since one line per minute reports their number.
    """

    LOGGERS = ("celery.beat", "celery.worker.strategy", "celery.app.trace")

    def __init__(self, tasks: Iterable[str]) -> None:
        super().__init__()
        self._tasks = frozenset(tasks)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False for a record to drop."""
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
