"""manage.py reseal_keys."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy, ngettext

from accounts.models import User
from jobs.hooks import reseal_all
from web.commands import ANSWER_IS_NO, DONE, ParableCommand, Report


class Command(ParableCommand):
    """Encrypts all stored keys again after the site's secret has changed."""

    purpose = gettext_lazy(
        "Encrypt every stored key with the first of PARABLE_KEY_SECRETS, so that the others can be removed."
    )

    def act(self, actor: User, options: Mapping[str, Any]) -> Report:
        """Encrypt all stored keys again, and report how many could not be decrypted."""
        done, unreadable = reseal_all(actor=actor)
        line = ngettext("%(n)d key re-encrypted", "%(n)d keys re-encrypted", done) % {"n": done}
        lost = ngettext(
            "%(n)d key cannot be decrypted with any of the secrets: store it again.",
            "%(n)d keys cannot be decrypted with any of the secrets: store them again.",
            unreadable,
        )
        return Report(
            lines=(line,),
            data={"resealed": done, "unreadable": unreadable},
            code=ANSWER_IS_NO if unreadable else DONE,
            verdict=lost % {"n": unreadable} if unreadable else "",
        )
