"""Permissions to measure, to see results, and to solve items."""

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import AuditEvent, User
from core.decisions import Allowed, Decision, Denied
from projects.models import Project
from projects.permissions import Permission, has_permission, roles_of


def may_see_results(user: User, project: Project) -> Decision:
    """Return whether the user may see runs, responses and their statistics."""
    return has_permission(user, project, Permission.SEE_RESULTS)


def may_change_results(user: User, project: Project) -> Decision:
    """Return whether the user may start runs, open panels, import responses and compute results."""
    return has_permission(user, project, Permission.CHANGE_RESULTS)


def may_solve(user: User, project: Project) -> Decision:
    """Return whether the user may solve a panel's items: administrators and (former) members may not."""
    if not roles_of(user, project) and not _belonged(user, project):
        return Allowed()
    return Denied(
        _(
            "Panels are for people who have never seen these items. You are signed in and"
            " have access to this project, so your answers would not count. Give the link"
            " to the person it was made for, or withdraw it."
        )
    )


def _belonged(user: User, project: Project) -> bool:
    """Return whether the project's audit trail names the user as actor or as member."""
    trail = AuditEvent.objects.filter(subject_type=project._meta.label_lower, subject_id=project.pk)
    return trail.filter(Q(actor=user) | Q(verb="set_roles", detail__user=user.pk)).exists()
