"""What the verdicts of a round come to, once its last place has closed."""

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from annotation.content import from_json
from annotation.models import Item
from annotation.queries.item import revision_content
from annotation.services import apply_verdict, revise_item
from core.errors import ParableError
from projects.models import Project
from review import consensus
from review.consensus import Outcome, Verdict
from review.models import PlaceState, Review, ReviewRequest, Stage
from review.queries.verdict import overdue_verdicts, sent_verdicts
from review.services.lease import HELD, lock_review
from review.services.practice import score_practice

CARRIED_OUT_AT_ONCE: Final = 5
JUDGED = [
    "option_marks",
    "rating",
    "flaws",
    "comment",
    "disposition",
    "proposed_edit",
    "judged_at",
    "late_at",
    "active_seconds",
]
"""What a verdict writes into a review."""


_FINISHED: Final = [*HELD, "closed_at"]


def close(request: ReviewRequest, review: Review) -> Review:
    """Make a verdict final and its request done; the last one of a round moves the item."""
    review.judged_at, review.late_at = timezone.now(), None
    review.save(update_fields=JUDGED)
    request.state, request.closed_at = PlaceState.DONE, review.judged_at
    request.save(update_fields=_FINISHED)
    if request.gold:
        score_practice(request.gold, review)
    elif not _others_wait(request):
        _settle(request, review)
    return review


def _others_wait(request: ReviewRequest) -> bool:
    round_of = ReviewRequest.objects.filter(opened_by=request.opened_by_id)
    return round_of.filter(state__in=[PlaceState.OPEN, PlaceState.CLAIMED]).exists()


def carry_out_sent(*, actor: User, project: Project) -> None:
    """Carry out the verdicts that the actor can no longer undo, and a few of others whose time is over.

    A part of its caller's transaction.
    """
    over = Q(reviewer=actor) | Q(request__lease_expires_at__lt=timezone.now())
    for sent in sent_verdicts().filter(over, request__project=project)[:CARRIED_OUT_AT_ONCE]:
        _carry_out(sent)


@transaction.atomic
def carry_out_overdue(*, review_id: int) -> None:
    """Carry out a sent verdict, unless it was undone or carried out meanwhile. Safe to run twice."""
    for sent in overdue_verdicts().filter(pk=review_id):
        _carry_out(sent)


def _carry_out(sent: Review) -> None:
    request, review = lock_review(sent)
    review.reviewer = sent.reviewer
    if review.sent_at is None or review.judged_at is not None:
        return  # undone, or carried out by somebody else, while we waited for the lock
    if request.state == PlaceState.CLAIMED and request.claimed_by_id == review.reviewer_id:
        close(request, review)
    else:
        review.late_at = timezone.now()
        review.save(update_fields=["late_at"])


def _settle(request: ReviewRequest, last: Review) -> None:
    """Carry out what a round comes to, whose last place has closed."""
    verdicts = Review.objects.filter(request__opened_by=request.opened_by_id, judged_at__isnull=False)
    reviews = list(verdicts.order_by("request__place"))
    outcome = _outcome(request.project, request.stage, reviews)
    reason = last.comment if request.stage == Stage.ADJUDICATION else ""
    if outcome.adopted is not None:
        try:
            with transaction.atomic():
                _adopt(request.item, reviews[outcome.adopted], outcome)
                return
        except ParableError as error:
            # its author has left, or the project wants other things of an item by now: somebody rules
            outcome, reason = consensus.ADOPTION_REFUSED, str(error)
    apply_verdict(
        actor=last.reviewer,
        item=request.item,
        revision=request.revision,
        to_state=outcome.to_state,
        cause=outcome.code,
        reason=reason,
    )


def _outcome(project: Project, stage: str, reviews: Sequence[Review]) -> Outcome:
    verdicts = [_verdict(review) for review in reviews]
    if stage == Stage.CROSS_CHECK:
        return consensus.cross_check(verdicts, pass_rating=project.pass_rating)
    if stage == Stage.VERIFICATION:
        return consensus.verification(verdicts)
    return consensus.adjudication(verdicts[-1])


def _verdict(review: Review) -> Verdict:
    return Verdict(
        disposition=review.disposition,
        is_correct=None if review.slip else review.is_correct,
        rating=review.rating,
        edit_changes_key=bool(review.proposed_edit) and _changes_key(review),
        disputes_key=bool(review.option_marks) and _disputes_key(review),
    )


def _disputes_key(review: Review) -> bool:
    """Whether the verifier found something else right than the key alone."""
    keys = review.revision.options.order_by("position").values_list("is_key", flat=True)
    return list(keys) != review.option_marks


def _changes_key(review: Review) -> bool:
    """Whether the edit makes another option the key, or words it anew so far that nobody has solved it."""
    before, after = revision_content(review.revision).key, from_json(review.proposed_edit).key
    return before is None or after is None or before.text != after.text


def _adopt(item: Item, review: Review, outcome: Outcome) -> None:
    revised = revise_item(
        actor=review.reviewer,
        item=item,
        content=from_json(review.proposed_edit),
        to_state=outcome.to_state,
        cause=outcome.code,
    )
    review.adopted_as = revised.current
    review.save(update_fields=["adopted_as"])
