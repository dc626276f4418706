"""What each reason of a failed call or a stopped job means, in words that say what to do.

Those of `parable.llm.errors` and our own. Kept as codes in the rows, so that every reader sees the
sentence in their own language.
"""

from django.utils.translation import gettext_lazy as _

from parable.llm.errors import SENTENCES

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
    **{code: _(sentence) for code, sentence in SENTENCES.items()},
}


def sentence(code: str) -> str:
    """The sentence of a reason in the reader's language; a reason in somebody's own words stands as it is."""
    known = _SENTENCES.get(code)
    return str(known) if known is not None else code
