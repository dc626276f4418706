"""The only writer of projects, members, invitations and guidelines."""

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Forbidden, Hidden, Unusable, require
from accounts.models import User
from accounts.services import create_user, record_event
from projects.defaults import COMMONSENSE_TYPES, MORAL_STEMS
from projects.models import (
    CommonsenseType,
    Guideline,
    GuidelineAcknowledgement,
    Invitation,
    Membership,
    Project,
    Role,
)
from projects.permissions import may_create_project, may_manage

EDITABLE = (
    "name",
    "description",
    "currency",
    "licence",
    "moral_stem",
    "writers_per_story",
    "items_per_writer",
    "options_per_item",
    "machine_items_per_story",
    "reviews_per_item",
    "pass_rating",
    "reviewer_may_verify",
    "lease_minutes",
    "split_rule",
)
MOST_INVITATIONS_AT_ONCE = 200


def _clean(project: Project) -> None:
    try:
        project.full_clean(validate_constraints=False)
        project.validate_constraints()
    except ValidationError as error:
        fields = {name: " ".join(messages) for name, messages in error.message_dict.items()}
        raise Unusable(" ".join(fields.values()), fields) from error


@transaction.atomic
def create_project(
    *, actor: User, slug: str, name: str, language: str, settings: Mapping[str, Any] | None = None
) -> Project:
    """Create a project with the default types and targets; its creator becomes its manager.

    Raises `Forbidden` where the actor may not, `Unusable` naming the fields that will not do.
    """
    require(may_create_project(actor))
    project = Project(
        slug=slug, name=name, language=language, moral_stem=MORAL_STEMS.get(language, ""), created_by=actor
    )
    for field, value in (settings or {}).items():
        _set(project, field, value)
    _clean(project)
    project.save()
    CommonsenseType.objects.bulk_create(
        CommonsenseType(project=project, order=order, **default._asdict())
        for order, default in enumerate(COMMONSENSE_TYPES)
    )
    if not actor.is_system:
        Membership.objects.create(project=project, user=actor, role=Role.MANAGER)
    record_event(actor=actor, verb="create_project", subject=project)
    return project


def _set(project: Project, field: str, value: Any) -> None:
    if field not in EDITABLE:
        raise Unusable(_("There is no such setting: %(field)s.") % {"field": field})
    setattr(project, field, value)


@transaction.atomic
def update_project(*, actor: User, project: Project, changes: Mapping[str, Any]) -> Project:
    """Change settings of the project; only managers. Raises `Unusable` naming the fields."""
    require(may_manage(actor, project))
    before = {field: getattr(project, field) for field in changes if field in EDITABLE}
    for field, value in changes.items():
        _set(project, field, value)
    _clean(project)
    project.save(update_fields=list(changes))
    changed = {
        field: [old, getattr(project, field)]
        for field, old in before.items()
        if old != getattr(project, field)
    }
    if changed:
        record_event(actor=actor, verb="update_project", subject=project, detail=changed)
    return project


@transaction.atomic
def set_roles(*, actor: User, project: Project, user: User, roles: Iterable[str]) -> None:
    """Make these the person's roles, all of them; none at all takes the person out of the project.

    Raises `Conflict` where the project would be left without a manager.
    """
    require(may_manage(actor, project))
    wanted = {Role(role).value for role in roles}
    held = Membership.objects.filter(project=project, user=user)
    others = Membership.objects.filter(project=project, role=Role.MANAGER).exclude(user=user)
    if held.filter(role=Role.MANAGER).exists() and Role.MANAGER not in wanted and not others.exists():
        raise Conflict(_("A project needs a manager. Name another one first."))
    held.exclude(role__in=wanted).delete()
    _add_roles(project, user, wanted)
    record_event(
        actor=actor, verb="set_roles", subject=project, detail={"user": user.pk, "roles": sorted(wanted)}
    )


def _add_roles(project: Project, user: User, roles: Iterable[str]) -> None:
    Membership.objects.bulk_create(
        [Membership(project=project, user=user, role=role) for role in sorted(roles)], ignore_conflicts=True
    )


@dataclass(frozen=True, slots=True)
class Issued:
    """An invitation and its token, which is known only now."""

    invitation: Invitation
    token: str


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invite_people(
    *, actor: User, project: Project, names: Sequence[str], roles: Sequence[str], days: int = 14
) -> list[Issued]:
    """Make one link a name, valid for `days`. Raises `Unusable` where there is no name or no role."""
    require(may_manage(actor, project))
    names = [name for name in (" ".join(line.split()) for line in names) if name]
    roles = sorted({Role(role).value for role in roles})
    if not names:
        raise Unusable(_("Write at least one name, one on each line."), {"names": _("no name")})
    if len(names) > MOST_INVITATIONS_AT_ONCE:
        message = _("At most %(most)d names at once.") % {"most": MOST_INVITATIONS_AT_ONCE}
        raise Unusable(message, {"names": message})
    if not roles:
        raise Unusable(_("Choose at least one role."), {"roles": _("no role")})
    if too_long := [name for name in names if len(name) > 150]:
        message = _("This name is too long: %(name)s…") % {"name": too_long[0][:40]}
        raise Unusable(message, {"names": message})
    return [_invite(actor, project, name, roles, days) for name in names]


