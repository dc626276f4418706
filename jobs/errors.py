"""What each reason of a failed call or a stopped job means, in words that say what to do.

The codes of `parable.llm.errors` and our own. Kept as codes in the rows, so that every reader sees the
sentence in their own language.
"""

from django.utils.translation import gettext_lazy as _

BUDGET: str = "budget"
FAULT: str = "fault"
KEY_MISSING: str = "key_missing"
KEY_NOT_ALLOWED: str = "key_not_allowed"
KEY_NOT_BOUND: str = "key_not_bound"
KEY_UNREADABLE: str = "key_unreadable"
LOST: str = "lost"
NOTHING_ANSWERED: str = "nothing_answered"
NOT_BUILT: str = "not_built"
NOT_KEPT: str = "not_kept"
NO_CANDIDATES: str = "no_candidates"
NOT_PREPARED: str = "not_prepared"

_SENTENCES = {
    # ours
    BUDGET: _("The budget is used up. Raise it to go on."),
    FAULT: _(
        "A fault in Parable stopped it. Try again; if it fails again, tell the people who run this site."
    ),
    KEY_MISSING: _("The environment variable that should hold the key is not set where the workers run."),
    KEY_NOT_ALLOWED: _("An administrator no longer allows stored keys to be sent to this server."),
    KEY_NOT_BOUND: _(
        "The key was not sent: no administrator has bound its environment variable to this server."
        " Ask an administrator to bind it on the page “Servers for keys”."
    ),
    KEY_UNREADABLE: _("The stored key can no longer be read on this site. Store it again."),
    LOST: _("The worker that asked was stopped before the answer came, several times over."),
    NOTHING_ANSWERED: _("None of these runs has an answer that came back."),
    NOT_BUILT: _("No release came of it; its page says why."),
    NOT_KEPT: _("An answer came and is kept, but reading it failed. Tell the people who run this site."),
    NO_CANDIDATES: _("An answer came, but no proposal could be read out of it. The raw answer is kept."),
    NOT_PREPARED: _(
        "A fault in Parable stopped it before anything was asked. Tell the people who run this site."
    ),
    # the address
    "address_scheme": _("The base URL must begin with https:// or http://."),
    "address_credentials": _("The base URL must not hold a user name or a password."),
    "address_form": _("The base URL is not written as one; it looks like https://host/v1."),
    "address_inside": _(
        "The base URL points inside the network. An administrator can allow this host in the settings."
    ),
    # the way there
    "name_not_found": _("No server of this name was found."),
    "cannot_connect": _("There is no connection to the server."),
    "connection_lost": _("The connection broke off before the answer was complete."),
    "tls_failed": _("The server's certificate could not be trusted."),
    "timed_out": _("No complete answer came in time."),
    "redirected": _("The server sends callers elsewhere; that is not followed. Check the base URL."),
    # what the server says
    "rate_limited": _("The server wants fewer calls. Lower the requests per minute."),
    "out_of_credit": _("The account behind the key has no money or quota left."),
    "key_refused": _("The server does not accept the key."),
    "key_wanted": _("The server wants a key, and none is set."),
    "key_in_the_clear": _(
        "The key was not sent: it would cross the network unencrypted. Use a base URL with https://,"
        " or a server without a key."
    ),
    "key_malformed": _("The key holds characters that no key has. Look for line ends and spaces."),
    "model_unknown": _("The server does not know this model."),
    "path_unknown": _("The server knows no such path. Many base URLs end in /v1."),
    "content_filter": _("A content filter stopped the question or the answer."),
    "model_declined": _("The model declined to answer."),
    "server_fault": _("The server failed."),
    "bad_request": _("The server does not take the request as it is. Check the parameters."),
    "parameter_reserved": _("The parameters must not set what is ours to set."),
    "schema_refused": _("The server takes no JSON schema; it is asked in plain words."),
    "garbage": _("What came back is not an answer of the expected kind. Check the base URL."),
    "error_in_answer": _("The server answered with an error."),
    "too_large": _("The answer was too large."),
}


def sentence(code: str) -> str:
    """The sentence of a reason in the reader's language; a reason in somebody's own words stands as it is."""
    known = _SENTENCES.get(code)
    return str(known) if known is not None else code
