"""Hooks that tell higher apps that a user has read morals while importing stories.

Higher apps register in their `ready()`. A registered function is called in the transaction of the import.
"""

from typing import Final, Protocol

from django.db.models import QuerySet

from accounts.models import User
from corpus.models import Story


class Follower(Protocol):
    """The type of a function that records the actor as a reader of these stories' morals."""

    def __call__(self, *, actor: User, stories: QuerySet[Story]) -> object: ...  # noqa: D102 - the class says it


_followers: Final[list[Follower]] = []


def follow_morals(follower: Follower) -> None:
    """Register `follower`, to be called after each import whose preview displayed morals.

    Registering twice has no effect.
    """
    if follower not in _followers:
        _followers.append(follower)


def announce_morals(*, actor: User, stories: QuerySet[Story]) -> None:
    """Call the functions registered by `follow_morals`, in the order of their registration."""
    for follower in _followers:
        follower(actor=actor, stories=stories)
