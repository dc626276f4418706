"""Tokens of links: to set a new password, to stop the daily mail, and others stored as a hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.signing import Signer

if TYPE_CHECKING:
    from accounts.models import User


class ResetTokenGenerator(PasswordResetTokenGenerator):
    """Django's generator of password tokens; the tokens also become invalid when the user gains rights.

    Otherwise a manager who created a link for a member could still use it after the member joined another
    project.
    """

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.reset_links_revoked}"


reset_tokens: Final = ResetTokenGenerator()
mail_tokens: Final = Signer(salt="parable.daily-mail")


def token_hash(token: str) -> str:
    """Return the hash of a link's token; the database stores only the hash."""
    return hashlib.sha256(token.encode()).hexdigest()
