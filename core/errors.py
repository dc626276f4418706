"""Exceptions that services raise to refuse an action, each with a message for the user.

ParableError
├── Forbidden      the user may see the object, but not do this with it (HTTP 403)
│   └── Hidden     the object does not exist for this user (HTTP 404)
├── Conflict       the current state does not permit the action (HTTP 409)
│   └── NameTaken  another user has this name
├── Stale          the object has changed since the client read it (HTTP 412)
├── Unprocessable  the input contradicts an earlier request (HTTP 422)
├── Unusable       the input is invalid; may name fields (HTTP 400 or a form error)
└── Busy           too many requests for the same thing at once; may be sent again (HTTP 429)
"""

from collections.abc import Mapping

from core.decisions import Decision, Denied


class ParableError(Exception):
    """The base class of refusals; `str(error)` is the message for the user, `code` its name for programs."""

    status = 400
    code = "refused"


class Forbidden(ParableError):
    """Raised if the user may see an object, but may not perform this action on it."""

    status = 403
    code = "forbidden"


class Hidden(Forbidden):
    """Raised if an object does not exist or the user may not see it; the message does not reveal which."""

    status = 404
    code = "not_found"


class Conflict(ParableError):
    """Raised if the current state of an object does not permit the action."""

    status = 409
    code = "conflict"


class NameTaken(Conflict):
    """Raised if another user has this user name; upper and lower case are not distinguished."""

    code = "name_taken"


class Stale(ParableError):
    """Raised if an object has changed since the client that wants to change it read it."""

    status = 412
    code = "changed"


class Unprocessable(ParableError):
    """Raised if a request contradicts an earlier one with the same idempotency key."""

    status = 422
    code = "key_reused"


class Unusable(ParableError):
    """Raised if input is invalid; `fields` maps the names of invalid fields to messages.

    `Unusable(message)` names no field, and `Unusable(message, field)` one. `Unusable({field: message})` joins
    the messages of all fields, without repeats. `Unusable(message, {field: message})` gives an introductory
    message and the messages of several fields.
    """

    status = 400
    code = "invalid"

    def __init__(self, message: str | Mapping[str, str], fields: str | Mapping[str, str] = "") -> None:
        if not isinstance(message, str):
            message, fields = " ".join(dict.fromkeys(message.values())), message
        super().__init__(message)
        if isinstance(fields, str):
            fields = {fields: message} if fields else {}
        self.fields = dict(fields)


class Busy(ParableError):
    """Raised if too many requests for the same resource arrive at once. `retry_after` is in seconds."""

    status = 429
    code = "busy"
    retry_after = 5


def require(decision: Decision) -> None:
    """Raise `Forbidden` or `Hidden` with the reason of the decision if it is `Denied`."""
    if isinstance(decision, Denied):
        raise (Hidden if decision.hidden else Forbidden)(decision.reason)
