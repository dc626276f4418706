"""Whether somebody may do something, and if not, why: the answer every permission gives."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Allowed:
    """Yes."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Denied:
    """No, with the reason a person will read. `hidden`: the thing does not exist for this person (404)."""

    reason: str
    hidden: bool = False

    def __bool__(self) -> bool:
        return False


Decision: TypeAlias = Allowed | Denied