def _invite(actor: User, project: Project, name: str, roles: Sequence[str], days: int) -> Issued:
    token = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        project=project,
        name=name,
        roles=list(roles),
        token_hash=_hash(token),
        expires_at=timezone.now() + timedelta(days=days),
        created_by=actor,
    )
    record_event(actor=actor, verb="invite", subject=invitation)
    return Issued(invitation, token)


def find_invitation(*, token: str, lock: bool = False) -> Invitation:
    """The open invitation of this token. Raises `Hidden` for a wrong one, `Conflict` for one past use."""
    found = Invitation.objects.select_related("project").filter(token_hash=_hash(token))
    invitation = (found.select_for_update(of=("self",)) if lock else found).first()
    if invitation is None:
        raise Hidden(_("This link is not known. Ask for a new one."))
    if invitation.accepted_at:
        raise Conflict(_("This link has been used. Sign in with the account it made."))
    if invitation.revoked_at:
        raise Conflict(_("This link has been withdrawn. Ask for a new one."))
    if invitation.expires_at <= timezone.now():
        raise Conflict(_("This link has expired. Ask for a new one."))
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, username: str, name: str, password: str) -> User:
    """Make an account from an invitation and join its project."""
    invitation = find_invitation(token=token, lock=True)
    user = create_user(
        actor=invitation.created_by, username=username, name=name or invitation.name, password=password
    )
    _join(invitation, user)
    return user


@transaction.atomic
def join_by_invitation(*, actor: User, token: str) -> Project:
    """Join a project with the account one already has."""
    invitation = find_invitation(token=token, lock=True)
    _join(invitation, actor)
    return invitation.project


def _join(invitation: Invitation, user: User) -> None:
    _add_roles(invitation.project, user, invitation.roles)
    invitation.accepted_by, invitation.accepted_at = user, timezone.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    record_event(actor=user, verb="accept_invitation", subject=invitation)


@transaction.atomic
def revoke_invitation(*, actor: User, invitation: Invitation) -> None:
    """Withdraw a link that has not been used."""
    require(may_manage(actor, invitation.project))
    if invitation.accepted_at:
        raise Conflict(_("This link has been used; take the person out of the project instead."))
    invitation.revoked_at = timezone.now()
    invitation.save(update_fields=["revoked_at"])
    record_event(actor=actor, verb="revoke_invitation", subject=invitation)


@transaction.atomic
def record_reset_link(*, actor: User, project: Project, user: User) -> None:
    """Note that a manager issues a link by which a member sets a new password.

    Managers of one project may not reset administrators, other projects' managers or imported names.
    """
    require(may_manage(actor, project))
    if not Membership.objects.filter(project=project, user=user).exists():
        raise Hidden(_("There is no such member."))
    if not user.is_active or user.is_placeholder:
        raise Conflict(_("This person cannot sign in."))
    elsewhere = Membership.objects.filter(user=user, role=Role.MANAGER).exclude(project=project).exists()
    if (user.is_superuser or user.is_staff or elsewhere) and actor != user and not actor.is_superuser:
        raise Forbidden(_("Only an administrator can issue a new password link for this person."))
    record_event(actor=actor, verb="issue_reset_link", subject=user, detail={"project": project.slug})


@transaction.atomic
def publish_guideline(*, actor: User, project: Project, text: str) -> Guideline:
    """Publish the next version of the guideline."""
    require(may_manage(actor, project))
    if not text.strip():
        raise Unusable(_("The guideline is empty."), {"text": _("empty")})
    Project.objects.select_for_update().get(pk=project.pk)
    newest = Guideline.objects.filter(project=project).aggregate(newest=Max("number"))["newest"] or 0
    guideline = Guideline.objects.create(project=project, number=newest + 1, text=text.strip(), author=actor)
    record_event(actor=actor, verb="publish_guideline", subject=guideline)
    return guideline


def acknowledge_guideline(*, actor: User, guideline: Guideline) -> None:
    """Record that somebody has read this version; twice is once."""
    try:
        with transaction.atomic():
            GuidelineAcknowledgement.objects.create(guideline=guideline, user=actor)
    except IntegrityError:
        pass
