"""Services for invitations: links with which people join a project."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import create_user, record_event
from accounts.tokens import token_hash
from core.errors import Conflict, Hidden, Unusable, require
from projects.models import Invitation, Project, Role
from projects.permissions import Permission, has_permission
from projects.services.member import add_roles

MOST_INVITATIONS_AT_ONCE = 200
LONGEST_INVITATION_DAYS = 90


@dataclass(frozen=True, slots=True)
class Issued:
    """A new invitation, and the token of its link. The token is not stored in the database."""

    invitation: Invitation
    token: str


@transaction.atomic
def invite_people(
    *, actor: User, project: Project, names: Sequence[str], roles: Sequence[str], days: int = 14
) -> list[Issued]:
    """Create one invitation link for each name, valid for this many days.

    Raises `Unusable`, naming the invalid field.
    """
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    names = [name for name in (" ".join(line.split()) for line in names) if name]
    roles = sorted({Role(role).value for role in roles})
    if not names:
        raise Unusable(_("Enter at least one name, one per line."), "names")
    if len(names) > MOST_INVITATIONS_AT_ONCE:
        raise Unusable(_("At most %(most)d names at once.") % {"most": MOST_INVITATIONS_AT_ONCE}, "names")
    if too_long := [name for name in names if len(name) > 150]:
        raise Unusable(_("This name is too long: %(name)s…") % {"name": too_long[0][:40]}, "names")
    if not roles:
        raise Unusable(_("Select at least one role."), "roles")
    if not 1 <= days <= LONGEST_INVITATION_DAYS:
        most = {"most": LONGEST_INVITATION_DAYS}
        raise Unusable(_("Links can be valid for 1 to %(most)d days.") % most, "days")
    issued = []
    for name in names:
        token = secrets.token_urlsafe(24)
        invitation = Invitation.objects.create(
            project=project,
            name=name,
            roles=list(roles),
            token_hash=token_hash(token),
            expires_at=timezone.now() + timedelta(days=days),
            created_by=actor,
        )
        record_event(actor=actor, verb="invite", subject=invitation)
        issued.append(Issued(invitation, token))
    return issued


def find_invitation(*, token: str, lock: bool = False) -> Invitation:
    """Return the open invitation that this token belongs to, locked if `lock`.

    Raise `Hidden` for an unknown token, `Conflict` if the invitation was used, revoked or has expired.
    """
    found = Invitation.objects.select_related("project").filter(token_hash=token_hash(token))
    invitation = (found.select_for_update(of=("self",)) if lock else found).first()
    if invitation is None:
        raise Hidden(_("Unknown link. Ask for a new one."))
    if invitation.accepted_at:
        raise Conflict(_("This link was already used. Sign in with the account it created."))
    if invitation.revoked_at:
        raise Conflict(_("This link was withdrawn. Ask for a new one."))
    if invitation.expires_at <= timezone.now():
        raise Conflict(_("This link has expired. Ask for a new one."))
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, username: str, name: str, password: str, time_zone: str = "") -> User:
    """Create an account for an invited person, and add it to the project.

    Raises `Hidden` or `Conflict` for an invalid link, `NameTaken` or `Unusable` for invalid fields.
    """
    invitation = find_invitation(token=token, lock=True)
    user = create_user(
        actor=invitation.created_by,
        username=username,
        name=name or invitation.name,
        password=password,
        time_zone=time_zone,
    )
    _join(invitation, user)
    return user


@transaction.atomic
def join_by_invitation(*, actor: User, token: str) -> Project:
    """Add the actor's existing account to the project that the invitation is for; return the project.

    Raises `Hidden` or `Conflict` for an invalid link.
    """
    invitation = find_invitation(token=token, lock=True)
    _join(invitation, actor)
    return invitation.project


def _join(invitation: Invitation, user: User) -> None:
    add_roles(invitation.project, user, invitation.roles)
    invitation.accepted_by, invitation.accepted_at = user, timezone.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    record_event(actor=user, verb="accept_invitation", subject=invitation)


@transaction.atomic
def revoke_invitation(*, actor: User, invitation: Invitation) -> None:
    """Revoke an invitation, so that its link no longer works. Raise `Conflict` if it was already used."""
    require(has_permission(actor, invitation.project, Permission.CHANGE_PEOPLE))
    invitation = Invitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
    if invitation.accepted_at:
        raise Conflict(_("This link was already used. Remove the person from the project instead."))
    invitation.revoked_at = timezone.now()
    invitation.save(update_fields=["revoked_at"])
    record_event(actor=actor, verb="revoke_invitation", subject=invitation)
