"""Who may do what to a project."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Allowed, Decision, Denied
from projects.models import Membership, Project, Role
from projects.request_cache import known


def roles_of(user: User, project: Project) -> frozenset[str]:
    """The roles this person holds in the project; administrators and commands manage everywhere.

    Asked once a request.
    """
    kept = known().roles
    if (user.pk, project.pk) not in kept:
        held = Membership.objects.filter(project=project, user=user).order_by()
        kept[user.pk, project.pk] = with_office(user, held.values_list("role", flat=True))
    return kept[user.pk, project.pk]


def with_office(user: User, held: Iterable[str]) -> frozenset[str]:
    """The roles that somebody holds, and those of their office: administrators manage everywhere."""
    manages = user.is_superuser or user.is_system
    return frozenset([*held, Role.MANAGER.value] if manages else held)


def may_create_project(user: User) -> Decision:
    """Administrators, and people they have allowed to."""
    if user.is_superuser or user.is_system or user.may_create_projects:
        return Allowed()
    return Denied(_("Ask an administrator to let you create projects."))


def holds_role(user: User, project: Project, *roles: str) -> Decision:
    """Whether this person holds one of the roles; a stranger to the project is not told it exists."""
    held = roles_of(user, project)
    if not held:
        return Denied(_("There is no such project here."), hidden=True)
    if held.intersection(roles):
        return Allowed()
    wanted = " / ".join(str(Role(role).label) for role in roles)
    return Denied(_("This needs the role: %(roles)s.") % {"roles": wanted})


def may_manage(user: User, project: Project) -> Decision:
    """Managers only."""
    return holds_role(user, project, Role.MANAGER)


def may_reset_password(user: User, project: Project, member: User) -> Decision:
    """Managers, for a member whose account has no rights outside the project; administrators, for all.

    A new password opens the whole account, so a manager may not make one for somebody who has a role in
    another project, may create projects or looks after the site.
    """
    decision = may_manage(user, project)
    if not decision or user.is_superuser or user.is_system or user == member:
        return decision
    if with_rights_beyond(project, [member]):
        return Denied(_("Only an administrator can make a password link for this person."))
    return Allowed()


def with_rights_beyond(project: Project, people: Iterable[User]) -> set[int]:
    """The numbers of those among these people whose accounts have rights outside the project."""
    people = list(people)
    elsewhere = Membership.objects.filter(user__in=people).exclude(project=project)
    return set(elsewhere.values_list("user_id", flat=True)) | {
        one.pk for one in people if one.is_superuser or one.is_staff or one.may_create_projects
    }
