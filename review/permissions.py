"""Permissions to claim requests, to review items and to see results."""

from typing import Final

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Decision, Denied
from projects.models import Project
from projects.permissions import Permission, belongs, has_permission
from review.models import RequestState, ReviewRequest, Stage, Substitute

TO_JUDGE: Final[dict[str, Permission]] = {
    Stage.CROSS_CHECK: Permission.REVIEW,
    Stage.VERIFICATION: Permission.VERIFY,
    Stage.ADJUDICATION: Permission.ADJUDICATE,
}


def may_claim(user: User, project: Project, stage: str) -> Decision:
    """Return whether a role of this user permits work at this stage in the project."""
    return has_permission(user, project, TO_JUDGE[stage])


def may_work_on(user: User, request: ReviewRequest) -> Decision:
    """Return whether this user has claimed the request. Requests claimed by other users are hidden."""
    if request.claimed_by_id != user.pk:
        return Denied(_("You have not claimed this item."), hidden=True)
    return _may_take(user, request)


def may_go_on(user: User, request: ReviewRequest) -> Decision:
    """Return whether the user has claimed the request, or had claimed it until the lease ran out."""
    if request.freed_from_id == user.pk:
        return _may_take(user, request)
    return may_work_on(user, request)


def _may_take(user: User, request: ReviewRequest) -> Decision:
    """Return whether a role of the user allows this stage, or the user is a substitute for this request."""
    decision = may_claim(user, request.project, request.stage)
    return decision or may_take_as_substitute(user, request)


def may_take_as_substitute(user: User, request: ReviewRequest) -> Decision:
    """Return whether this user is a substitute for this request and still a member of the project."""
    if not Substitute.objects.filter(request=request, person=user).exists():
        return Denied(_("No such item is assigned to you."), hidden=True)
    return belongs(user, request.project)


def may_name_substitute(user: User, request: ReviewRequest) -> Decision:
    """Return whether the user may name a substitute: a manager, or the adjudicator who has the request."""
    rules = request.stage == Stage.ADJUDICATION and request.state == RequestState.CLAIMED
    if rules and request.claimed_by_id == user.pk:
        return may_work_on(user, request)
    decision = has_permission(user, request.project, Permission.CHANGE_REVIEWS)
    return decision or Denied(_("No such item is assigned to you."), hidden=True)


def may_change_reviews(user: User, project: Project) -> Decision:
    """Return whether this user may order review statistics and judgements by models."""
    return has_permission(user, project, Permission.CHANGE_REVIEWS)
