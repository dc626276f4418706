"""Queries of users, their sessions and the audit trail; also checks the tokens of links."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import available_timezones

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.signing import BadSignature
from django.db.models import Model, Q, QuerySet
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode
from django.utils.translation import gettext as _

from accounts.models import AuditEvent, User, UserSession
from accounts.tokens import mail_tokens, reset_tokens
from core.errors import Conflict, Hidden
from core.numbers import whole_number

AREAS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
ONE_VISIT: Final = timedelta(minutes=30)
"""If a user opens the inbox again within this time, the same entries still count as new."""


@cache
def time_zones() -> frozenset[str]:
    """Return the names of all time zones, including aliases and fixed offsets."""
    return frozenset(available_timezones())


@cache
def places_by_area() -> dict[str, list[str]]:
    """Return the names of time zones such as Asia/Shanghai, by continent or ocean."""
    names = sorted(time_zones())
    return {area: [name for name in names if name.startswith(f"{area}/")] for area in AREAS}


def find_reset_user(*, uid: str, token: str, lock: bool = False) -> User:
    """Return the user whose password a link may set. Raise `Conflict` if the link is no longer valid."""
    try:
        pk = whole_number(urlsafe_base64_decode(uid).decode("ascii")) or 0
    except ValueError:
        pk = 0  # no user has this id
    people = User.objects.filter(is_active=True, is_placeholder=False, pk=pk)
    user = (people.select_for_update() if lock else people).first()
    if user is None or not reset_tokens.check_token(user, token):
        raise Conflict(
            _("This link has expired or was already used. Ask your project's manager for a new one.")
        )
    return user


def find_mailed_user(token: str) -> User:
    """Return the user whose daily mail a link stops. Raise `Conflict` if the link is not valid."""
    try:
        number = int(mail_tokens.unsign(token))
    except (BadSignature, ValueError):
        number = 0
    user = User.objects.filter(pk=number).first()
    if user is None:
        raise Conflict(_("This link is not complete. Open it again from the mail."))
    return user


def mail_token(user: User) -> str:
    """Return a token for the link that stops the user's daily mail. The token does not expire."""
    return mail_tokens.sign(str(user.pk))


def mailed_people() -> QuerySet[User]:
    """Return the users who subscribed to the daily mail, have a mail address and can sign in."""
    found = User.objects.filter(wants_mail=True, is_active=True, is_placeholder=False, closed_at=None)
    return found.exclude(email="").order_by("pk")


def reset_links_until() -> datetime:
    """Return the time at which a password link created now expires."""
    return timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


def people(search: str = "") -> QuerySet[User]:
    """Return all users with an account that is not closed, by name. `search` matches name and user name."""
    found = User.objects.filter(is_placeholder=False, is_system=False, closed_at=None)
    if search:
        found = found.filter(Q(name__icontains=search) | Q(username__icontains=search))
    return found.order_by("name", "pk")


def find_by_username(username: str) -> User | None:
    """Return the user with this user name, or None; case is ignored."""
    return User.objects.filter(username__iexact=username.strip()).first()


def has_second_factor(user: User) -> bool:
    """Return whether the user has an authenticator app."""
    return user.pk in with_second_factor([user])


def with_second_factor(users: Iterable[User]) -> set[int]:
    """Return the ids of those of these users who have an authenticator app."""
    found = Authenticator.objects.filter(user__in=list(users), type=Authenticator.Type.TOTP)
    return set(found.values_list("user", flat=True))


def idle_before() -> datetime:
    """Return the time since which a session must have been used not to have ended (PARABLE_SESSION_HOURS)."""
    return timezone.now() - timedelta(hours=settings.SESSION_HOURS)


def ended_sessions() -> QuerySet[UserSession]:
    """Return the sessions that have expired, or were not used for too long."""
    return UserSession.objects.filter(Q(expire_date__lt=timezone.now()) | Q(seen_at__lte=idle_before()))


def sessions_of(user: User) -> QuerySet[UserSession]:
    """Return the user's sessions that have not ended, last used first."""
    return user.sessions.exclude(pk__in=ended_sessions().values("pk")).order_by("-seen_at", "-since")


def subject_type_of(subject: Model) -> str:
    """Return the type of an instance for the audit trail: its app and table, such as "jobs.work".

    Unlike the name of the model, the name of the table never changes.
    """
    app = subject._meta.app_label
    return f"{app}.{subject._meta.db_table.removeprefix(f'{app}_')}"


def events_about(subject: Model) -> QuerySet[AuditEvent]:
    """Return the audit events about this instance, newest first."""
    found = AuditEvent.objects.filter(subject_type=subject_type_of(subject), subject_id=subject.pk)
    return found.order_by("-pk")


def administrators() -> QuerySet[User]:
    """Return the active administrators."""
    return people().filter(is_superuser=True, is_active=True)


def get_person(pk: int) -> User:
    """Return the user with this id. Raise `Hidden` if there is none or the account is closed."""
    found = people().filter(pk=pk).first()
    if found is None:
        raise Hidden(_("User not found."))
    return found
