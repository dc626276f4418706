"""A validator for passwords that consist of words which anybody would try on this site."""

from __future__ import annotations

import re
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

WORDS: Final = (
    *("parable", "benchmark", "annotation", "annotator", "story", "stories", "fable", "fables"),
    *("writer", "reviewer", "verifier", "manager", "observer", "administrator", "admin"),
    *("password", "passphrase", "login", "signin", "welcome", "letmein", "secret", "changeme"),
)
"""The names of the product, its work and its roles; docs/settings.md lists them."""
LEAST: Final = 4
"""The fewest letters of a part of the site's address that counts as a word."""


def site_words() -> set[str]:
    """Return the words: those above, and the parts of the addresses of this site."""
    parts = {part for host in settings.ALLOWED_HOSTS for part in re.findall(r"[^\W\d_]+", host.lower())}
    return {*WORDS, *(part for part in parts if len(part) >= LEAST)}


class SiteWordsValidator:
    """Refuses a password that has, besides digits and signs, only such words: `Parable-2026!`."""

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ValidationError if nothing is left of the password's letters without these words."""
        letters = "".join(re.findall(r"[^\W\d_]+", password.lower()))
        for word in sorted(site_words(), key=len, reverse=True):
            letters = letters.replace(word, "")
        if not letters and re.search(r"[^\W\d_]", password):
            raise ValidationError(self.get_help_text(), code="password_of_site_words")

    def get_help_text(self) -> str:
        """Return the rule as a sentence."""
        return _("Your password cannot consist only of words of this site and digits.")
