"""How the apps above follow the copying of a project, though this app imports none of them.

Apps above subscribe in their `ready()`; a follower is called in the transaction that creates the project.
"""

from collections.abc import Callable
from typing import Final

from accounts.models import User
from projects.models import Project

Follower = Callable[[User, Project, Project], object]

_followers: Final[list[Follower]] = []


def follow_copies(follower: Follower) -> None:
    """Call `follower(actor, project, like)` when a project has been made like another.

    Registering twice has no effect.
    """
    if follower not in _followers:
        _followers.append(follower)


def followers() -> tuple[Follower, ...]:
    """Return all receivers of copied projects."""
    return tuple(_followers)


def announce_copy(actor: User, project: Project, like: Project) -> None:
    """Call the followers, in the order they came."""
    for follower in _followers:
        follower(actor, project, like)
