"""The exception handler of the API, which returns exceptions of services as JSON."""

from typing import Any, Final

from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.errors import Busy, ParableError, Unusable

MOST_ERRORS: Final = 10
LONGEST_ERROR: Final = 300
"""The most characters of an error, and of the name of its field, since both may repeat the input."""


def answer(error: Exception, context: dict[str, object]) -> Response | None:
    """Return a response for an exception: a `ParableError` as JSON, others as the framework does.

    A response has at most ten errors.
    """
    if isinstance(error, ValidationError):
        error.detail = _first(error.detail, [MOST_ERRORS])
    if not isinstance(error, ParableError):
        return exception_handler(error, context)
    body: dict[str, object] = {"detail": str(error)}
    if isinstance(error, Unusable) and error.fields:
        body["fields"] = _first(error.fields, [MOST_ERRORS])
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Busy) else None
    return Response(body, status=error.status, headers=headers)


def _first(errors: Any, left: list[int]) -> Any:
    """Return a tree of errors, cut off after `left[0]` errors.

    Each error is shortened. `left[0]` is reduced by the number of errors returned.
    """
    if isinstance(errors, dict):
        kept = {}
        for name, inside in errors.items():
            if left[0] == 0:
                break
            kept[str(name)[:LONGEST_ERROR]] = _first(inside, left)
        return kept
    if isinstance(errors, list):
        kept_list = []
        for inside in errors:
            if left[0] == 0:
                break
            kept_list.append(_first(inside, left))
        return kept_list
    left[0] -= 1
    return str(errors)[:LONGEST_ERROR]
