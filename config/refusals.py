"""Problem details (RFC 9457) for every refusal of the programming interface, in the caller's language."""

from http import HTTPStatus
from typing import Any, Final

from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.errors import Busy, ParableError, Unusable

MOST_ERRORS: Final = 10
LONGEST_ERROR: Final = 300
"""Most characters of an error, and of its field's name: both may repeat the input."""
PROBLEM: Final = "application/problem+json"
CODES: Final = {
    HTTPStatus.BAD_REQUEST: "invalid",
    HTTPStatus.UNAUTHORIZED: "not_authenticated",
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.TOO_MANY_REQUESTS: "busy",
}
"""The code of a problem whose exception has none of its own."""


def problem(status: int, detail: str, code: str = "", **more: object) -> dict[str, object]:
    """Return the problem details: type, title, status and a sentence, and a code for programs.

    `more`: `fields`, which maps names of fields to sentences.
    """
    phrase = HTTPStatus(status).phrase
    code = code or CODES.get(HTTPStatus(status), phrase.lower().replace(" ", "_"))
    return {"type": "about:blank", "title": phrase, "status": status, "detail": detail, "code": code, **more}


def answer(error: Exception, context: dict[str, object]) -> Response | None:
    """Return a refusal as problem details with its status, or None for other exceptions.

    A response names at most ten fields.
    """
    if isinstance(error, ParableError):
        named = error.fields if isinstance(error, Unusable) else {}
        more: dict[str, object] = {"fields": _first(named, [MOST_ERRORS])} if named else {}
        headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Busy) else None
        said = problem(error.status, str(error)[: 10 * LONGEST_ERROR], error.code, **more)
        return Response(said, status=error.status, headers=headers, content_type=PROBLEM)
    if isinstance(error, ValidationError):
        error.detail = _first(error.detail, [MOST_ERRORS])
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, ValidationError):
        fields = error.detail if isinstance(error.detail, dict) else {"": error.detail}
        sentences = list(dict.fromkeys(str(one) for one in _sentences(fields)))
        detail = " ".join(sentences)[: 3 * LONGEST_ERROR]
        response.data = problem(response.status_code, detail, fields=fields)
    else:
        own = getattr(error, "get_codes", None)
        code = own() if isinstance(error, APIException) and own else ""
        known = code if isinstance(code, str) and code not in ("error", "permission_denied") else ""
        response.data = problem(response.status_code, str(response.data.get("detail", "")), known)
    response.content_type = PROBLEM
    return response


def _sentences(errors: Any) -> list[Any]:
    inside = errors.values() if isinstance(errors, dict) else errors if isinstance(errors, list) else None
    return [errors] if inside is None else [each for one in inside for each in _sentences(one)]


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
