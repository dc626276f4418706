"""Who may measure, and see what came of it; and who may not be asked."""

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import AuditEvent, User
from core.decisions import Allowed, Decision, Denied
from projects.models import Project
from projects.permissions import Permission, has_permission, roles_of


def may_see_results(user: User, project: Project) -> Decision:
    """Whether this person may see runs, answers and what is counted from them."""
    return has_permission(user, project, Permission.SEE_RESULTS)


def may_change_results(user: User, project: Project) -> Decision:
    """Whether this person may start runs, open panels, import answers and have results counted."""
    return has_permission(user, project, Permission.CHANGE_RESULTS)


def may_solve(user: User, project: Project) -> Decision:
    """Nobody who belongs to the project, ever did, or is an administrator: they may have seen its keys."""
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
    """Whether the audit trail of the project names them, by what they did or by the roles they were given."""
    trail = AuditEvent.objects.filter(subject_type=project._meta.label_lower, subject_id=project.pk)
    return trail.filter(Q(actor=user) | Q(verb="set_roles", detail__user=user.pk)).exists()
