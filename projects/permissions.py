"""Who may do what to a project."""

from django.utils.translation import gettext as _

from accounts.decisions import Allowed, Decision, Denied
from accounts.models import User
from projects.models import Membership, Project, Role


def roles_of(user: User, project: Project) -> frozenset[str]:
    """The roles this person holds in the project; administrators and commands manage everywhere."""
    roles = set(Membership.objects.filter(project=project, user=user).values_list("role", flat=True))
    if user.is_superuser or user.is_system:
        roles.add(Role.MANAGER)
    return frozenset(roles)


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
