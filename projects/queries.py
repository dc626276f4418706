"""Queries of projects, members, invitations, guidelines and commonsense types."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from projects.defaults import short_name
from projects.models import (
    AccessToken,
    CommonsenseType,
    Guideline,
    GuidelineAcknowledgement,
    Invitation,
    Membership,
    Project,
    Role,
)
from projects.permissions import Permission, roles_with, with_office, with_rights_beyond
from projects.permissions import roles_of as roles_of  # noqa: PLC0414 - where others look for it
from projects.request_cache import known
from web.rows import Rows

_PROJECTS: Final = Rows(Project, "held_roles")
_WITH_ROLES: Final = f"""
SELECT {_PROJECTS.columns("project")}, ARRAY(
    SELECT role::text FROM projects_membership WHERE project_id = project.id AND user_id = %s
) FROM projects_project AS project WHERE slug = %s
"""  # noqa: S608 - put together from the model's own columns


def projects_of(user: User) -> QuerySet[Project]:
    """Return the projects visible to this user: those they are a member of, or all for an administrator."""
    token = known().token
    only = {"pk": token.project_id} if token and token.project_id else {}
    if user.is_superuser or user.is_system:
        return Project.objects.filter(**only)
    return Project.objects.filter(memberships__user=user, **only).distinct()


def first_of_each(projects: Iterable[Project], rows: QuerySet[Any], most: int) -> dict[int, list[int]]:
    """Return the ids of the first `most` rows of each project, by project id, with one query.

    The queryset `rows` must be filtered to one project by `OuterRef("pk")`.
    """
    each = ArraySubquery(rows.values("pk")[:most])
    found = Project.objects.filter(pk__in=[project.pk for project in projects]).order_by()
    return dict(found.annotate(first=each).values_list("pk", "first"))


def managed_by(user: User) -> QuerySet[Project]:
    """Return the projects that the user manages. For an administrator, these are all projects."""
    if user.is_superuser or user.is_system:
        return projects_of(user)
    managed = Membership.objects.filter(user=user, role__in=roles_with(Permission.MANAGE))
    return projects_of(user).filter(pk__in=managed.values("project"))


def only_managed_by(user: User) -> list[Project]:
    """Return the projects that have this user as their only manager, by name."""
    managing = Membership.objects.filter(role=Role.MANAGER, project=OuterRef("pk"))
    return list(
        Project.objects.filter(Exists(managing.filter(user=user)), ~Exists(managing.exclude(user=user)))
    )


def get_project(*, user: User, slug: str) -> Project:
    """Return the project with this slug. Raise `Hidden` if the user may not see it.

    The project and the user's roles in it are cached for the request.
    """
    cached = known()
    if (user.pk, slug) not in cached.projects:
        for found in _PROJECTS.read(_WITH_ROLES, [user.pk, slug]):
            roles = with_office(user, vars(found)["held_roles"])
            if roles and not cached.hides(found.pk):
                cached.projects[user.pk, slug], cached.roles[user.pk, found.pk] = found, roles
                return found
        raise Hidden(_("Project not found."))
    return cached.projects[user.pk, slug]


def tokens_of(user: User) -> QuerySet[AccessToken]:
    """Return the user's access tokens, also those that are no longer valid."""
    return AccessToken.objects.select_related("project", "user").filter(user=user)


def all_tokens(search: str = "") -> QuerySet[AccessToken]:
    """Return the access tokens of all users, newest first; `search` matches the names of token and user."""
    found = AccessToken.objects.select_related("project", "user")
    if search:
        name = Q(name__icontains=search)
        found = found.filter(name | Q(user__name__icontains=search) | Q(user__username__icontains=search))
    return found.order_by("-pk")


def get_any_token(pk: int) -> AccessToken:
    """Return an access token of any user. Raise `Hidden` if there is none. For administrators."""
    found = all_tokens().filter(pk=pk).first()
    if found is None:
        raise Hidden(_("Access token not found."))
    return found


def get_token(*, user: User, pk: int) -> AccessToken:
    """Return an access token of the user. Raise `Hidden` if the user has no such token."""
    found = tokens_of(user).filter(pk=pk).first()
    if found is None:
        raise Hidden(_("Access token not found."))
    return found


def members(project: Project, permission: Permission | None = None) -> QuerySet[User]:
    """Return the members of the project by name; with `permission`, only those who have it."""
    found = Membership.objects.filter(project=project)
    if permission is not None:
        found = found.filter(role__in=roles_with(permission))
    return User.objects.filter(pk__in=found.values("user")).order_by("name", "pk")


def current_types(project: Project) -> QuerySet[CommonsenseType]:
    """Return the commonsense types that are not retired, in the project's order."""
    return CommonsenseType.objects.filter(project=project, retired_at=None)


