"""Refusals that a person should read.

ParableError
├── Forbidden      seen, but not this person's to do (HTTP 403)
│   └── Hidden     does not exist for this person (HTTP 404)
├── Conflict       the state of things does not allow it (HTTP 409)
│   └── NameTaken  somebody else has this user name
└── Unusable       the input cannot be used; may name fields (HTTP 400 or a form error)
"""

from collections.abc import Mapping

from core.decisions import Decision, Denied


class ParableError(Exception):
    """A refusal in words; `str(error)` is what the person reads."""

    status = 400


class Forbidden(ParableError):
    """Somebody may see this, but may not do it."""

    status = 403


class Hidden(Forbidden):
    """For this person it does not exist."""

    status = 404


class Conflict(ParableError):
    """It cannot be done as things are now."""

    status = 409


class NameTaken(Conflict):
    """Somebody else has this user name, in this or another case."""


class Unusable(ParableError):
    """The input cannot be used. `fields` maps field names to sentences."""

    status = 400

    def __init__(self, message: str, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.fields = dict(fields or {})


def require(decision: Decision) -> None:
    """Raise `Forbidden` or `Hidden` with the reason unless the decision allows it."""
    if isinstance(decision, Denied):
        raise (Hidden if decision.hidden else Forbidden)(decision.reason)
