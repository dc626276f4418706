"""Hooks through which higher apps, which this app may not import, follow changes of an account.

Higher apps register in their `ready()`. A registered function is called in the transaction of the change.
"""

from collections.abc import Callable, Collection
from typing import Final

from accounts.models import User

Follower = Callable[[User, User], object]

GroupFollower = Callable[[User, Collection[tuple[str, str]]], object]

_groups: Final[list[GroupFollower]] = []
_resets: Final[list[Follower]] = []
_closings: Final[list[Follower]] = []


def follow_resets(follower: Follower) -> None:
    """Register `follower(actor, user)`, to be called when a user's password is set by a link.

    Registering twice has no effect.
    """
    if follower not in _resets:
        _resets.append(follower)


def follow_closings(follower: Follower) -> None:
    """Register `follower(actor, user)`, to be called before a user's account is closed.

    It may refuse the closing with an exception. Registering twice has no effect.
    """
    if follower not in _closings:
        _closings.append(follower)


def follow_groups(follower: GroupFollower) -> None:
    """Register `follower(user, roles)`, to be called when a user signs in at the provider.

    `roles` are pairs (short name of a project, role) that the user's groups give. Registering twice has no
    effect.
    """
    if follower not in _groups:
        _groups.append(follower)


def followers() -> tuple[Callable[..., object], ...]:
    """Return all registered functions."""
    return (*_resets, *_closings, *_groups)


def announce_reset(actor: User, user: User) -> None:
    """Call the functions registered by `follow_resets`, in the order of their registration."""
    for follower in _resets:
        follower(actor, user)


def announce_closing(actor: User, user: User) -> None:
    """Call the functions registered by `follow_closings`, in the order of their registration."""
    for follower in _closings:
        follower(actor, user)


def announce_groups(user: User, roles: Collection[tuple[str, str]]) -> None:
    """Call the functions registered by `follow_groups`, in the order of their registration."""
    for follower in _groups:
        follower(user, roles)
