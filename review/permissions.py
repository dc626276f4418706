"""Who may claim and judge what."""

from typing import Final

from django.utils.translation import gettext as _

from accounts.models import User
from core.decisions import Decision, Denied
from projects.models import Project, Role
from projects.permissions import holds_role
from review.models import Deputy, PlaceState, ReviewRequest, Stage

ROLES: Final[dict[str, tuple[str, ...]]] = {
    Stage.CROSS_CHECK: (Role.REVIEWER,),
    Stage.VERIFICATION: (Role.VERIFIER,),
    Stage.ADJUDICATION: (Role.VERIFIER, Role.MANAGER),
}


def may_claim(user: User, project: Project, stage: str) -> Decision:
    """Whether this person does this stage's work in the project at all."""
    return holds_role(user, project, *ROLES[stage])


def may_work_on(user: User, request: ReviewRequest) -> Decision:
    """Whether this place is this person's now; the places of others do not exist for them."""
    if request.claimed_by_id != user.pk:
        return Denied(_("This item is not in your hands."), hidden=True)
    return _may_take(user, request)


def may_go_on(user: User, request: ReviewRequest) -> Decision:
    """Whether this place is this person's, or was until their lease ran out."""
    if request.freed_from_id == user.pk:
        return _may_take(user, request)
    return may_work_on(user, request)


def _may_take(user: User, request: ReviewRequest) -> Decision:
    """Who does this stage's work, and who is named for this place."""
    decision = may_claim(user, request.project, request.stage)
    return decision or may_stand_in(user, request)


def may_stand_in(user: User, request: ReviewRequest) -> Decision:
    """Whether this person is named as deputy for this place and still belongs to the project."""
    if not Deputy.objects.filter(request=request, person=user).exists():
        return Denied(_("There is no such item in your hands."), hidden=True)
    return holds_role(user, request.project, *Role.values)


def may_name_deputy(user: User, request: ReviewRequest) -> Decision:
    """Managers; and who has the place in hand to rule on it."""
    rules = request.stage == Stage.ADJUDICATION and request.state == PlaceState.CLAIMED
    if rules and request.claimed_by_id == user.pk:
        return may_work_on(user, request)
    decision = holds_role(user, request.project, Role.MANAGER)
    return decision or Denied(_("There is no such item in your hands."), hidden=True)


def may_see_statistics(user: User, project: Project) -> Decision:
    """Agreement and everybody's work are the managers' to see."""
    return holds_role(user, project, Role.MANAGER)
