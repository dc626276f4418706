"""How allauth behaves here: people are invited, they do not sign themselves up."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import set_password


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no annotations
    """Closes sign-up, since invitations create the accounts; says what is wrong and for how long."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _("The user name or password is incorrect."),
        "too_many_login_attempts": _(
            "Too many failed attempts for this user name. Wait five minutes and try again."
            " If you forgot your password, ask your project's manager for a reset link."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: an account comes from an invitation only."""
        return False

    def set_password(self, user: User, password: str) -> None:
        """Change one's own password through the service, which leaves a line in the audit trail."""
        set_password(actor=user, user=user, password=password)
