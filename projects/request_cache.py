"""Caches projects, and users' roles in them, for the duration of one request.

A page needs the user's roles several times: in the view, the services it calls, and the navigation. Within a
request, the first result is reused until a service of this app changes the roles. Outside of requests nothing
is cached.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from projects.models import Project


@dataclass(slots=True)
class Known:
    """Projects by user and slug, and roles by user and project, cached for one request."""

    changes: bool = False
    """Whether the request's method may change anything."""
    projects: dict[tuple[int, str], Project] = field(default_factory=dict)
    roles: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)


_known: ContextVar[Known | None] = ContextVar("known", default=None)


@contextmanager
def within_request(*, changes: bool) -> Iterator[None]:
    """Cache projects and roles within the context; `changes` is whether the request may change data."""
    token = _known.set(Known(changes))
    try:
        yield
    finally:
        _known.reset(token)


def known() -> Known:
    """Return the cache of the current request or, outside of a request, a new empty one."""
    return _known.get() or Known()


def forget() -> None:
    """Clear the cache after roles have changed."""
    if (cached := _known.get()) is not None:
        cached.projects.clear()
        cached.roles.clear()
