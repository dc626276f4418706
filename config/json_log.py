"""Log lines as JSON objects, for programs that collect logs of many machines.

A line has the fields of `FIELDS` and no others. Attributes that libraries add to records are left out, since
they hold requests and arguments of tasks; so are texts of exceptions, which quote rows of the database.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from celery import current_task

from core import request_id, spans
from core.personal import Personal

logger = logging.getLogger(__name__)

FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "time": "when, in UTC",
        "level": "`DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`",
        "logger": "the part of the program that says it",
        "message": "what happened",
        "process": "the process's number",
        "name": "the process's name, where one supervisor runs all of them",
        "request_id": "the request, also in lines of the tasks that it sent",
        "trace_id": "its trace, if traces are sent",
        "task": "the task of a worker",
        "task_id": "the task's id",
        "method": "of a request that was answered",
        "route": "the name of its route, never its path",
        "status": "of its response",
        "duration_ms": "from its arrival to its response",
        "error": "of an exception: its `type`, the `code` of a database or system, and `at`: file, line and"
        " function of each call, the innermost last",
    }
)
"""The fields of a line, with what each says. Only the first four are in every line."""
OF_REQUESTS: Final = ("method", "route", "status", "duration_ms")
HIDDEN: Final = "…"
SHORTEST_QUOTE: Final = 8
"""The fewest characters of an exception's text to look for in a message, as fewer may be there by chance."""
# What Celery says of a task may be in a message of its own; arguments and results never are.
_OF_TASKS: Final = ("name", "id", "description", "runtime", "hostname", "eta")


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, in ASCII, so that no character of a message can break it."""
        return json.dumps({name: value for name, value in _fields(record) if value not in ("", None)})


def _fields(record: logging.LogRecord) -> Iterator[tuple[str, object]]:
    yield "time", datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    yield "level", record.levelname
    yield "logger", record.name
    yield "message", message_of(record)
    yield "process", record.process
    yield "request_id", request_id.current()
    yield "trace_id", spans.trace_id()
    yield from zip(("task", "task_id"), _task_of(record), strict=True)
    for name in OF_REQUESTS:
        yield name, getattr(record, name, None)
    yield "error", _error_of(record)


def message_of(record: logging.LogRecord) -> str:
    """Return the record's message without what it says about people, and without texts of exceptions."""
    message = str(record.msg)
    if isinstance(record.args, Mapping):
        shown = {
            name: value if name in _OF_TASKS else _safe(value, HIDDEN) for name, value in record.args.items()
        }
        message = message % shown
    elif record.args:
        message = message % tuple(_safe(each, each) for each in record.args)
    error = _exception_of(record)
    while error is not None:
        for text in (repr(error), str(error)):
            if len(text) >= SHORTEST_QUOTE:
                message = message.replace(text, type(error).__name__)
        error = error.__cause__ or error.__context__
    return message


def _safe(value: object, otherwise: object) -> object:
    if isinstance(value, BaseException):
        return type(value).__name__
    return HIDDEN if isinstance(value, Personal) else otherwise


def _task_of(record: logging.LogRecord) -> tuple[str, str]:
    """Return name and id of the task that runs, or that Celery speaks of."""
    if current_task and current_task.request.id:
        return str(current_task.name), str(current_task.request.id)
    said = getattr(record, "data", None)
    return (str(said.get("name", "")), str(said.get("id", ""))) if isinstance(said, dict) else ("", "")


def _exception_of(record: logging.LogRecord) -> BaseException | None:
    return record.exc_info[1] if isinstance(record.exc_info, tuple) else None


def _error_of(record: logging.LogRecord) -> dict[str, Any] | None:
    error = _exception_of(record)
    if error is None:
        return None
    code = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
    code = code or (error.errno if isinstance(error, OSError) else None)
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "type": f"{type(error).__module__}.{type(error).__qualname__}",
        **({"code": code} if code else {}),
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def log_uncaught() -> None:
    """Log warnings, and exceptions that end a thread or the process, in place of printing them."""
    logging.captureWarnings(True)

    def thread(ended: threading.ExceptHookArgs) -> None:
        if ended.exc_value is not None:
            logger.error("a thread ended", exc_info=ended.exc_value)

    def process(_kind: object, error: BaseException, _trace: object) -> None:
        if not isinstance(error, KeyboardInterrupt):
            logger.critical("the process ended", exc_info=error)

    threading.excepthook, sys.excepthook = thread, process
