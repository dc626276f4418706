"""What the verdicts of a round come to, once its last place has closed."""

from collections.abc import Sequence
from typing import Final

from django.db import connection, transaction
from django.utils import timezone

from accounts.models import User
from annotation.content import from_json
from annotation.models import Item, Revision
from annotation.queries import revision_content
from annotation.services import apply_verdict, revise_item
from core.errors import ParableError
from projects.models import Project
from review import consensus
from review.consensus import Outcome, Verdict
from review.models import PlaceState, Review, ReviewRequest, Stage
from review.queries.rows import Columns, one_row
from review.services.holding import lock_review

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
    "active_seconds",
]
"""What a verdict writes into a review."""


_FINISHED: Final = ("state", "claimed_by_id", "claimed_at", "lease_expires_at", "drawn_order", "closed_at")
_FINISH: Final = """
UPDATE review_reviewrequest AS finished
SET state = %(state)s, claimed_by_id = %(claimed_by_id)s, claimed_at = %(claimed_at)s,
    lease_expires_at = %(lease_expires_at)s, drawn_order = %(drawn_order)s::smallint[],
    closed_at = %(closed_at)s
WHERE id = %(place)s
RETURNING NOT EXISTS (
    SELECT 1 FROM review_reviewrequest AS other
    WHERE other.opened_by_id = finished.opened_by_id AND other.id <> finished.id
      AND other.state IN ('open', 'claimed')
)
"""

DUE: Final = f"""ARRAY(
    SELECT sent.id FROM review_review AS sent
    JOIN review_reviewrequest AS place ON place.id = sent.request_id
    WHERE sent.sent_at IS NOT NULL AND sent.judged_at IS NULL AND sent.late_at IS NULL
      AND (sent.reviewer_id = %(user)s OR place.lease_expires_at < now())
      AND place.project_id = %(project)s
    ORDER BY sent.item_id, sent.id LIMIT {CARRIED_OUT_AT_ONCE}
)"""  # noqa: S608 - put together from constants
"""Sent verdicts that somebody's next claim carries out: their own, and a few of others whose time is over.

By item, so that two who do this at once lock the items in the same order. A part of statements that know a
`user` and a `project`.
"""


_REVIEW: Final = Columns(Review, "review")
_ROUND: Final = f"""
SELECT {_REVIEW.sql} FROM review_review AS review
JOIN review_reviewrequest AS place ON place.id = review.request_id
WHERE place.opened_by_id = %(move)s AND review.judged_at IS NOT NULL ORDER BY place.place
"""  # noqa: S608 - put together from the columns above


def close(request: ReviewRequest, review: Review) -> Review:
    """Make a verdict final and its place done; the last one of a round moves the item."""
    review.judged_at, review.late_at = timezone.now(), None
    review.save(update_fields=JUDGED)
    request.state, request.closed_at = PlaceState.DONE, review.judged_at
    if _finish(request):
        _settle(request, review)
    return review


def _finish(request: ReviewRequest) -> bool:
    """Write down that a place is done, and whether it was the last of its round."""
    values = {name: getattr(request, name) for name in _FINISHED}
    (is_last,) = one_row(_FINISH, values | {"place": request.pk}) or (False,)
    return bool(is_last)


def carry_out_sent(*, actor: User, project: Project) -> None:
    """Carry out the verdicts that the actor can no longer undo, and a few of others whose time is over.

    A part of its caller's transaction.
    """
    (due,) = one_row(f"SELECT {DUE}", {"user": actor.pk, "project": project.pk}) or ([],)
    carry_out(due)


def carry_out(due: Sequence[int]) -> None:
    """Carry out these sent verdicts, in this order. A part of its caller's transaction."""
    found = Review.objects.select_related("request", "reviewer").in_bulk(due) if due else {}
    for pk in due:
        _carry_out(found[pk])


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
    with connection.cursor() as cursor:
        cursor.execute(_ROUND, {"move": request.opened_by_id})
        reviews = [_REVIEW.taken_from(row) for row in cursor.fetchall()]
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
        revision=_by_number(request.revision_id),
        to_state=outcome.to_state,
        cause=outcome.code,
        reason=reason,
    )


def _by_number(pk: int) -> Revision:
    """A revision of which nothing but its number is asked; the rest is read where it is."""
    return Revision.from_db(connection.alias, ["id"], [pk])


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
