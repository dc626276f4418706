"""Decisions: whether an action is allowed and, if not, why. Returned by every permission."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Allowed:
    """The decision that an action is allowed."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Denied:
    """The decision that an action is not allowed, with the reason to show to the user.

    `hidden`: the object does not exist for this user (404).
    """

    reason: str
    hidden: bool = False

    def __bool__(self) -> bool:
        return False


Decision: TypeAlias = Allowed | Denied
