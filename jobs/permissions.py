"""Who may see long work, steer it, and name the models that are paid."""

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.permissions import may_administer
from core.decisions import Decision, Denied
from jobs.models import Work
from projects.models import Project
from projects.permissions import Permission, has_permission


def may_see_job(user: User, job: Work) -> Decision:
    """Whether this person may see candidates of its project; for others it does not exist."""
    decision = has_permission(user, job.project, Permission.SEE_CANDIDATES)
    return decision or Denied(_("There is no such job here."), hidden=True)


def may_steer_job(user: User, job: Work) -> Decision:
    """Who started it, and managers."""
    decision = may_see_job(user, job)
    if not decision or job.created_by_id == user.pk:
        return decision
    return has_permission(user, job.project, Permission.CHANGE_MODELS)


def may_keep_endpoints(user: User, project: Project) -> Decision:
    """Whether this person may add and change endpoints, which spend money."""
    return has_permission(user, project, Permission.CHANGE_MODELS)


def may_allow_hosts(user: User) -> Decision:
    """Administrators only: a stored key leaves the site."""
    return may_administer(user)