def current_guideline(project: Project) -> Guideline | None:
    """Return the newest version of the project's guideline; None if there is no guideline."""
    versions = Guideline.objects.filter(project=project).select_related("author")
    return versions.order_by("-number").first()


def current_guideline_id(project: Project) -> int | None:
    """Return the id of the newest version of the project's guideline, or None; its text is not loaded."""
    versions = Guideline.objects.filter(project=project).order_by("-number")
    return versions.values_list("pk", flat=True).first()


CURRENT_GUIDELINE: Final = """(
    SELECT id FROM projects_guideline WHERE project_id = %(project)s ORDER BY number DESC LIMIT 1
)"""
"""An SQL expression for the id that `current_guideline_id` returns, with the parameter `project`."""


def open_invitations(project: Project) -> QuerySet[Invitation]:
    """Return invitations that can still be accepted."""
    return Invitation.objects.filter(
        project=project, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )


def pending_invitations(project: Project) -> QuerySet[Invitation]:
    """Return invitations neither accepted nor revoked, including expired ones, newest first."""
    return Invitation.objects.filter(project=project, accepted_at=None, revoked_at=None).order_by("-pk")


def get_invitation(*, project: Project, pk: int) -> Invitation:
    """Return an invitation to this project. Raise `Hidden` if there is none with this id."""
    invitation = Invitation.objects.select_related("project").filter(project=project, pk=pk).first()
    if invitation is None:
        raise Hidden(_("Invitation not found."))
    return invitation


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a project with their roles; `has_rights_beyond` is whether they have rights outside it."""

    user: User
    roles: tuple[str, ...]
    has_rights_beyond: bool = False


def with_roles(project: Project, people: Iterable[User]) -> list[Member]:
    """Return a `Member` for each of these users, in the same order, with their roles in the project."""
    people = list(people)
    held = set(Membership.objects.filter(project=project, user__in=people).values_list("user_id", "role"))
    beyond = with_rights_beyond(project, people)
    return [
        Member(user, tuple(role for role in Role.values if (user.pk, role) in held), user.pk in beyond)
        for user in people
    ]


def get_member(*, project: Project, pk: int) -> Member:
    """Return a member of this project by user id. Raise `Hidden` if there is none."""
    user = members(project).filter(pk=pk).first()
    if user is None:
        raise Hidden(_("Member not found."))
    return with_roles(project, [user])[0]


def memberships_of(user: User) -> list[tuple[Project, tuple[str, ...]]]:
    """Return pairs (project, roles) for all projects that the user is a member of, by project name."""
    held: dict[Project, set[str]] = {}
    theirs = Membership.objects.filter(user=user).select_related("project")
    for membership in theirs.order_by("project__name", "project_id"):
        held.setdefault(membership.project, set()).add(membership.role)
    return [
        (project, tuple(role for role in Role.values if role in roles)) for project, roles in held.items()
    ]


def all_types(project: Project) -> QuerySet[CommonsenseType]:
    """Return all commonsense types of the project, retired ones last."""
    found = CommonsenseType.objects.filter(project=project)
    return found.order_by(F("retired_at").asc(nulls_first=True), "order", "code")


def get_type(*, project: Project, pk: int) -> CommonsenseType:
    """Return a commonsense type of this project. Raise `Hidden` if there is none."""
    found = CommonsenseType.objects.select_related("project").filter(project=project, pk=pk).first()
    if found is None:
        raise Hidden(_("Type not found."))
    return found


def versions(project: Project) -> QuerySet[Guideline]:
    """Return all versions of the guideline, newest first, without loading their texts."""
    return (
        Guideline.objects.filter(project=project).select_related("author").defer("text").order_by("-number")
    )


def get_guideline(*, project: Project, number: int) -> Guideline:
    """Return a version of the guideline. Raise `Hidden` if there is none."""
    found = (
        Guideline.objects.select_related("project", "author").filter(project=project, number=number).first()
    )
    if found is None:
        raise Hidden(_("Guideline version not found."))
    return found


def acknowledged_by(guideline: Guideline) -> set[int]:
    """Return the ids of all users who have confirmed this version of the guideline."""
    return set(GuidelineAcknowledgement.objects.filter(guideline=guideline).values_list("user_id", flat=True))


def acknowledged_among(user: User, guidelines: Iterable[Guideline]) -> set[int]:
    """Return the ids of those of these versions of guidelines that the user has confirmed."""
    read = GuidelineAcknowledgement.objects.filter(user=user, guideline__in=[one.pk for one in guidelines])
    return set(read.values_list("guideline_id", flat=True))


def suggest_slug(name: str) -> str:
    """Return an unused slug for a new project, derived from its name."""
    stem = short_name(name)
    if not stem:
        stem, number = "project", (Project.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
    else:
        number = 1
    taken = set(Project.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    slug = stem if number == 1 else f"{stem}-{number}"
    while slug in taken:
        number += 1
        slug = f"{stem}-{number}"
    return slug
