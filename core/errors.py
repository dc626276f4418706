"""Refusals that a person should read.

ParableError
├── Forbidden      seen, but not this person's to do (HTTP 403)
│   └── Hidden     does not exist for this person (HTTP 404)
├── Conflict       the state of things does not allow it (HTTP 409)
│   └── NameTaken  somebody else has this user name
├── Unusable       the input cannot be used; may name fields (HTTP 400 or a form error)
└── Busy           too many ask for it at the same time; it can be sent again (HTTP 429)
"""

from collections.abc import Mapping

from core.decisions import Decision, Denied


class ParableError(Exception):
    """A refusal with a sentence; `str(error)` is shown to the user."""

    status = 400


class Forbidden(ParableError):
    """The user may see this, but may not do it."""

    status = 403


class Hidden(Forbidden):
    """For this person it does not exist."""

    status = 404


class Conflict(ParableError):
    """It cannot be done as things are now."""

    status = 409


class NameTaken(Conflict):
    """The user name is taken, perhaps in another case."""


class Unusable(ParableError):
    """The input cannot be used.

    `fields` maps names of fields to sentences.

    `Unusable(sentence)` names no field, and `Unusable(sentence, field)` one. `Unusable({field: sentence})`
    joins the sentences of all fields, without repeats. Both are given only if one sentence introduces several
    others: `Unusable(sentence, {field: sentence})`.
    """

    status = 400

    def __init__(self, message: str | Mapping[str, str], fields: str | Mapping[str, str] = "") -> None:
        if not isinstance(message, str):
            message, fields = " ".join(dict.fromkeys(message.values())), message
        super().__init__(message)
        if isinstance(fields, str):
            fields = {fields: message} if fields else {}
        self.fields = dict(fields)


class Busy(ParableError):
    """Too many ask for it at the same time. `retry_after` is in seconds."""

    status = 429
    retry_after = 5


def require(decision: Decision) -> None:
    """Raise `Forbidden` or `Hidden` with the reason unless the decision allows it."""
    if isinstance(decision, Denied):
        raise (Hidden if decision.hidden else Forbidden)(decision.reason)
