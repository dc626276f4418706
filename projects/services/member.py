"""Services that change the roles of members, and create links with which members set new passwords."""

import logging
from collections.abc import Collection, Iterable

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import ResetLink, make_reset_link, record_event, revoke_reset_links, system_account
from core.errors import Conflict, Hidden, require
from projects.models import Invitation, Membership, Project, Role
from projects.permissions import Permission, has_permission, may_reset_password
from projects.queries import only_managed_by
from projects.request_cache import forget
from projects.services.withdrawal import withdraw_links

logger = logging.getLogger(__name__)


@transaction.atomic
def set_roles(*, actor: User, project: Project, user: User, roles: Iterable[str]) -> None:
    """Replace all roles of a person in the project. Without roles, the person is no longer a member.

    Links that a manager made end with this role. Raises `Conflict` if the project would have no manager.
    """
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    wanted = {Role(role).value for role in roles}
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two managers may leave concurrently
    held = Membership.objects.filter(project=project, user=user)
    others = Membership.objects.filter(project=project, role=Role.MANAGER).exclude(user=user)
    leaves_office = Role.MANAGER not in wanted and held.filter(role=Role.MANAGER).exists()
    if leaves_office and not others.exists():
        raise Conflict(_("A project needs a manager. Add another one first."))
    held.exclude(role__in=wanted).delete()  # roles taken away
    forget()
    if leaves_office and not user.is_superuser:
        withdraw_links(actor=actor, maker=user, project=project)
    add_roles(project, user, wanted)
    record_event(
        actor=actor, verb="set_roles", subject=project, detail={"user": user.pk, "roles": sorted(wanted)}
    )


@transaction.atomic
def give_role(*, actor: User, project: Project, user: User, role: str) -> bool:
    """Give a role to a member; return whether it is new to them.

    Raises `Hidden` for users who are not members.
    """
    held = _lock_roles(actor, project, user)
    if role not in held:
        set_roles(actor=actor, project=project, user=user, roles=held | {role})
    return role not in held


@transaction.atomic
def take_role(*, actor: User, project: Project, user: User, role: str) -> bool:
    """Remove a role from a member; return whether the member had it.

    Raises `Conflict` if it is the member's only role, or if the project would have no manager.
    """
    held = _lock_roles(actor, project, user)
    if held == {role}:
        raise Conflict(_("This is their only role. Remove them from the project on their own page."))
    if role in held:
        set_roles(actor=actor, project=project, user=user, roles=held - {role})
    return role in held


def _lock_roles(actor: User, project: Project, user: User) -> set[str]:
    """Lock the project until the transaction ends, and return the roles of a member in it."""
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    held = Membership.objects.filter(project=project, user=user).values_list("role", flat=True)
    if not held:
        raise Hidden(_("Member not found."))
    return set(held)


def add_roles(project: Project, user: User, roles: Collection[str]) -> None:
    """Add roles of a person in the project. The caller must check permission.

    For a member of another project, password links that were created there become invalid.
    """
    if roles and Membership.objects.filter(user=user).exclude(project=project).exists():
        revoke_reset_links(user=user)
    Membership.objects.bulk_create(
        [Membership(project=project, user=user, role=role) for role in sorted(roles)], ignore_conflicts=True
    )
    forget()


@transaction.atomic
def follow_groups(user: User, roles: Collection[tuple[str, str]]) -> None:
    """Give a user these roles, as pairs (short name of a project, role), and take away others of groups.

    Roles that no group gives stay as they are, and so does the role of the only manager of a project.
    """
    of_groups = {pair for pairs in settings.OIDC_ROLES.values() for pair in pairs}
    slugs = {slug for slug, _role in of_groups}
    for project in Project.objects.filter(slug__in=slugs).order_by("pk"):
        held = set(Membership.objects.filter(project=project, user=user).values_list("role", flat=True))
        own = held - {role for slug, role in of_groups if slug == project.slug}
        wanted = own | {role for slug, role in roles if slug == project.slug}
        if wanted == held:
            continue
        try:
            set_roles(actor=system_account(), project=project, user=user, roles=wanted)
        except Conflict:
            logger.warning("user number %d stays the only manager of %s", user.pk, project.slug)


@transaction.atomic
def leave_projects(actor: User, user: User) -> None:
    """Remove a user whose account is closed from all projects, and the user's name from accepted invitations.

    Links that the user made end. The caller must check permission. Raises `Conflict`, naming the projects, if
    the user is the only manager of any.
    """
    held = Membership.objects.filter(user=user)
    projects = Project.objects.select_for_update(no_key=True).filter(pk__in=held.values("project"))
    left = list(projects.order_by("pk"))
    if alone := only_managed_by(user):
        names = ", ".join(str(project) for project in alone)
        raise Conflict(
            _("This person is the only manager of: %(projects)s. Add another manager first.")
            % {"projects": names}
        )
    held.delete()  # roles taken away
    withdraw_links(actor=actor, maker=user)
    Invitation.objects.filter(accepted_by=user).update(name="")
    forget()
    for project in left:
        record_event(actor=actor, verb="set_roles", subject=project, detail={"user": user.pk, "roles": []})


@transaction.atomic
def put_begin_away(*, actor: User, project: Project, role: str, away: bool) -> None:
    """Hide the card “Where to begin” for one of the actor's roles, or show it again if not `away`."""
    found = Membership.objects.filter(project=project, user=actor, role=role)
    if not found.exists():
        raise Hidden(_("There is no such member."))
    found.update(begun_at=timezone.now() if away else None)


@transaction.atomic
def issue_reset_link(*, actor: User, project: Project, user: User) -> ResetLink:
    """Create a link with which a member can set a new password, to be given to the member.

    Managers may create it for members without rights outside this project, administrators for everyone.
    """
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    if not Membership.objects.filter(project=project, user=user).exists():
        raise Hidden(_("Member not found."))
    require(may_reset_password(actor, project, user))
    return make_reset_link(actor=actor, user=user, detail={"project": project.slug})
