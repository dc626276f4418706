"""Caches projects and the user's roles in them for the duration of a request.

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
    from projects.models import AccessToken, Project


@dataclass(slots=True)
class Known:
    """The cache of one request: projects by (user id, slug), and roles by (user id, project id)."""

    changes: bool = False
    """Whether the method of the request may change data."""
    projects: dict[tuple[int, str], Project] = field(default_factory=dict)
    roles: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    token: AccessToken | None = None
    """The access token of the request's program; None for a browser."""

    def hides(self, project: int) -> bool:
        """Return whether the request's token is for another project than this one."""
        return self.token is not None and self.token.project_id not in (None, project)


_known: ContextVar[Known | None] = ContextVar("known", default=None)


@contextmanager
def within_request(*, changes: bool, token: AccessToken | None = None) -> Iterator[None]:
    """Cache projects and roles within the context; `changes` is whether the request may change data.

    With `token`, permissions are limited to its scopes and its project.
    """
    before = _known.set(Known(changes, token=token))
    try:
        yield
    finally:
        _known.reset(before)


@contextmanager
def by_roles_alone() -> Iterator[None]:
    """Check permissions within the context as if the request had no access token.

    For what follows from an action that the token's scopes permit, also on behalf of other users.
    """
    cached = known()
    before = _known.set(Known(cached.changes))
    try:
        yield
    finally:
        _known.reset(before)


def known() -> Known:
    """Return the cache of the current request, or a new empty cache outside of requests."""
    return _known.get() or Known()


def forget() -> None:
    """Clear the cache of the current request. Call it after changing roles."""
    if (cached := _known.get()) is not None:
        cached.projects.clear()
        cached.roles.clear()
