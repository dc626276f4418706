"""Verdicts whose time for being undone is over: carried out and scored, though nobody claims anything."""

from django.db import transaction

from review.queries.overdue import overdue_practice, overdue_reviews
from review.services.practising import score_locked
from review.services.settling import carry_out


@transaction.atomic
def carry_out_overdue(*, review_id: int) -> None:
    """Carry out a sent verdict, unless it was undone or carried out meanwhile. Safe to run twice."""
    carry_out(list(overdue_reviews().filter(pk=review_id).values_list("pk", flat=True)))


@transaction.atomic
def score_overdue(*, practice_id: int) -> None:
    """Score a sent verdict on a practice item, unless it was undone or scored meanwhile."""
    practice = overdue_practice().filter(pk=practice_id).first()
    if practice is not None:
        score_locked(practice)
