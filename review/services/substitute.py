"""Services for substitutes: naming a member for a request that no other member can claim, and claiming it."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from projects.queries import members
from review.models import RequestState, Review, ReviewRequest, Substitute
from review.permissions import may_name_substitute, may_take_as_substitute
from review.services.lease import give_back, lock_request, take


@transaction.atomic
def name_substitute(*, actor: User, request: ReviewRequest, person: User) -> Substitute:
    """Name a member, whatever their roles, as substitute for a request; the actor gives up the request.

    Only for managers, and for the adjudicator who has claimed the request. Raise `Unusable` if the person has
    written a revision of the item or has judged or skipped it, `Conflict` if the request has been judged or
    is claimed by another user.
    """
    request = lock_request(request)
    require(may_name_substitute(actor, request))
    if not members(request.project).filter(pk=person.pk).exists():
        raise Unusable(_("Member not found."), "person")
    if person.pk in request.excluded:
        sentence = _("%(name)s has written, reviewed or skipped this item.") % {"name": person.name}
        raise Unusable(sentence, "person")
    _give_up(request, actor)
    substitute, _made = Substitute.objects.get_or_create(
        request=request, person=person, defaults={"named_by": actor}
    )
    record_event(actor=actor, verb="name_deputy", subject=request, detail={"person": person.pk})
    return substitute


def _give_up(request: ReviewRequest, actor: User) -> None:
    """Release a claimed request if the actor has it or its lease has run out; else raise `Conflict`."""
    if request.state == RequestState.OPEN:
        return
    if request.state != RequestState.CLAIMED:
        raise Conflict(_("This item was already reviewed."))
    has_ended = request.lease_expires_at is not None and request.lease_expires_at < timezone.now()
    sent = Review.objects.filter(request=request, sent_at__isnull=False, judged_at=None)
    if request.claimed_by_id != actor.pk and (not has_ended or sent.exists()):
        raise Conflict(_("Someone is reviewing this item. Wait until they finish or their time expires."))
    give_back(request, actor)


@transaction.atomic
def take_as_substitute(*, actor: User, request: ReviewRequest) -> ReviewRequest:
    """Claim the request for which the actor is a substitute, and return it.

    Raise `Hidden` for other users, `Conflict` if the request is claimed by another user or judged.
    """
    request = lock_request(request)
    require(may_take_as_substitute(actor, request))
    if request.claimed_by_id == actor.pk and request.state == RequestState.CLAIMED:
        return request
    _give_up(request, actor)
    if actor.pk in request.excluded:
        raise Conflict(_("You have written, reviewed or skipped this item."))
    return take(request, actor)
