"""The allauth adapters: accounts by invitation only, limits on wrong passwords, encrypted second factors."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from cryptography.fernet import Fernet
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.addresses import client_address, network_of
from accounts.browsers import known_browser
from accounts.models import User
from accounts.permissions import needs_second_factor
from accounts.queries import find_by_username
from accounts.services import (
    create_provider_user,
    follow_provider,
    record_event,
    record_failure,
    record_lock,
    set_password,
)
from core.errors import Busy

# The limits on wrong passwords, by their names in ACCOUNT_RATE_LIMITS and in the audit trail.
BY_ADDRESS, BY_NAME_AND_ADDRESS = "login_failed_address", "login_failed_here"
BY_NAME, BY_BROWSER = "login_failed_name", "login_failed_browser"
LIMITS = {
    BY_ADDRESS: "address",
    BY_NAME_AND_ADDRESS: "name_and_address",
    BY_NAME: "name",
    BY_BROWSER: "browser",
}


NOTICES: Final = {
    "mfa/email/totp_activated": "add_second_factor",
    "mfa/email/totp_deactivated": "remove_second_factor",
    "mfa/email/recovery_codes_generated": "renew_recovery_codes",
}
"""The verbs of the audit trail by the mails that allauth would send about a second factor."""


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

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, object] | None = None,
        email: str | None = None,
    ) -> None:
        """Record a change of the user's second factor in the audit trail. No mail is sent."""
        if verb := NOTICES.get(template_prefix):
            record_event(actor=user, verb=verb, subject=user)

    def post_login(self, request: HttpRequest, user: User, **hooks: Any) -> HttpResponse:
        """Return the response to a sign-in. A session by the provider ends after `OIDC_HOURS`."""
        if "sociallogin" in (hooks.get("signal_kwargs") or {}):
            request.session.set_expiry(settings.OIDC_HOURS * 3600)
        response: HttpResponse = super().post_login(request, user, **hooks)
        return response

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


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no annotations
    """The allauth adapter for users who sign in at the provider of the site.

    Users are recognised by the provider's subject alone, never by a user name or mail address.
    """

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse users without a group that gives a role, if groups do; they lose what former groups gave.

        Raise PermissionDenied if the ID token is not from the issuer of the settings: the library compares it
        with the issuer that the provider's own configuration names.
        """
        if (
            str(sociallogin.account.extra_data.get("id_token", {}).get("iss", "")).rstrip("/")
            != settings.OIDC_URL
        ):
            raise PermissionDenied
        sociallogin.email_addresses = []  # no lookups by mail addresses, which others may have
        if not settings.OIDC_ROLES:
            return
        roles = _roles_of(sociallogin)
        if sociallogin.is_existing and sociallogin.user.is_active:
            follow_provider(user=sociallogin.user, roles=roles)
        if not roles:
            page = render(request, "socialaccount/no_group.html", {"name": settings.OIDC_NAME}, status=403)
            raise ImmediateHttpResponse(page)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return True: the provider says who may have an account, and `pre_social_login` who has a group."""
        return True

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: Any) -> User:
        """Return the unsaved user; `save_user` replaces it."""
        user: User = sociallogin.user
        return user

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Create the user of a new account at the provider, with the roles of its groups."""
        claims = _claims_of(sociallogin.account)
        email = str(claims.get("email", ""))
        username = str(claims.get("preferred_username") or email.partition("@")[0])
        user = create_provider_user(
            account=sociallogin.account, username=username, name=str(claims.get("name") or ""), email=email
        )
        if settings.OIDC_ROLES:
            follow_provider(user=user, roles=_roles_of(sociallogin))
        sociallogin.user = user
        return user

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:
        """Return the page to which a user returns who has connected an account at the provider."""
        return reverse("accounts:profile")


def _claims_of(account: SocialAccount) -> dict[str, Any]:
    data = account.extra_data
    return {**data.get("id_token", {}), **data.get("userinfo", {})}


def _roles_of(sociallogin: SocialLogin) -> list[tuple[str, str]]:
    """Return the (project, role) pairs that the groups in the user's claim give."""
    groups = _claims_of(sociallogin.account).get(settings.OIDC_CLAIM)
    named = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    return [pair for group in named for pair in settings.OIDC_ROLES.get(str(group), [])]


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no annotations
    """The allauth adapter for second factors, which encrypts their secrets in the database."""

    def get_totp_label(self, user: User) -> str:
        """Return the user name, which an authenticator app shows beside the code."""
        return user.username

    def encrypt(self, text: str) -> str:
        """Return a secret encrypted with the secret key of the site."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return a secret that `encrypt` has encrypted."""
        return _cipher().decrypt(encrypted_text.encode()).decode()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Return whether the user may remove the second factor, which the site may require."""
        return not needs_second_factor(authenticator.user)


def _cipher() -> Fernet:
    digest = hashlib.sha256(f"parable.second-factor:{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
