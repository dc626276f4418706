"""What a request has asked for already: the project at hand, and somebody's roles in it.

A page asks several times who one is: the view, the services it calls, the navigation. Within one request the
first answer holds, until a service of this app changes it. Outside of requests nothing is kept.
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
    """Projects by account and short name, and roles by account and project, as this request found them."""

    changes: bool = False
    """Whether the request may change anything, by its method."""
    projects: dict[tuple[int, str], Project] = field(default_factory=dict)
    roles: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)


_known: ContextVar[Known | None] = ContextVar("known", default=None)


@contextmanager
def within_request(*, changes: bool) -> Iterator[None]:
    """Keep what is asked until the request has been answered."""
    token = _known.set(Known(changes))
    try:
        yield
    finally:
        _known.reset(token)


def known() -> Known:
    """What has been asked for so far; outside of requests, always nothing."""
    return _known.get() or Known()


def forget() -> None:
    """Ask again from here on: roles have changed."""
    if (kept := _known.get()) is not None:
        kept.projects.clear()
        kept.roles.clear()
