"""What the verdicts of a round come to, once its last place has closed."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from accounts.errors import ParableError
from accounts.models import User
from annotation.content import from_json
from annotation.models import Item
from annotation.queries import revision_content
from annotation.services import apply_verdict, revise_item
from projects.models import Project
from review import consensus
from review.consensus import Outcome, Verdict
from review.models import PlaceState, Review, ReviewRequest, Stage
from review.services.holding import HELD, lock_place

CARRIED_OUT_AT_ONCE = 5
JUDGED = [
    "option_marks",
    "rating",
    "flaws",
    "comment",
    "disposition",
    "proposed_edit",
    "judged_at",
    "late_at",
]
"""What a verdict writes into a review."""


def close(request: ReviewRequest, review: Review) -> Review:
    """Make a verdict final and its place done; the last one of a round moves the item."""
    review.judged_at, review.late_at = timezone.now(), None
    review.save(update_fields=JUDGED)
    request.state, request.closed_at = PlaceState.DONE, review.judged_at
    request.save(update_fields=[*HELD, "closed_at"])
    _settle(request, review)
    return review


def carry_out_sent(*, actor: User, project: Project) -> None:
    """Carry out the verdicts that the actor can no longer undo, and a few of others whose time is over.

    A part of its caller's transaction.
    """
    sent = Review.objects.filter(sent_at__isnull=False, judged_at=None, late_at=None)
    due = sent.filter(Q(reviewer=actor) | Q(request__lease_expires_at__lt=Now()))
    # by item, so that two who do this at once lock the items in the same order
    for pk, place in (
        due.filter(request__project=project)
        .order_by("item_id", "pk")
        .values_list("pk", "request")[:CARRIED_OUT_AT_ONCE]
    ):
        _carry_out(pk, place)


def _carry_out(pk: int, place: int) -> None:
    request = lock_place(ReviewRequest.objects.get(pk=place))
    review = Review.objects.select_for_update(of=("self",)).select_related("reviewer").get(pk=pk)
    if review.sent_at is None or review.judged_at is not None:
        return  # undone, or carried out by somebody else, while we waited for the lock
    if request.state == PlaceState.CLAIMED and request.claimed_by_id == review.reviewer_id:
        close(request, review)
    else:
        review.late_at = timezone.now()
        review.save(update_fields=["late_at"])


def _settle(request: ReviewRequest, last: Review) -> None:
    """Carry out what the round comes to, once its last place has closed."""
    round_ = ReviewRequest.objects.filter(opened_by=request.opened_by_id)
    if round_.filter(state__in=[PlaceState.OPEN, PlaceState.CLAIMED]).exists():
        return
    reviews = list(
        Review.objects.filter(request__in=round_, judged_at__isnull=False)
        .select_related("reviewer", "revision")
        .order_by("request__place")
    )
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
