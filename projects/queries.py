"""What is known of projects, members and guidelines. Reads only."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from projects.defaults import short_name
from projects.models import (
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
    """The projects that exist for this person: their own, or all for an administrator."""
    if user.is_superuser or user.is_system:
        return Project.objects.all()
    return Project.objects.filter(memberships__user=user).distinct()


def first_of_each(projects: Iterable[Project], rows: QuerySet[Any], most: int) -> dict[int, list[int]]:
    """By project, the numbers of the first of these rows: one statement for all of the projects.

    `rows` are narrowed to one project by `OuterRef("pk")`.
    """
    each = ArraySubquery(rows.values("pk")[:most])
    found = Project.objects.filter(pk__in=[project.pk for project in projects]).order_by()
    return dict(found.annotate(first=each).values_list("pk", "first"))


def managed_by(user: User) -> QuerySet[Project]:
    """The projects whose settings this person may copy."""
    if user.is_superuser or user.is_system:
        return Project.objects.all()
    return Project.objects.filter(
        memberships__user=user, memberships__role__in=roles_with(Permission.MANAGE)
    ).distinct()


def get_project(*, user: User, slug: str) -> Project:
    """The project of this short name as far as it exists for this person; else `Hidden`.

    Asked once a request, with the person's roles in it.
    """
    kept = known()
    if (user.pk, slug) not in kept.projects:
        for found in _PROJECTS.read(_WITH_ROLES, [user.pk, slug]):
            if roles := with_office(user, vars(found)["held_roles"]):
                kept.projects[user.pk, slug], kept.roles[user.pk, found.pk] = found, roles
                return found
        raise Hidden(_("Project not found."))
    return kept.projects[user.pk, slug]


def members(project: Project, permission: Permission | None = None) -> QuerySet[User]:
    """People who belong to the project, or those with this permission."""
    found = Membership.objects.filter(project=project)
    if permission is not None:
        found = found.filter(role__in=roles_with(permission))
    return User.objects.filter(pk__in=found.values("user")).order_by("name", "pk")


def current_types(project: Project) -> QuerySet[CommonsenseType]:
    """The commonsense types that new items may carry, in the project's order."""
    return CommonsenseType.objects.filter(project=project, retired_at=None)


def current_guideline(project: Project) -> Guideline | None:
    """The newest published guideline, or none."""
    versions = Guideline.objects.filter(project=project).select_related("author")
    return versions.order_by("-number").first()


def current_guideline_id(project: Project) -> int | None:
    """The number by which rows refer to the newest published guideline; its text is not read."""
    versions = Guideline.objects.filter(project=project).order_by("-number")
    return versions.values_list("pk", flat=True).first()


CURRENT_GUIDELINE: Final = """(
    SELECT id FROM projects_guideline WHERE project_id = %(project)s ORDER BY number DESC LIMIT 1
)"""
"""The answer of `current_guideline_id` as a part of statements that know a `project`."""


def open_invitations(project: Project) -> QuerySet[Invitation]:
    """Invitations that can still be accepted."""
    return Invitation.objects.filter(
        project=project, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )


def pending_invitations(project: Project) -> QuerySet[Invitation]:
    """Invitations that nobody has used or withdrawn, expired ones included, newest first."""
    return Invitation.objects.filter(project=project, accepted_at=None, revoked_at=None).order_by("-pk")


def get_invitation(*, project: Project, pk: int) -> Invitation:
    """An invitation of this project; else `Hidden`."""
    invitation = Invitation.objects.select_related("project").filter(project=project, pk=pk).first()
    if invitation is None:
        raise Hidden(_("Invitation not found."))
    return invitation


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who belongs to a project, what they do in it, and whether they have rights outside it."""

    user: User
    roles: tuple[str, ...]
    has_rights_beyond: bool = False


def with_roles(project: Project, people: Iterable[User]) -> list[Member]:
    """These people with the roles they hold in the project, in the order of the roles."""
    people = list(people)
    held = set(Membership.objects.filter(project=project, user__in=people).values_list("user_id", "role"))
    beyond = with_rights_beyond(project, people)
    return [
        Member(user, tuple(role for role in Role.values if (user.pk, role) in held), user.pk in beyond)
        for user in people
    ]


def get_member(*, project: Project, pk: int) -> Member:
    """A member of this project by the number of their account; else `Hidden`."""
    user = members(project).filter(pk=pk).first()
    if user is None:
        raise Hidden(_("Member not found."))
    return with_roles(project, [user])[0]


def memberships_of(user: User) -> list[tuple[Project, tuple[str, ...]]]:
    """The projects somebody belongs to, with their roles in each."""
    held: dict[Project, set[str]] = {}
    theirs = Membership.objects.filter(user=user).select_related("project")
    for membership in theirs.order_by("project__name", "project_id"):
        held.setdefault(membership.project, set()).add(membership.role)
    return [(project, _in_order(roles)) for project, roles in held.items()]


def _in_order(roles: Collection[str]) -> tuple[str, ...]:
    return tuple(role for role in Role.values if role in roles)


def all_types(project: Project) -> QuerySet[CommonsenseType]:
    """The commonsense types of a project, retired ones at the end."""
    found = CommonsenseType.objects.filter(project=project)
    return found.order_by(F("retired_at").asc(nulls_first=True), "order", "code")


def get_type(*, project: Project, pk: int) -> CommonsenseType:
    """A commonsense type of this project; else `Hidden`."""
    found = CommonsenseType.objects.select_related("project").filter(project=project, pk=pk).first()
    if found is None:
        raise Hidden(_("Type not found."))
    return found


def versions(project: Project) -> QuerySet[Guideline]:
    """All versions of the guideline, the newest first, without their text."""
    return (
        Guideline.objects.filter(project=project).select_related("author").defer("text").order_by("-number")
    )


def get_guideline(*, project: Project, number: int) -> Guideline:
    """One version of the guideline; else `Hidden`."""
    found = (
        Guideline.objects.select_related("project", "author").filter(project=project, number=number).first()
    )
    if found is None:
        raise Hidden(_("Guideline version not found."))
    return found


def acknowledged_by(guideline: Guideline) -> set[int]:
    """The accounts, by number, of those who have read this version."""
    return set(GuidelineAcknowledgement.objects.filter(guideline=guideline).values_list("user_id", flat=True))


def suggest_slug(name: str) -> str:
    """A short name for a new project that nobody has taken yet."""
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
