"""What is known of projects, members and guidelines. Reads only."""

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Hidden
from accounts.models import User
from projects.models import CommonsenseType, Guideline, Invitation, Membership, Project, Role


def projects_of(user: User) -> QuerySet[Project]:
    """The projects that exist for this person: their own, or all for an administrator."""
    if user.is_superuser or user.is_system:
        return Project.objects.all()
    return Project.objects.filter(memberships__user=user).distinct()


def get_project(*, user: User, slug: str) -> Project:
    """The project of this short name as far as it exists for this person; else `Hidden`."""
    project = projects_of(user).filter(slug=slug).first()
    if project is None:
        raise Hidden(_("There is no such project here."))
    return project


def roles_of(user: User, project: Project) -> frozenset[str]:
    """The roles this person holds in the project; administrators and commands manage everywhere."""
    roles = set(Membership.objects.filter(project=project, user=user).values_list("role", flat=True))
    if user.is_superuser or user.is_system:
        roles.add(Role.MANAGER)
    return frozenset(roles)


def members(project: Project, roles: Iterable[str] | None = None) -> QuerySet[User]:
    """People who belong to the project, or those who hold one of these roles."""
    found = Membership.objects.filter(project=project)
    if roles is not None:
        found = found.filter(role__in=list(roles))
    return User.objects.filter(pk__in=found.values("user")).order_by("name", "pk")


def current_types(project: Project) -> QuerySet[CommonsenseType]:
    """The commonsense types that new items may carry, in the project's order."""
    return CommonsenseType.objects.filter(project=project, retired_at=None)


def current_guideline(project: Project) -> Guideline | None:
    """The newest published guideline, or none."""
    return Guideline.objects.filter(project=project).order_by("-number").first()


def open_invitations(project: Project) -> QuerySet[Invitation]:
    """Invitations that can still be accepted."""
    return Invitation.objects.filter(
        project=project, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
