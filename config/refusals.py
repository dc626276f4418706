"""Turns refusals into JSON: what a service raises, a script reads."""

from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.errors import Busy, ParableError, Unusable


def answer(error: Exception, context: dict[str, object]) -> Response | None:
    """Answer a `ParableError` with its status, reason and fields; leave the rest to the framework."""
    if not isinstance(error, ParableError):
        return exception_handler(error, context)
    body: dict[str, object] = {"detail": str(error)}
    if isinstance(error, Unusable) and error.fields:
        body["fields"] = error.fields
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Busy) else None
    return Response(body, status=error.status, headers=headers)
