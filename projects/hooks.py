"""Hooks by which higher apps, which this app may not import, take part in copying a project.

Higher apps subscribe in their `ready()`; a follower is called in the transaction that creates the project.
"""

from collections.abc import Callable
from typing import Final

from accounts.models import User
from projects.models import Project

Follower = Callable[[User, Project, Project], object]

_followers: Final[list[Follower]] = []


def follow_copies(follower: Follower) -> None:
    """Register `follower(actor, project, like)` to be called when a project is created as a copy of `like`.

    Registering twice has no effect.
    """
    if follower not in _followers:
        _followers.append(follower)


def followers() -> tuple[Follower, ...]:
    """Return all registered followers of copied projects."""
    return tuple(_followers)


def announce_copy(actor: User, project: Project, like: Project) -> None:
    """Call the followers of copied projects, in the order of their registration."""
    for follower in _followers:
        follower(actor, project, like)
