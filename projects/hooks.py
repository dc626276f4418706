"""Hooks through which higher apps copy their data with a project.

This app may not import higher apps. Higher apps register in their `ready()`. A registered function is
called in the transaction that creates the copy.
"""

from collections.abc import Callable
from typing import Final

from accounts.models import User
from projects.models import Project

Follower = Callable[[User, Project, Project], object]

_followers: Final[list[Follower]] = []


def follow_copies(follower: Follower) -> None:
    """Register `follower(actor, project, like)`, to be called when `project` is created as a copy of `like`.

    Registering twice has no effect.
    """
    if follower not in _followers:
        _followers.append(follower)


def followers() -> tuple[Follower, ...]:
    """Return the functions registered by `follow_copies`."""
    return tuple(_followers)


def announce_copy(actor: User, project: Project, like: Project) -> None:
    """Call the functions registered by `follow_copies`, in the order of their registration."""
    for follower in _followers:
        follower(actor, project, like)
