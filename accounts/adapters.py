"""The allauth adapter: accounts are created by invitation only, and wrong passwords are limited."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.addresses import client_address, network_of
from accounts.browsers import known_browser
from accounts.models import User
from accounts.queries import find_by_username
from accounts.services import record_failure, record_lock, set_password
from core.errors import Busy

# The limits on wrong passwords, by their names in ACCOUNT_RATE_LIMITS and in the audit trail.
BY_ADDRESS, BY_NAME_AND_ADDRESS = "login_failed", "login_failed_here"
BY_NAME, BY_BROWSER = "login_failed_name", "login_failed_browser"
LIMITS = {
    BY_ADDRESS: "address",
    BY_NAME_AND_ADDRESS: "name_and_address",
    BY_NAME: "name",
    BY_BROWSER: "browser",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no annotations
    """The allauth adapter of this site, which closes sign-up and limits wrong passwords."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _("The user name or password is incorrect."),
        "too_many_login_attempts": _(
            "Too many failed attempts for this user name. Wait five minutes and try again."
            " If you forgot your password, ask your project's manager for a reset link."
        ),
        "too_many_attempts_from_address": _(
            "Too many failed attempts from your network. Wait a minute and try again."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False, since accounts are created by invitation only."""
        return False

    def set_password(self, user: User, password: str) -> None:
        """Set the user's own password with a service, which records this in the audit trail."""
        set_password(actor=user, user=user, password=password)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt to sign in, and refuse it if one of the limits that apply is reached.

        A browser in which the user signed in before has a limit of its own, so that strangers cannot lock the
        user out.
        """
        name = str(credentials.get("username", ""))
        user = find_by_username(name)
        # Counted by id, since several spellings of a user name match the same user.
        whose = f"user {user.pk}" if user else f"name {name.lower()}"
        address = client_address(request)
        limits: dict[str, str | None]
        if browser := known_browser(request, user.pk) if user else "":
            limits = {BY_BROWSER: f"{whose} in {browser}"}
        else:
            limits = {
                BY_ADDRESS: None,
                BY_NAME_AND_ADDRESS: f"{whose} from {network_of(address)}",
                BY_NAME: whose,
            }
        counted: list[ratelimit.SingleRateLimitUsage] = []
        self._login_failed_rl_usage = ratelimit.RateLimitUsage(counted)
        for limit, key in limits.items():
            usage = ratelimit.consume(request, app="allauth.account", action=limit, key=key)
            if usage is None:
                self._rollback_login_failed_rl_usage()  # the password was not checked
                rates = ratelimit.get_rates(app="allauth.account", action=limit)
                seconds = int(max(rate.duration for rate in rates))
                record_lock(rule=LIMITS[limit], user=user, address=address, seconds=seconds)
                is_address = limit == BY_ADDRESS
                raise self.validation_error(
                    "too_many_attempts_from_address" if is_address else "too_many_login_attempts"
                )
            counted.extend(usage.usage)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Return the user with this name and password, or None. Attempts that raise `Busy` do not count."""
        try:
            user: User | None = super().authenticate(request, **credentials)
        except Busy:
            self._rollback_login_failed_rl_usage()
            raise
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a wrong password, so that the audit trail can record many in a short time."""
        record_failure(address=client_address(request))
