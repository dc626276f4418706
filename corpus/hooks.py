"""Hooks by which higher apps learn who has read morals in an import; this app imports none of them.

Higher apps register in their `ready()`; a follower is called in the transaction of the import.
"""

from typing import Final, Protocol

from django.db.models import QuerySet

from accounts.models import User
from corpus.models import Story


class Follower(Protocol):
    """A function that records that a user has read the morals of these stories."""

    def __call__(self, *, actor: User, stories: QuerySet[Story]) -> object: ...  # noqa: D102 - the class says it


_followers: Final[list[Follower]] = []


def follow_morals(follower: Follower) -> None:
    """Call `follower` when stories are imported whose morals were shown. Registering twice has no effect."""
    if follower not in _followers:
        _followers.append(follower)


def announce_morals(*, actor: User, stories: QuerySet[Story]) -> None:
    """Call the followers that record the reading of morals, in the order of their registration."""
    for follower in _followers:
        follower(actor=actor, stories=stories)
