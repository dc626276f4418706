"""Solving blind: the answer, the words that save themselves, and the slip of a finger."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Option
from annotation.queries.exposure import has_seen_key
from annotation.services import record_keys_shown
from core.errors import Conflict, Hidden, Unusable, require
from projects.queries import current_guideline_id
from review.models import Answer, PlaceState, Review, ReviewRequest, Stage
from review.permissions import may_go_on
from review.queries.request import review_of, wording_of
from review.services.lease import HELD, bar, is_held, lock_request, note_work, refuse_author, regain

LONGEST_COMMENT = 4000


@transaction.atomic
def solve(
    *,
    actor: User,
    request: ReviewRequest,
    answer: str,
    position: int | None = None,
    several: Sequence[int] = (),
) -> Review:
    """Give the blind answer; it is final. `position` and `several` count from 0 in the drawn order.

    Sending the same place twice gives the first answer back. An answer that comes when the lease has run
    out is kept: as any other where the place is still free, else as a late note.
    """
    request = lock_request(request)
    require(may_go_on(actor, request))
    if (given := review_of(actor, request)) is not None:
        return given
    if request.stage == Stage.ADJUDICATION:
        raise Conflict(_("An adjudicator rules; there is nothing to solve."))
    held = is_held(request, actor)
    if held:
        regain(request, actor)
    else:
        refuse_author(actor, request)
    drawn = request.drawn_order if held else request.freed_order
    other = None if held else _another_request(request, actor)
    check_answer(answer, position, several, len(drawn))
    chosen, is_correct = _chosen(request, drawn[position]) if position is not None else (None, False)
    now = timezone.now()
    review = Review.everything.create(
        request=other or request,
        item_id=request.item_id,
        revision_id=request.revision_id,
        stage=request.stage,
        reviewer=actor,
        guideline_id=current_guideline_id(request.project),
        answer=answer,
        drawn_order=drawn,
        chosen_position=position,
        several_positions=sorted(set(several)) if answer == Answer.SEVERAL_FIT else [],
        chosen_option=chosen,
        is_correct=is_correct,
        blind=not has_seen_key(actor, item=request.source_id, story=request.story_id, task=request.task),
        solved_at=now,
        late_at=None if held or other else now,
        seconds=_seconds(request, now) if held else 0,
    )
    if held:
        note_work(request)
        request.save(update_fields=HELD)
    bar(actor, request)
    record_keys_shown(actor=actor, items=[request.source_id])
    return review


def _chosen(request: ReviewRequest, position: int) -> tuple[Option | None, bool]:
    """The option at a position of the writer's order, a row unless of practice, and whether it is right."""
    if request.gold:
        return None, wording_of(request).options[position].is_key
    option = next(one for one in request.revision.options.all() if one.position == position)
    return option, option.is_key


def _another_request(request: ReviewRequest, actor: User) -> ReviewRequest | None:
    """The request of the same revision that the actor took after losing this one."""
    return ReviewRequest.objects.filter(
        revision=request.revision_id, stage=request.stage, claimed_by=actor, state=PlaceState.CLAIMED
    ).first()


def _seconds(request: ReviewRequest, now: datetime) -> int:
    """How long the place has been in these hands: by the server's clock, whatever the page was through."""
    assert request.claimed_at is not None  # noqa: S101 - a place that is held was claimed at some time
    return max(0, round((now - request.claimed_at).total_seconds()))


def check_answer(answer: str, position: int | None, several: Sequence[int], count: int) -> None:
    """Refuse a blind answer that is none, where so many options stand: `Unusable`."""
    if answer not in Answer.values:
        raise Unusable(_("Choose an option first."), {"answer": _("empty")})
    if (answer == Answer.OPTION) != (position is not None):
        raise Unusable(_("Choose an option first."), {"answer": _("empty")})
    if position is not None and not 0 <= position < count:
        raise Unusable(_("There is no such option."), {"answer": _("unknown")})
    if answer == Answer.SEVERAL_FIT and (
        len(set(several)) < 2 or not all(0 <= place < count for place in several)
    ):
        raise Unusable(_("Mark the options that fit, at least two."), {"several": _("fewer than two")})


@transaction.atomic
def mark_slip(*, actor: User, review: Review) -> Review:
    """Say that the answer was a slip of the finger: it stays, but counts in no statistics."""
    if review.reviewer_id != actor.pk:
        raise Hidden(_("There is no such review here."))
    if review.judged_at is not None or review.sent_at is not None:
        raise Conflict(_("This item has been judged already."))
    review.slip = True
    review.save(update_fields=["slip"])
    return review


@transaction.atomic
def save_words(*, actor: User, review: Review, comment: str) -> Review:
    """Keep what is being typed before the verdict is sent."""
    if review.reviewer_id != actor.pk:
        raise Hidden(_("There is no such review here."))
    if review.judged_at is None and review.sent_at is None:
        review.comment = comment[:LONGEST_COMMENT]
        review.save(update_fields=["comment"])
    return review
