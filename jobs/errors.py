"""Messages for reason codes of failed calls and of failed or paused jobs; they say how to proceed.

The codes are those of `parable.llm.errors` and of this app. Rows store the codes, so that all readers see the
message in their own language.
"""

from django.utils.translation import gettext_lazy as _

from parable.llm.errors import SENTENCES

ALREADY_ASKED: str = "already_asked"
BUDGET: str = "budget"
FAULT: str = "fault"
KEY_MISSING: str = "key_missing"
KEY_NOT_ALLOWED: str = "key_not_allowed"
KEY_NOT_BOUND: str = "key_not_bound"
KEY_UNREADABLE: str = "key_unreadable"
LOST: str = "lost"
LOST_WORKERS: str = "lost_workers"
NOTHING_ANSWERED: str = "nothing_answered"
NOT_BUILT: str = "not_built"
NOT_READ: str = "not_kept"
NOT_SENT: str = "not_sent"
NO_BUDGET_LEFT: str = "no_budget_left"
NO_CANDIDATES: str = "no_candidates"
NOT_PREPARED: str = "not_prepared"
OUT_OF_MEMORY: str = "out_of_memory"
TOO_LONG: str = "too_long"

_SENTENCES = {
    ALREADY_ASKED: _("All of these calls were made before. Repeat them on purpose, or select other prompts."),
    BUDGET: _("The budget is used up. Raise it to continue."),
    FAULT: _(
        "It failed because of an error in Parable. Try again; if it fails again, tell your administrator."
    ),
    KEY_MISSING: _("The environment variable for the API key is not set on the workers."),
    KEY_NOT_ALLOWED: _("An administrator no longer allows stored keys to be sent to this server."),
    KEY_NOT_BOUND: _(
        "The key was not sent: its environment variable is not bound to this server. An"
        " administrator can bind it under “Key servers”."
    ),
    KEY_UNREADABLE: _("The stored key can no longer be decrypted. Store it again."),
    LOST: _("The worker was stopped several times before the answer arrived."),
    LOST_WORKERS: _(
        "It was stopped because its worker process ended three times while it ran, perhaps because it needs"
        " more memory than there is. Try it with less data, or tell your administrator."
    ),
    NOTHING_ANSWERED: _("None of these runs has responses."),
    NOT_BUILT: _("The release was not created; its page says why."),
    NOT_READ: _("The answer was saved but could not be read. Tell your administrator."),
    NOT_SENT: _("The release was not sent; its page says why."),
    NO_BUDGET_LEFT: _("The project's budget has too little left for this. A manager can raise the budget."),
    NO_CANDIDATES: _("No proposals found in the answer. The raw answer is saved."),
    NOT_PREPARED: _("It failed before any call because of an error in Parable. Tell your administrator."),
    OUT_OF_MEMORY: _(
        "It was stopped because it needs more memory than a worker may use. Try it with less data, or ask"
        " your administrator for more (PARABLE_WORKER_MEMORY_MB)."
    ),
    TOO_LONG: _(
        "It was stopped because it took much longer than such a job ever takes. Try again; if it happens"
        " again, tell your administrator."
    ),
    **{code: _(sentence) for code, sentence in SENTENCES.items()},
}


def sentence(code: str) -> str:
    """Return the message of a reason code in the current language. Return an unknown code unchanged."""
    known = _SENTENCES.get(code)
    return str(known) if known is not None else code
