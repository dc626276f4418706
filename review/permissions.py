"""Who may claim and judge what."""

from typing import Final

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Decision, Denied
from projects.models import Project
from projects.permissions import Permission, belongs, has_permission
from review.models import Deputy, RequestState, ReviewRequest, Stage

TO_JUDGE: Final[dict[str, Permission]] = {
    Stage.CROSS_CHECK: Permission.REVIEW,
    Stage.VERIFICATION: Permission.VERIFY,
    Stage.ADJUDICATION: Permission.ADJUDICATE,
}


def may_claim(user: User, project: Project, stage: str) -> Decision:
    """Whether this person does this stage's work in the project at all."""
    return has_permission(user, project, TO_JUDGE[stage])


def may_work_on(user: User, request: ReviewRequest) -> Decision:
    """Whether this request is this person's now; the requests of others do not exist for them."""
    if request.claimed_by_id != user.pk:
        return Denied(_("You have not claimed this item."), hidden=True)
    return _may_take(user, request)


def may_go_on(user: User, request: ReviewRequest) -> Decision:
    """Whether this request is this person's, or was until their lease ran out."""
    if request.freed_from_id == user.pk:
        return _may_take(user, request)
    return may_work_on(user, request)


def _may_take(user: User, request: ReviewRequest) -> Decision:
    """Who does this stage's work, and who is named for this request."""
    decision = may_claim(user, request.project, request.stage)
    return decision or may_stand_in(user, request)


def may_stand_in(user: User, request: ReviewRequest) -> Decision:
    """Whether this person is named as deputy for this request and still belongs to the project."""
    if not Deputy.objects.filter(request=request, person=user).exists():
        return Denied(_("No such item is assigned to you."), hidden=True)
    return belongs(user, request.project)


def may_name_deputy(user: User, request: ReviewRequest) -> Decision:
    """Managers; and who has the request in hand to rule on it."""
    rules = request.stage == Stage.ADJUDICATION and request.state == RequestState.CLAIMED
    if rules and request.claimed_by_id == user.pk:
        return may_work_on(user, request)
    decision = has_permission(user, request.project, Permission.CHANGE_REVIEWS)
    return decision or Denied(_("No such item is assigned to you."), hidden=True)


def may_change_reviews(user: User, project: Project) -> Decision:
    """Whether this person may have agreement counted, and models judge items beside people."""
    return has_permission(user, project, Permission.CHANGE_REVIEWS)
