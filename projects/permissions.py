"""Who may do what to a project."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from enum import Flag, auto
from functools import reduce
from operator import or_
from typing import Final

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Allowed, Decision, Denied
from projects.models import Membership, Project, Role
from projects.request_cache import known


class Permission(Flag):
    """What roles let people do in a project: decisions ask for this, not for a role."""

    WRITE = auto()  # also with models
    TAKE_STORIES = auto()  # writing is their work: what they owe and what came back is on their home page
    ADD_ITEMS = auto()
    REVIEW = auto()
    VERIFY = auto()
    ADJUDICATE = auto()
    SEE_PROJECT = auto()  # its overview, settings and data
    CHANGE_PROJECT = auto()
    SEE_PEOPLE = auto()
    CHANGE_PEOPLE = auto()
    SEE_STORIES = auto()  # those that are alike, with all their words
    CHANGE_STORIES = auto()
    SEE_WRITING = auto()  # who writes what: assignments, plan, pilots
    CHANGE_WRITING = auto()
    SEE_ITEMS = auto()  # those of others, with their keys
    CHANGE_ITEMS = auto()
    SEE_REVIEWS = auto()  # how reviewers agree and work, and practice items
    CHANGE_REVIEWS = auto()  # have it counted, have models judge
    SEE_RELEASES = auto()  # seed, gates, files and answers: who writes or solves learns no split or letter
    CHANGE_RELEASES = auto()
    SEE_RESULTS = auto()  # runs and answers: they show keys, withheld ones too
    CHANGE_RESULTS = auto()  # runs cost money
    SEE_CANDIDATES = auto()  # and prompts: the pages show morals, so nobody who only judges has it
    SEE_MODELS = auto()
    CHANGE_MODELS = auto()  # endpoints spend money
    MANAGE = auto()


MEMBER: Final = Permission(0)
"""What everybody may who belongs to a project."""


def _all(prefix: str) -> Permission:
    return reduce(or_, (one for one in Permission if str(one.name).startswith(prefix)))


PERMISSIONS: Final[Mapping[str, Permission]] = {
    Role.WRITER: Permission.WRITE
    | Permission.TAKE_STORIES
    | Permission.ADD_ITEMS
    | Permission.SEE_CANDIDATES,
    Role.REVIEWER: Permission.ADD_ITEMS | Permission.REVIEW,
    Role.VERIFIER: Permission.ADD_ITEMS | Permission.VERIFY | Permission.ADJUDICATE,
    Role.MANAGER: Permission.WRITE
    | Permission.ADD_ITEMS
    | Permission.ADJUDICATE
    | _all("SEE_")
    | _all("CHANGE_")
    | Permission.MANAGE,
    Role.OBSERVER: _all("SEE_"),
}
"""What each role may do. Who holds several roles may do what any of them may."""


def roles_with(permission: Permission) -> list[Role]:
    """The roles with this permission, in their order."""
    return [role for role in Role if permission in PERMISSIONS[role]]


def roles_of(user: User, project: Project) -> frozenset[str]:
    """The roles this person holds in the project; administrators and commands manage everywhere.

    Asked once a request.
    """
    kept = known().roles
    if (user.pk, project.pk) not in kept:
        held = Membership.objects.filter(project=project, user=user).order_by()
        kept[user.pk, project.pk] = with_office(user, held.values_list("role", flat=True))
    return kept[user.pk, project.pk]


def roles_in(user: User, projects: Iterable[Project]) -> dict[int, frozenset[str]]:
    """The roles this person holds in each of these projects, by its number: one statement for all of them."""
    held: dict[int, set[str]] = defaultdict(set)
    for project, role in Membership.objects.filter(user=user).order_by().values_list("project", "role"):
        held[project].add(role)
    found = {project.pk: with_office(user, held[project.pk]) for project in projects}
    known().roles.update({(user.pk, project): roles for project, roles in found.items()})
    return found


def with_office(user: User, held: Iterable[str]) -> frozenset[str]:
    """The roles that somebody holds, and those of their office: administrators manage everywhere."""
    manages = user.is_superuser or user.is_system
    return frozenset([*held, Role.MANAGER.value] if manages else held)


def permissions_of(user: User, project: Project) -> Permission:
    """All that this person may do in the project."""
    return permissions_for(roles_of(user, project))


def permissions_for(roles: Iterable[str]) -> Permission:
    """All that these roles let people do."""
    return reduce(or_, (PERMISSIONS[role] for role in roles), Permission(0))


def may_create_project(user: User) -> Decision:
    """Administrators, and people they have allowed to."""
    if user.is_superuser or user.is_system or user.may_create_projects:
        return Allowed()
    return Denied(_("Ask an administrator for permission to create projects."))


def belongs(user: User, project: Project) -> Decision:
    """Every member; for a stranger the project does not exist. Nobody changes an archived project."""
    return _belongs(roles_of(user, project), project)


def _belongs(roles: Collection[str], project: Project) -> Decision:
    if not roles:
        return Denied(_("There is no such project here."), hidden=True)
    if project.archived_at and known().changes:
        return Denied(_("This project is archived: it can be read, not changed."))
    return Allowed()


def has_permission(user: User, project: Project, permission: Permission) -> Decision:
    """Whether one of this person's roles has the permission; else the roles that have it."""
    roles = roles_of(user, project)
    decision = _belongs(roles, project)
    if not decision or permission in permissions_for(roles):
        return decision
    wanted = " / ".join(str(role.label) for role in roles_with(permission))
    return Denied(_("This needs the role: %(roles)s.") % {"roles": wanted})


def may_manage(user: User, project: Project) -> Decision:
    """Managers only."""
    return has_permission(user, project, Permission.MANAGE)


def manages(user: User, project: Project) -> Decision:
    """Managers, also of an archived project."""
    if Permission.MANAGE in permissions_of(user, project):
        return Allowed()
    return may_manage(user, project)


def may_reset_password(user: User, project: Project, member: User) -> Decision:
    """Managers, for a member whose account has no rights outside the project; administrators, for all.

    A new password opens the whole account, so a manager may not make one for somebody who has a role in
    another project, may create projects or looks after the site.
    """
    decision = may_manage(user, project)
    if not decision or user.is_superuser or user.is_system or user == member:
        return decision
    if with_rights_beyond(project, [member]):
        return Denied(_("Only an administrator can create a password link for this person."))
    return Allowed()


def with_rights_beyond(project: Project, people: Iterable[User]) -> set[int]:
    """The numbers of those among these people whose accounts have rights outside the project."""
    people = list(people)
    elsewhere = Membership.objects.filter(user__in=people).exclude(project=project)
    return set(elsewhere.values_list("user_id", flat=True)) | {
        one.pk for one in people if one.is_superuser or one.is_staff or one.may_create_projects
    }
