"""Cache of a request: projects, and users' roles in them.

A page needs the user's roles several times: in the view, the services it calls, the navigation. Within one
request the first result is reused until a service of this app changes it. Outside of requests nothing is
cached.
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
    """Projects by user and short name, and roles by user and project, cached for one request."""

    changes: bool = False
    """Whether the request's method may change anything."""
    projects: dict[tuple[int, str], Project] = field(default_factory=dict)
    roles: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)


_known: ContextVar[Known | None] = ContextVar("known", default=None)


@contextmanager
def within_request(*, changes: bool) -> Iterator[None]:
    """Cache the user's projects and roles for the duration of a request."""
    token = _known.set(Known(changes))
    try:
        yield
    finally:
        _known.reset(token)


def known() -> Known:
    """Return the request's cache; outside of requests, always an empty one."""
    return _known.get() or Known()


def forget() -> None:
    """Ask again from here on: roles have changed."""
    if (cached := _known.get()) is not None:
        cached.projects.clear()
        cached.roles.clear()
