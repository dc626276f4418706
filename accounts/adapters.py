"""How allauth behaves here: people are invited, they do not sign themselves up."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no annotations
    """Closes sign-up; invitations create the accounts."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: an account comes from an invitation only."""
        return False
