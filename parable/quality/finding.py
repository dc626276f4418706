"""Findings of a check, and the attributes that every check has."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

Parameter = int | str

WARNING: Final = "warning"
ERROR: Final = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a check at one place: "stem", "option-2", "alternative-1-P2", ...

    `params` fill the sentence of the check (`BaseCheck.says`).
    """

    check: str
    severity: str
    place: str
    params: Mapping[str, Parameter] = field(default_factory=dict)


class BaseCheck(ABC):
    """A check by its id. The words are in English; the site shows them in the reader's language.

    An error speaks only of what is surely wrong; a warning can be answered with a reason. `says` is the
    sentence of a finding, with its parameters; `fix` may be empty where that says how to fix it.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[str]
    says: ClassVar[str]
    why: ClassVar[str]
    fix: ClassVar[str] = ""

    def at(self, place: str, **params: Parameter) -> Finding:
        """Return a finding of this check."""
        return Finding(self.id, self.severity, place, params)
