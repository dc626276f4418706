"""Decisions: whether an action is allowed and, if not, why. Returned by every permission."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Allowed:
    """Yes."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Denied:
    """No, with the reason a person will read.

    `hidden`: the object does not exist for this user (404).
    """

    reason: str
    hidden: bool = False

    def __bool__(self) -> bool:
        return False


Decision: TypeAlias = Allowed | Denied
