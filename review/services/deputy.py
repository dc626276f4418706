"""Naming somebody for one request that nobody else can or shall take, and taking it as the one named."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from projects.queries import members
from review.models import Deputy, RequestState, Review, ReviewRequest
from review.permissions import may_name_deputy, may_stand_in
from review.services.lease import give_back, lock_request, take


@transaction.atomic
def name_deputy(*, actor: User, request: ReviewRequest, person: User) -> Deputy:
    """Let this member take this request, whatever their roles; who names them gives it up.

    Managers, and who has the request in hand to rule on it. The law binds a deputy as anybody: `Unusable`
    where the person has written a revision of the item or has judged it, `Conflict` where the request has
    been judged or lies in somebody else's hands.
    """
    request = lock_request(request)
    require(may_name_deputy(actor, request))
    if not members(request.project).filter(pk=person.pk).exists():
        raise Unusable(_("Member not found."), "person")
    if person.pk in request.excluded:
        sentence = _("%(name)s has written, reviewed or skipped this item.") % {"name": person.name}
        raise Unusable(sentence, "person")
    _give_up(request, actor)
    deputy, _made = Deputy.objects.get_or_create(request=request, person=person, defaults={"named_by": actor})
    record_event(actor=actor, verb="name_deputy", subject=request, detail={"person": person.pk})
    return deputy


def _give_up(request: ReviewRequest, actor: User) -> None:
    """Open the request for the deputy, where the actor or nobody has it."""
    if request.state == RequestState.OPEN:
        return
    if request.state != RequestState.CLAIMED:
        raise Conflict(_("This item was already reviewed."))
    if request.claimed_by_id != actor.pk and not _has_run_out(request):
        raise Conflict(_("Someone is reviewing this item. Wait until they finish or their time expires."))
    give_back(request, actor)


def _has_run_out(request: ReviewRequest) -> bool:
    """Whether the clock has taken the request from its claimant; a verdict sent in time holds it."""
    sent = Review.objects.filter(request=request, sent_at__isnull=False, judged_at=None)
    ended = request.lease_expires_at is not None and request.lease_expires_at < timezone.now()
    return ended and not sent.exists()


@transaction.atomic
def take_as_deputy(*, actor: User, request: ReviewRequest) -> ReviewRequest:
    """Take the request that one is named for. `Hidden` for others, `Conflict` where it is taken or judged."""
    request = lock_request(request)
    require(may_stand_in(actor, request))
    if request.claimed_by_id == actor.pk and request.state == RequestState.CLAIMED:
        return request
    _give_up(request, actor)
    if actor.pk in request.excluded:
        raise Conflict(_("You have written, reviewed or skipped this item."))
    return take(request, actor)
