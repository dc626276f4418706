"""What is known of people. Reads only."""

from datetime import datetime, timedelta
from functools import cache
from zoneinfo import available_timezones

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.tokens import reset_tokens
from core.errors import Conflict, Hidden

AREAS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


@cache
def time_zones() -> frozenset[str]:
    """The names of all time zones, those of countries and offsets included."""
    return frozenset(available_timezones())


@cache
def places_by_area() -> dict[str, list[str]]:
    """The time zones that are named after a place, by continent or ocean."""
    names = sorted(time_zones())
    return {area: [name for name in names if name.startswith(f"{area}/")] for area in AREAS}


def find_reset_user(*, uid: str, token: str, lock: bool = False) -> User:
    """The person whom a link for a new password is for. Raises `Conflict` where it is past use."""
    people = User.objects.filter(is_active=True, is_placeholder=False, pk=_number(uid))
    user = (people.select_for_update() if lock else people).first()
    if user is None or not reset_tokens.check_token(user, token):
        raise Conflict(
            _("This link has expired or has been used. Ask the manager of your project for a new one.")
        )
    return user


def reset_links_until() -> datetime:
    """When a link for a new password that is made now stops working."""
    return timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


def _number(uid: str) -> int:
    """The number in a link, or one that nobody has."""
    try:
        text = urlsafe_base64_decode(uid).decode("ascii")
    except ValueError:
        return 0
    return int(text) if text.isdecimal() and len(text) < 18 else 0


def people(search: str = "") -> QuerySet[User]:
    """Everybody who has an account that can sign in, by name; `search` looks into both names."""
    found = User.objects.filter(is_placeholder=False, is_system=False, closed_at=None)
    if search:
        found = found.filter(Q(name__icontains=search) | Q(username__icontains=search))
    return found.order_by("name", "pk")


def administrators() -> QuerySet[User]:
    """People who look after the site."""
    return people().filter(is_superuser=True, is_active=True)


def get_person(pk: int) -> User:
    """Somebody who has an account that can sign in; else `Hidden`."""
    found = people().filter(pk=pk).first()
    if found is None:
        raise Hidden(_("There is no such person."))
    return found
