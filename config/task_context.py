"""Carries the id and the trace of a request into the tasks that it sends, and into those that they send."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any, Final

from celery.signals import before_task_publish, task_postrun, task_prerun
from celery.states import FAILURE

from core import request_id, spans

REQUEST: Final = "parable_request"
TRACE: Final = "parable_trace"
"""The names of the headers of a task's message."""
_spans: Final[dict[str, AbstractContextManager[Any]]] = {}


class TaskFailed(Exception):
    """Marks the span of a failed task."""


@before_task_publish.connect
def _send_along(sender: str, headers: dict[str, Any], **_named: object) -> None:
    if current := request_id.current():
        headers[REQUEST] = current
    if carried := spans.carrier():
        headers[TRACE] = carried


@task_prerun.connect
def _take_over(task_id: str, task: Any, **_named: object) -> None:
    request_id.resume(task.request.get(REQUEST))
    if spans.is_tracing():
        parent = task.request.get(TRACE)
        span = spans.span(
            f"run {task.name}",
            "consumer",
            {"messaging.system": "celery", "messaging.message.id": task_id},
            parent=parent if isinstance(parent, dict) else {},
        )
        span.__enter__()
        _spans[task_id] = span


@task_postrun.connect
def _end(task_id: str, state: str | None = None, **_named: object) -> None:
    request_id.end()
    if span := _spans.pop(task_id, None):
        failed = TaskFailed() if state == FAILURE else None
        with contextlib.suppress(TaskFailed):
            span.__exit__(type(failed) if failed else None, failed, None)
