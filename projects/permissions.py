"""Permissions in a project, and which roles have them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from enum import Flag, auto
from functools import reduce
from operator import or_
from typing import Final

from django.utils.translation import gettext as _

from accounts.models import Scope, User
from core.decisions import Allowed, Decision, Denied
from projects.models import Membership, Project, Role
from projects.request_cache import known


class Permission(Flag):
    """A permission of a role in a project. Code checks permissions, not roles."""

    WRITE = auto()  # also with LLMs
    TAKE_STORIES = auto()  # for item writers, whose home page lists owed and returned items
    ADD_ITEMS = auto()
    REVIEW = auto()
    VERIFY = auto()
    ADJUDICATE = auto()
    SEE_PROJECT = auto()  # its overview, settings and data
    CHANGE_PROJECT = auto()
    SEE_PEOPLE = auto()
    CHANGE_PEOPLE = auto()
    SEE_STORIES = auto()  # similar stories, with their full texts
    CHANGE_STORIES = auto()
    SEE_WRITING = auto()  # assignments, plan and pilots
    CHANGE_WRITING = auto()
    SEE_ITEMS = auto()  # items of other writers, with their keys
    CHANGE_ITEMS = auto()
    SEE_REVIEWS = auto()  # agreement and work of reviewers, and practice items
    CHANGE_REVIEWS = auto()  # start computations, and judgements by LLMs
    SEE_RELEASES = auto()  # with splits and keys, which writers and reviewers must not learn
    CHANGE_RELEASES = auto()
    SEE_RESULTS = auto()  # runs and responses; the pages show keys, including withheld ones
    CHANGE_RESULTS = auto()  # runs cost money
    SEE_CANDIDATES = auto()  # also prompts; the pages show morals, which reviewers must not see
    SEE_MODELS = auto()
    CHANGE_MODELS = auto()  # calls to endpoints cost money
    MANAGE = auto()


MEMBER: Final = Permission(0)
"""No particular permission: every member passes."""


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
"""The permissions of each role. A person with several roles has those of all of them."""


SCOPES: Final[Mapping[str, Permission]] = {
    Scope.READ: _all("SEE_"),
    Scope.WRITE: Permission.WRITE | Permission.TAKE_STORIES | Permission.ADD_ITEMS,
    Scope.REVIEW: Permission.REVIEW | Permission.VERIFY | Permission.ADJUDICATE,
    Scope.MANAGE: _all("CHANGE_") | Permission.MANAGE,
}
"""The permissions that each scope of an access token lets through; every permission is in one."""


def scope_of(permission: Permission, *, changes: bool) -> Scope:
    """Return the scope that a token needs for a request that needs this permission.

    Every request that changes nothing needs `read`; a change that every member may make needs `write`.
    """
    if not changes:
        return Scope.READ
    others = (Scope.MANAGE, Scope.REVIEW)
    return next((scope for scope in others if permission & SCOPES[scope]), Scope.WRITE)


def roles_with(permission: Permission) -> list[Role]:
    """Return the roles that have this permission, in display order."""
    return [role for role in Role if permission in PERMISSIONS[role]]


def roles_of(user: User, project: Project) -> frozenset[str]:
    """Return the user's roles in the project. Cached for the request.

    Administrators and the system account also have the role of manager, in all projects.
    """
    if known().hides(project.pk):
        return frozenset()
    kept = known().roles
    if (user.pk, project.pk) not in kept:
        held = Membership.objects.filter(project=project, user=user).order_by()
        kept[user.pk, project.pk] = with_office(user, held.values_list("role", flat=True))
    return kept[user.pk, project.pk]


def roles_in(user: User, projects: Iterable[Project]) -> dict[int, frozenset[str]]:
    """Return the user's roles in each of these projects, by project id, with one query."""
    held: dict[int, set[str]] = defaultdict(set)
    for project, role in Membership.objects.filter(user=user).order_by().values_list("project", "role"):
        held[project].add(role)
    hides = known().hides
    found = {
        project.pk: frozenset() if hides(project.pk) else with_office(user, held[project.pk])
        for project in projects
    }
    known().roles.update({(user.pk, project): roles for project, roles in found.items()})
    return found


def with_office(user: User, held: Iterable[str]) -> frozenset[str]:
    """Return these roles, and the role of manager if the user is an administrator or the system account."""
    manages = user.is_superuser or user.is_system
    return frozenset([*held, Role.MANAGER.value] if manages else held)


def permissions_of(user: User, project: Project) -> Permission:
    """Return all permissions of this user in the project."""
    return _let_through(permissions_for(roles_of(user, project)))


def _let_through(permissions: Permission) -> Permission:
    """Return the permissions that the scopes of the request's access token, if it has one, let through."""
    token = known().token
    if token is None:
        return permissions
    return permissions & reduce(or_, (SCOPES[scope] for scope in token.scopes), Permission(0))


def permissions_for(roles: Iterable[str]) -> Permission:
    """Return the permissions of all these roles together."""
    return reduce(or_, (PERMISSIONS[role] for role in roles), Permission(0))


def may_create_project(user: User) -> Decision:
    """Return whether the user may create projects. Administrators may, and can allow others to."""
    if user.is_superuser or user.is_system or user.may_create_projects:
        return Allowed()
    return Denied(_("Ask an administrator for permission to create projects."))


def belongs(user: User, project: Project) -> Decision:
    """Return whether the user is a member of the project, which is hidden from all others.

    If the project is archived, a request that may change data is denied.
    """
    return _belongs(roles_of(user, project), project)


def _belongs(roles: Collection[str], project: Project) -> Decision:
    if not roles:
        return Denied(_("There is no such project here."), hidden=True)
    if project.archived_at and known().changes:
        return Denied(_("This project is archived: it can be read, not changed."))
    return Allowed()


def has_permission(user: User, project: Project, permission: Permission) -> Decision:
    """Return whether the user has this permission in the project. A denial names the roles that have it."""
    roles = roles_of(user, project)
    decision = _belongs(roles, project)
    held = permissions_for(roles)
    if not decision or permission in _let_through(held):
        return decision
    if permission in held:
        return Denied(_("This access token does not have the scope for this."))
    wanted = " / ".join(str(role.label) for role in roles_with(permission))
    return Denied(_("This needs the role: %(roles)s.") % {"roles": wanted})


def may_manage(user: User, project: Project) -> Decision:
    """Return whether the user is a manager of the project."""
    return has_permission(user, project, Permission.MANAGE)


def manages(user: User, project: Project) -> Decision:
    """Return whether the user is a manager of the project, even for changes to an archived project."""
    if Permission.MANAGE in permissions_of(user, project):
        return Allowed()
    return may_manage(user, project)


def may_reset_password(user: User, project: Project, member: User) -> Decision:
    """Return whether the user may create a link with which a member sets a new password.

    A new password gives access to the whole account. So a manager may not create a link for a member who has
    a role in another project, may create projects or is an administrator.
    """
    decision = may_manage(user, project)
    if not decision or user.is_superuser or user.is_system or user == member:
        return decision
    if with_rights_beyond(project, [member]):
        return Denied(_("Only an administrator can create a password link for this person."))
    return Allowed()


def with_rights_beyond(project: Project, people: Iterable[User]) -> set[int]:
    """Return the ids of the given users who have rights outside the project.

    Such a user has a role in another project, may create projects, or is an administrator.
    """
    people = list(people)
    elsewhere = Membership.objects.filter(user__in=people).exclude(project=project)
    return set(elsewhere.values_list("user_id", flat=True)) | {
        one.pk for one in people if one.is_superuser or one.is_staff or one.may_create_projects
    }
