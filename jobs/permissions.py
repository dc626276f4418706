"""Permissions for jobs, endpoints and the servers that may receive API keys."""

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.permissions import may_administer
from core.decisions import Allowed, Decision, Denied
from jobs.models import Job
from projects.models import Project
from projects.permissions import MEMBER, Permission, has_permission


def may_see_job(user: User, job: Job) -> Decision:
    """Return whether the user may see the job. It is hidden from users who may not see candidates."""
    if job.project is None:
        return Denied(_("There is no such job here."), hidden=True)
    decision = has_permission(user, job.project, Permission.SEE_CANDIDATES)
    return decision or Denied(_("There is no such job here."), hidden=True)


def may_follow_job(user: User, job: Job) -> Decision:
    """Return whether the user may see the progress of a job, which is hidden from others.

    A job that calls LLMs is seen as `may_see_job` says; another by its creator, and by those who may see the
    list of jobs; one that is about no project by its creator alone.
    """
    if hasattr(job, "budget"):
        return may_see_job(user, job)
    is_own = job.created_by_id == user.pk
    if job.project is None:
        return Allowed() if is_own else Denied(_("There is no such job here."), hidden=True)
    decision = has_permission(user, job.project, MEMBER if is_own else Permission.SEE_PROJECT)
    return decision or Denied(_("There is no such job here."), hidden=True)


def may_steer_job(user: User, job: Job) -> Decision:
    """Return whether the user may pause, resume or cancel the job: its creator and managers may."""
    decision = may_see_job(user, job)
    if not decision or job.created_by_id == user.pk:
        return decision
    return has_permission(user, job.own_project, Permission.CHANGE_MODELS)


def may_keep_endpoints(user: User, project: Project) -> Decision:
    """Return whether the user may add and change endpoints; calls to endpoints cost money."""
    return has_permission(user, project, Permission.CHANGE_MODELS)


def may_allow_hosts(user: User) -> Decision:
    """Return whether the user may choose the servers that may receive API keys.

    Only administrators may. A stored key leaves the site when it is sent to a server.
    """
    return may_administer(user)
