"""Services for claiming a request, renewing its lease, and giving it back.

A claim is one statement. It locks an open request and, in share mode, its item, skips rows that other
transactions have locked, and draws the order of the options. Its time does not grow with the queue, even for
a user who is excluded from most requests, or has seen most keys: it examines the oldest requests first, then
a few of each group with the same excluded users. A user who has seen the keys of all examined requests gets
the first request they may claim; that review is not blind.

A request whose key reveals those of its siblings is claimed with them (`Project.solve_together`): all are
answered before any key is displayed.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from parable.kinds import kind_of
from projects.models import Project
from review.models import Postponement, RequestState, Review, ReviewRequest, Stage
from review.permissions import may_claim, may_go_on
from review.queries.queue import one_row
from review.queries.sibling import sibling_values, together
from review.services.lease import (
    WORKED,
    bar,
    give_back,
    is_held,
    lease_end,
    lock_request,
    note_work,
    regain,
)
from review.services.practice import deal_practice, take_postponed_practice
from review.services.sibling import keep_siblings, let_go
from review.services.verdict import carry_out_sent_verdicts
from review.sql import (
    BEFORE_CLAIM,
    FREE_LAPSED,
    FROM_ANYWHERE,
    FROM_EXPOSED,
    FROM_OLDEST,
    FROM_POSTPONED,
    FROM_SIBLINGS,
    FROM_STORY,
    REQUESTS,
)

FREED_AT_ONCE: Final = 10
LOOKED_AT_FIRST: Final = 200
MOST_GROUPS: Final = 64
LOOKED_AT_EACH_END: Final = 32
MOST_LOCKED: Final = 32
"""A claim considers this many suitable requests: more than other claims can have locked in the same few
milliseconds.
"""
POSTPONED_FOR: Final = timedelta(hours=12)


@transaction.atomic
def claim_next(
    *, actor: User, project: Project, stage: str, undoable: Review | None = None
) -> ReviewRequest | None:
    """Return the actor's claimed request at this stage, or claim and return the next one.

    First, the actor's sent verdicts that can still be undone are carried out, except the latest, `undoable`,
    which the actor can undo while working on the next request. If no request is open to the actor, `undoable`
    is carried out, too, and the claim is repeated, as the outcome may open a request. If None is returned,
    `review.queries.waiting` explains why.
    """
    require(may_claim(actor, project, stage))
    before = _before(actor, project, stage, undoable)
    carry_out_sent_verdicts(reviews=before.due, actor=actor, project=project)
    if before.held is not None:
        held = ReviewRequest.everything.get(pk=before.held)
        held.project = project
        return next(iter(together(actor, held).left), held)  # an unanswered sibling comes first
    if before.has_run_out:
        with connection.cursor() as cursor:
            cursor.execute(FREE_LAPSED, [FREED_AT_ONCE])
    if stage == Stage.CROSS_CHECK and project.gold_rate:
        dealt = deal_practice(actor, project) or _next(actor, project, stage, before)
        taken = dealt or take_postponed_practice(actor, project)
    else:
        taken = _next(actor, project, stage, before)
    if taken is not None:
        return _with_siblings(taken, actor, before)
    return claim_next(actor=actor, project=project, stage=stage) if undoable else None


class _Before(NamedTuple):
    """The data read before a request is claimed."""

    due: list[int]
    held: int | None
    has_run_out: bool
    story: int | None
    later: list[int]
    kept: list[int]


def _before(actor: User, project: Project, stage: str, undoable: Review | None = None) -> _Before:
    since = timezone.now() - POSTPONED_FOR
    values = {"user": actor.pk, "project": project.pk, "stage": stage, "since": since}
    values["undoable"] = undoable and undoable.pk
    return _Before(*one_row(BEFORE_CLAIM, values))


def _with_siblings(taken: ReviewRequest, actor: User, before: _Before) -> ReviewRequest:
    """Claim the siblings of a claimed request, too, and return the request to answer first."""
    project = taken.project
    may_bring = taken.stage != Stage.ADJUDICATION and kind_of(taken.task).exposed_by_story
    if not project.solve_together or not may_bring:
        return taken
    values = sibling_values(actor, taken) | {"kept": before.kept, "later": []}
    values |= {"at": taken.claimed_at, "until": taken.lease_expires_at}
    first = min([taken, *ReviewRequest.objects.raw(FROM_SIBLINGS, values)], key=lambda one: one.public_id)
    first.project = project
    return first


def _next(actor: User, project: Project, stage: str, before: _Before) -> ReviewRequest | None:
    values = {
        "user": actor.pk,
        "project": project.pk,
        "stage": stage,
        "story": before.story,
        "kept": before.kept,
        "later": before.later,
        "at": timezone.now(),
        "until": lease_end(project),
        "first": LOOKED_AT_FIRST,
        "locked": MOST_LOCKED,
        "groups": MOST_GROUPS,
        "ends": LOOKED_AT_EACH_END,
    }
    ways = [*([FROM_STORY] if before.story else []), FROM_OLDEST, FROM_ANYWHERE, FROM_EXPOSED]
    for way in ways:
        if (taken := _claim(way, values, project)) is not None:
            return taken
    if not before.later:
        return None
    return _claim(FROM_POSTPONED, values | {"later": [], "postponed": before.later}, project)


def _claim(way: str, values: dict[str, object], project: Project) -> ReviewRequest | None:
    for taken in REQUESTS.read(way, values):
        taken.project = project
        return taken
    return None


@transaction.atomic
def renew_lease(*, actor: User, request: ReviewRequest) -> ReviewRequest:
    """Renew the lease of a request on which its claimant is working.

    If the lease has run out, claim the request again. Raise `Conflict` if another user has claimed it.
    """
    request = _held_request(actor, request)
    note_work(request)
    request.save(update_fields=WORKED)
    keep_siblings(actor, request)
    return request


def _held_request(actor: User, request: ReviewRequest) -> ReviewRequest:
    """Return the locked request if the actor has claimed it; claim it again if its lease has run out."""
    request = lock_request(request)
    require(may_go_on(actor, request))
    if request.claimed_by_id == actor.pk and request.state != RequestState.CLAIMED:
        raise Conflict(_("This item was already reviewed."))
    if not is_held(request, actor):
        raise Conflict(_("Your time expired and the item went to someone else."))
    regain(request, actor)
    return request


@transaction.atomic
def skip_request(*, actor: User, request: ReviewRequest, reason: str) -> None:
    """Give the request back with a reason. The actor is never offered this revision again at this stage."""
    request = _held_request(actor, request)
    if not reason.strip():
        raise Unusable(_("Enter a reason."), "reason")
    give_back(request, actor)
    bar(actor, request)
    record_event(actor=actor, verb="skip_place", subject=request, detail={"reason": reason.strip()[:500]})


@transaction.atomic
def postpone_request(*, actor: User, request: ReviewRequest) -> None:
    """Give the request and its siblings back. The actor is offered them again after all other requests.

    Raise `Conflict` if one of them is answered: the actor must then judge or skip it.
    """
    request = _held_request(actor, request)
    if Review.everything.filter(request=request, reviewer=actor).exists():
        raise Conflict(_("You have answered this item. Submit a verdict or skip it."))
    held = together(actor, request)
    if held.answered:
        raise Conflict(_("You have answered an item of this story. Answer the others or skip them."))
    others = let_go(actor, [one.pk for one in held.left if one.pk != request.pk])
    give_back(request, actor)
    for pk in [request.pk, *others]:
        Postponement.objects.update_or_create(request_id=pk, user=actor, defaults={"at": timezone.now()})
