"""Services for users who sign in at a provider of OpenID Connect."""

import re
from collections.abc import Collection, Iterator
from itertools import count
from typing import Final

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from accounts.hooks import announce_groups
from accounts.models import User
from accounts.services.account import create_user, system_account
from core.errors import NameTaken, Unusable

_LONGEST: Final = 100


@transaction.atomic
def create_provider_user(*, account: SocialAccount, username: str, name: str, email: str) -> User:
    """Create a user for an account at the provider, without a password, and bind the two.

    The user name is never that of another user, nor one that looks like it: it gets a number then.
    """
    user = _created(username, name)
    user.email = email[:254] if "@" in email else ""
    user.save(update_fields=["email"])
    account.user = user
    account.save()
    return user


def _created(username: str, name: str) -> User:
    system = system_account()
    for candidate in _candidates(username):
        for shown in (name[:150], candidate):
            try:
                return create_user(actor=system, username=candidate, name=shown, password=None)
            except NameTaken:
                break
            except Unusable:  # a name that looks like that of another person
                continue
    raise RuntimeError("the candidates never end")


def _candidates(username: str) -> Iterator[str]:
    stem = re.sub(r"[^\w.@+-]+", "-", username).strip("-")[:_LONGEST] or "user"
    yield stem
    yield from (f"{stem}-{number}" for number in count(2))


@transaction.atomic
def follow_provider(*, user: User, roles: Collection[tuple[str, str]]) -> None:
    """Give the user the roles of the groups at the provider, and take away those of other groups.

    `roles` are pairs (short name of a project, role).
    """
    announce_groups(user, roles)
