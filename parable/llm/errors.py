"""Errors of calls to language models, in one class hierarchy.

    LlmError
      AddressRefused   the base URL is malformed or points inside the network; nothing was sent
      Unreachable      unknown host name, no connection, broken connection, TLS failure
      TimedOut         no complete answer within the time allowed
      RateLimited      429; `retry_after` is the number of seconds that the server asks to wait
      OutOfCredit      402, or a 429/400/403 whose message says that the account has no money left;
                       `quota_exceeded` if it may be a quota per minute, so that waiting helps
      KeyRefused       401 or 403 (`key_wanted` if no key was sent), or a key that no header can carry
      ModelUnknown     404, or a 400 whose message says that the model or the path is unknown
      Redirected       3xx; redirects are never followed
      Refused          a content filter, or the model itself, declined this question
      BrokenOff        the server ended the answer early
      ServerFault      5xx
      BadRequest       any other 4xx
        SchemaRefused  a refused request with a JSON schema, which may succeed without the schema
      Garbage          a response that does not follow the protocol

Every error has a stable `code`, which templates turn into a sentence, and a `reason`: the server's own
message, without the API key and shortened to `REASON_LENGTH` characters, or "".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import ClassVar, Final

from parable.llm.tokens import NO_TOKENS
from parable.sentences import gettext_noop as _

REASON_LENGTH = 200
FORBIDDEN: Final = 403
_KEY_FRAGMENT = 8


SENTENCES: Final[Mapping[str, str]] = {
    # the address
    "address_scheme": _("The base URL must begin with https:// or http://."),
    "address_credentials": _("The base URL must not contain a user name or password."),
    "address_form": _("Invalid base URL; expected something like https://host/v1."),
    "address_inside": _(
        "The base URL is inside the network. An administrator can allow this host in the settings."
    ),
    # the connection
    "name_not_found": _("Server not found."),
    "cannot_connect": _("Cannot connect to the server."),
    "connection_lost": _("The connection was lost before the answer was complete."),
    "tls_failed": _("The server's certificate is not trusted."),
    "timed_out": _("The answer did not arrive in time."),
    "redirected": _("The server redirects, which is not followed. Check the base URL."),
    # the response
    "rate_limited": _("The server limits the rate. Lower the requests per minute."),
    "out_of_credit": _("The account of the API key has no credit or quota left."),
    "quota_exceeded": _("The quota is used up: that of this minute, or that of the account."),
    "key_refused": _("The server rejected the API key."),
    "key_wanted": _("The server requires an API key, but none is set."),
    "key_in_the_clear": _(
        "The key was not sent because the connection is not encrypted. Use a base URL"
        " with https://, or a server without a key."
    ),
    "key_malformed": _("The API key has invalid characters. Check for line breaks and spaces."),
    "model_unknown": _("The server does not have this model."),
    "path_unknown": _("Path not found on the server. Many base URLs end in /v1."),
    "content_filter": _("A content filter blocked the question or the answer."),
    "model_declined": _("The model declined to answer."),
    "broken_off": _("The server broke the answer off."),
    "server_fault": _("The server failed."),
    "bad_request": _("The server rejected the request. Check the parameters."),
    "parameter_reserved": _("The parameters must not contain fields set by Parable."),
    "schema_refused": _("The server does not support JSON schema; plain text is used."),
    "garbage": _("The response has an unexpected format. Check the base URL."),
    "error_in_answer": _("The server returned an error."),
    "too_large": _("The answer is too large."),
}
"""Sentences, by error code, that explain the error and say what to do."""


class LlmError(Exception):
    """Base class of failed calls; `heals`: whether a retry may help; `attempts`: the number of attempts.

    `tokens` are those that the server reported for the failed attempts, which are paid for.
    """

    default_code: ClassVar[str] = "llm_error"
    default_heals: ClassVar[bool] = False

    def __init__(
        self,
        reason: str = "",
        *,
        code: str | None = None,
        heals: bool | None = None,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code or self.default_code
        self.heals = self.default_heals if heals is None else heals
        self.status = status
        self.retry_after = retry_after
        self.attempts = 1
        self.tokens = NO_TOKENS

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}" if self.reason else self.code

    def __repr__(self) -> str:
        return f"{type(self).__name__}(code={self.code!r}, reason={self.reason!r})"


class AddressRefused(LlmError):
    """The base URL may not be called; no request was sent."""

    default_code = "address_inside"


class Unreachable(LlmError):
    """The server cannot be reached."""

    default_code = "cannot_connect"
    default_heals = True


class TimedOut(LlmError):
    """No complete answer arrived in time."""

    default_code = "timed_out"
    default_heals = True


class RateLimited(LlmError):
    """The server requests fewer calls; `retry_after` is in seconds, or None if the server gave none."""

    default_code = "rate_limited"
    default_heals = True


class OutOfCredit(LlmError):
    """The account of the key has no money or quota left; waiting does not help."""

    default_code = "out_of_credit"


class KeyRefused(LlmError):
    """The server does not accept the API key, or the key may not use the model."""

    default_code = "key_refused"


class BrokenOff(LlmError):
    """The server ended the answer early for its own reasons; the partial text is not an answer."""

    default_code = "broken_off"
    default_heals = True


class ModelUnknown(LlmError):
    """The server has no such model (`model_unknown`) or no such path (`path_unknown`)."""

    default_code = "model_unknown"


class Redirected(LlmError):
    """The server redirects to another address.

    This is not followed, as it could lead into the internal network.
    """

    default_code = "redirected"


class Refused(LlmError):
    """A content filter (`content_filter`) or the model itself (`model_declined`) refused to answer."""

    default_code = "content_filter"


class ServerFault(LlmError):
    """The server failed with a status 5xx."""

    default_code = "server_fault"
    default_heals = True


class BadRequest(LlmError):
    """The server rejects the request; a retry would fail in the same way."""

    default_code = "bad_request"


class SchemaRefused(BadRequest):
    """The server rejects a request with a JSON schema; the same request without one may succeed."""

    default_code = "schema_refused"


class Garbage(LlmError):
    """The response is not a chat completion; `too_large` if it exceeded the size limit."""

    default_code = "garbage"
    default_heals = True


HOPELESS: Final = (AddressRefused, KeyRefused, ModelUnknown, OutOfCredit, Redirected)
"""Errors after which all other calls to the endpoint fail too, unless waiting helps."""


def ends_all(error: LlmError, *, has_answered: bool) -> bool:
    """Return whether all other calls to the endpoint will fail like this error.

    A key that was accepted before (`has_answered`) and now gets a 403 is refused for this question only.
    """
    forbidden = isinstance(error, KeyRefused) and error.status == FORBIDDEN
    return isinstance(error, HOPELESS) and not (forbidden and has_answered)


def shorten_reason(text: str, *, secret: str) -> str:
    """Return a server's message on one line, without the secret, shortened to REASON_LENGTH characters."""
    # Hide before shortening, which could cut a key in two.
    kept = hide_secret(text, secret=secret)
    kept = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in kept)
    kept = " ".join(kept.split())
    return kept if len(kept) <= REASON_LENGTH else kept[: REASON_LENGTH - 1] + "…"


def hide_secret(text: str, *, secret: str) -> str:
    """Return the text with asterisks for the secret and for any part of it with at least eight characters."""
    if not secret:
        return text
    size = min(_KEY_FRAGMENT, len(secret))
    parts = {secret[start : start + size] for start in range(len(secret) - size + 1)}
    hidden = [False] * len(text)
    for start in range(len(text) - size + 1):
        if text[start : start + size] in parts:
            hidden[start : start + size] = [True] * size
    return "".join("*" if hide else char for char, hide in zip(text, hidden, strict=True))
