"""Exceptions with which services refuse a request, with messages for the user.

ParableError
├── Forbidden      the user may see the object, but not do this with it (HTTP 403)
│   └── Hidden     the object does not exist for this user (HTTP 404)
├── Conflict       the current state does not permit the action (HTTP 409)
│   └── NameTaken  another user has this name
├── Unusable       the input is invalid; may name fields (HTTP 400 or a form error)
└── Busy           too many requests for the same thing at once; may be sent again (HTTP 429)
"""

from collections.abc import Mapping

from core.decisions import Decision, Denied


class ParableError(Exception):
    """The base class of refusals; `str(error)` is the message for the user."""

    status = 400


class Forbidden(ParableError):
    """Raised if the user may see an object, but may not do this with it."""

    status = 403


class Hidden(Forbidden):
    """Raised if an object does not exist or the user may not see it, without revealing which."""

    status = 404


class Conflict(ParableError):
    """Raised if the current state of an object does not permit the action."""

    status = 409


class NameTaken(Conflict):
    """Raised if a user name is taken, ignoring case."""


class Unusable(ParableError):
    """Raised if the input is not valid; `fields` maps names of fields to sentences.

    `Unusable(sentence)` names no field, and `Unusable(sentence, field)` one. `Unusable({field: sentence})`
    joins the sentences of all fields, without repeats. `Unusable(sentence, {field: sentence})` gives an
    introductory sentence and the sentences of several fields.
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
    """Raised if too many requests for the same thing arrive at once. `retry_after` is in seconds."""

    status = 429
    retry_after = 5


def require(decision: Decision) -> None:
    """Raise `Forbidden` or `Hidden` with the decision's reason unless it allows the action."""
    if isinstance(decision, Denied):
        raise (Hidden if decision.hidden else Forbidden)(decision.reason)
