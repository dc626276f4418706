"""The service that closes an account: its row stays, without what identifies the person."""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.hooks import announce_closing
from accounts.models import IdempotencyKey, User, UserSession
from accounts.permissions import may_administer
from accounts.services.account import record_event
from core.errors import Conflict, Forbidden, Hidden


@transaction.atomic
def close_account(*, actor: User, user: User) -> User:
    """Close the actor's own account or, as an administrator, that of another; this cannot be undone.

    What the user wrote and reviewed stays, under the id of the user, so that authorship remains known. Name,
    mail address, sessions and access tokens go, and the user leaves all projects. The caller must check the
    password. Raises `Conflict` for the last administrator, and for the only manager of a project.
    """
    if actor.pk != user.pk and not may_administer(actor):
        raise Forbidden(_("Only its owner or an administrator can close an account."))
    row = User.objects.select_for_update().get(pk=user.pk)
    if row.closed_at is not None or row.is_placeholder or row.is_system:
        raise Hidden(_("User not found."))
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=row.pk)
    if row.is_superuser and not others.exists():
        raise Conflict(_("This is the only administrator. Name another one first."))
    announce_closing(actor, row)
    UserSession.objects.filter(user=row).delete()  # nobody is signed in to a closed account
    SocialAccount.objects.filter(user=row).delete()  # what the provider says about the person
    Authenticator.objects.filter(user=row).delete()  # secrets of the second factor
    IdempotencyKey.objects.filter(user=row).delete()  # responses that only the user may read
    _anonymise(row)
    record_event(actor=actor, verb="close_account", subject=row)
    return row


def _anonymise(user: User) -> None:
    """Remove what identifies the person from the user's row, and make signing in impossible."""
    user.username = user.name = _unused_name(f"closed-{user.pk}")
    user.email = user.language = user.time_zone = ""
    user.wants_mail = user.may_create_projects = user.is_staff = user.is_superuser = user.is_active = False
    user.last_login = user.inbox_seen_at = user.inbox_new_since = user.inbox_read_at = user.mailed_at = None
    user.set_unusable_password()
    user.closed_at = timezone.now()
    user.save()


def _unused_name(stem: str) -> str:
    """Return a user name that nobody has; anybody may have registered one that looks like ours."""
    name, number = stem, 1
    while User.objects.filter(username__iexact=name).exists():
        number += 1
        name = f"{stem}-{number}"
    return name
