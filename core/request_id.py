"""The id of the request that this thread serves, or on whose behalf its task runs; log lines carry it."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar
from typing import Final

HEADER: Final = "X-Request-ID"
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}", re.ASCII)
_current: Final[ContextVar[str]] = ContextVar("request_id", default="")


def current() -> str:
    """Return the id of the current request; "" outside of requests and of the tasks that they send."""
    return _current.get()


def begin(proposed: str = "") -> str:
    """Begin a request with the proposed id, or with a new one if it is not well-formed. Return the id."""
    request_id = proposed if is_well_formed(proposed) else secrets.token_hex(16)
    _current.set(request_id)
    return request_id


def resume(request_id: object) -> None:
    """Continue on behalf of the request with this id; of none, if it is not well-formed."""
    _current.set(request_id if isinstance(request_id, str) and is_well_formed(request_id) else "")


def end() -> None:
    """End the request."""
    _current.set("")


def is_well_formed(request_id: str) -> bool:
    """Return whether a log may hold this id: 8 to 64 letters, digits, dots, hyphens and underscores."""
    return _WELL_FORMED.fullmatch(request_id) is not None
