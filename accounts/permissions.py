"""Permissions for administering other users' accounts."""

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Allowed, Decision, Denied


def may_administer(user: User) -> Decision:
    """Return whether the user is an administrator or the system account."""
    if user.is_superuser or user.is_system:
        return Allowed()
    return Denied(_("Only an administrator can do this."))


def needs_second_factor(user: User) -> bool:
    """Return whether the site requires a second factor of this user (PARABLE_REQUIRE_TOTP)."""
    if settings.REQUIRE_TOTP == "administrators":
        return user.is_superuser
    return bool(settings.REQUIRE_TOTP == "all")
