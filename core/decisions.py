"""The result of a permission check: `Allowed`, or `Denied` with a reason."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Allowed:
    """The action is allowed. Its truth value is True."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Denied:
    """The action is not allowed. Its truth value is False.

    `reason` is a sentence for the user. With `hidden`, the object must look as if it did not exist (HTTP
    404).
    """

    reason: str
    hidden: bool = False

    def __bool__(self) -> bool:
        return False


Decision: TypeAlias = Allowed | Denied
