"""Tokens with which programs act as a user."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Scope, User
from accounts.permissions import may_administer
from accounts.services import record_event
from accounts.tokens import is_access_token, new_access_token, token_hash
from core.errors import Conflict, Forbidden, Unusable
from projects.models import AccessToken, Project
from projects.queries import get_project
from web.rows import Rows

MOST_TOKENS: Final = 50
"""Most valid tokens of a user."""
LONGEST_TOKEN_DAYS: Final = 366
LONGEST_NAME: Final = 100
USED_EVERY: Final = timedelta(minutes=1)
"""The precision of the time at which a token was last used."""

# Every request of a program begins with this statement, so it is planned once per connection: as a queryset
# with two joins it took a quarter of the time of a review.
_TOKENS: Final = Rows(AccessToken)
_USERS: Final = Rows(User)
_FIND: Final = " ".join(
    (
        "SELECT", _TOKENS.columns("token"), ",", _USERS.columns("person"),
        "FROM projects_accesstoken AS token JOIN accounts_user AS person ON person.id = token.user_id",
        "WHERE token.token_hash = %s",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewToken:
    """A created token; its text is not stored, so it is known only now."""

    row: AccessToken
    text: str


@transaction.atomic
def create_token(
    *, actor: User, name: str, scopes: Collection[str], days: int, project: Project | None = None
) -> NewToken:
    """Create a token of the actor that is valid for `days`, for one project or for all.

    Raise `Unusable` naming the invalid field, `Conflict` if the actor has too many tokens.
    """
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise Unusable(_("Enter a name of at most 100 characters."), "name")
    if not scopes or not set(scopes) <= set(Scope.values):
        raise Unusable(_("Select at least one scope."), "scopes")
    if not 1 <= days <= LONGEST_TOKEN_DAYS:
        raise Unusable(
            _("A token can be valid for 1 to %(most)d days.") % {"most": LONGEST_TOKEN_DAYS}, "days"
        )
    if project is not None:
        get_project(user=actor, slug=project.slug)
    now = timezone.now()
    User.objects.select_for_update().get(pk=actor.pk)
    if AccessToken.objects.filter(user=actor, revoked_at=None, expires_at__gt=now).count() >= MOST_TOKENS:
        raise Conflict(_("You have %(most)d access tokens. Revoke one first.") % {"most": MOST_TOKENS})
    text = new_access_token()
    row = AccessToken.objects.create(
        user=actor,
        name=name,
        token_hash=token_hash(text),
        hint=text[-4:],
        scopes=[scope for scope in Scope.values if scope in scopes],
        project=project,
        expires_at=now + timedelta(days=days),
    )
    detail = {"name": name, "scopes": row.scopes, "project": project.slug if project else None, "days": days}
    record_event(actor=actor, verb="create_token", subject=row, detail=detail)
    return NewToken(row, text)


@transaction.atomic
def revoke_token(*, actor: User, token: AccessToken) -> AccessToken:
    """Revoke a token of the actor, or any token if the actor is an administrator. Repeating has no effect."""
    if token.user_id != actor.pk and not may_administer(actor):
        raise Forbidden(_("Only its owner or an administrator can revoke a token."))
    row = (
        AccessToken.objects.select_for_update(of=("self",)).select_related("user", "project").get(pk=token.pk)
    )
    if row.revoked_at is None:
        row.revoked_at = timezone.now()
        row.save(update_fields=["revoked_at"])
        record_event(actor=actor, verb="revoke_token", subject=row, detail={"name": row.name})
    return row


@transaction.atomic
def revoke_tokens(actor: User, user: User) -> int:
    """Revoke all tokens of a user whose password was reset or whose account is closed; return their number.

    The caller must check permission.
    """
    tokens = AccessToken.objects.select_for_update(of=("self",)).filter(user=user, revoked_at=None)
    found = list(tokens.order_by("pk"))
    AccessToken.objects.filter(pk__in=[one.pk for one in found]).update(revoked_at=timezone.now())
    for row in found:
        record_event(actor=actor, verb="revoke_token", subject=row, detail={"name": row.name})
    return len(found)


def use_token(*, text: str, address: str) -> AccessToken | None:
    """Return the valid token with this text, and record its use once a minute; None if there is none."""
    if not is_access_token(text):
        return None
    found, user = next(iter(_TOKENS.read_joined(_USERS, _FIND, [token_hash(text)])), (None, None))
    if found is None or user is None:
        return None
    found.user = user
    if not found.is_valid:
        return None
    now = timezone.now()
    if _is_news(found, now, address):
        AccessToken.objects.filter(pk=found.pk).update(used_at=now, used_from=address[:64])
    return found


def _is_news(token: AccessToken, now: datetime, address: str) -> bool:
    return token.used_at is None or now - token.used_at > USED_EVERY or token.used_from != address[:64]
