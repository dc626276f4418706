"""The result of a check (`Finding`), and the base class of checks."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

Parameter = int | str

WARNING: Final = "warning"
ERROR: Final = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a check about one part of an item: "stem", "option-2", "alternative-1-P2", ...

    `place` is the part. `params` are the values of the placeholders in the sentence of the check
    (`BaseCheck.says`).
    """

    check: str
    severity: str
    place: str
    params: Mapping[str, Parameter] = field(default_factory=dict)


class BaseCheck(ABC):
    """Base class of checks; the texts are in English, and the site translates them.

    A check is an error only if its findings are certain defects; a warning can be answered with a reason.
    `says` is the sentence of a finding, with placeholders; `fix` says how to correct the defect, and is
    empty if `says` does so.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[str]
    says: ClassVar[str]
    why: ClassVar[str]
    fix: ClassVar[str] = ""

    def at(self, place: str, **params: Parameter) -> Finding:
        """Return a finding of this check about a part of an item."""
        return Finding(self.id, self.severity, place, params)
