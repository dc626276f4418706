"""Queries of verdicts: all on an item, late ones, and sent ones that can no longer be undone."""

from collections.abc import Iterable
from itertools import groupby

from django.db.models import F, QuerySet
from django.utils import timezone

from annotation.models import Item, Revision
from projects.models import Project
from review.models import Review, ReviewRequest
from review.queries.sibling import with_key_revealed


def verdicts_on(request: ReviewRequest) -> QuerySet[Review]:
    """Return all verdicts on the request's item, oldest first, for the adjudicator to compare."""
    return (
        Review.objects.filter(item=request.item_id, judged_at__isnull=False)
        .select_related("reviewer", "revision", "chosen_option")
        .prefetch_related("revision__options", "revision__types")
        .order_by("judged_at")
    )


def verdicts_by_item(items: Iterable[Item]) -> dict[int | None, list[Review]]:
    """Return the verdicts on each item's current revision by item id, oldest first."""
    found = Review.objects.filter(
        revision__in=[item.current_id for item in items if item.current_id], judged_at__isnull=False
    )
    by_item: dict[int | None, list[Review]] = {}
    for review in found.order_by("judged_at"):
        by_item.setdefault(review.item_id, []).append(review)
    return by_item


def judgements_on(item: Item) -> list[tuple[Revision, list[Review]]]:
    """Return the last 20 verdicts on an item, grouped by revision, newest revision first."""
    reviews = (
        Review.objects.filter(item=item, judged_at__isnull=False)
        .select_related("revision")
        .prefetch_related("revision__options")
        .order_by("-revision__number", "-judged_at")[:20]
    )
    return [(revision, list(said)) for revision, said in groupby(reviews, lambda each: each.revision)]


def late_notes(project: Project) -> QuerySet[Review]:
    """Return the verdicts that were sent after another user had claimed the request."""
    return Review.objects.filter(project=project, late_at__isnull=False).select_related(
        "reviewer", "item", "revision"
    )


def overdue_verdicts() -> QuerySet[Review]:
    """Return the sent verdicts that can no longer be undone but are not carried out, including practice."""
    sent = Review.everything.filter(sent_at__isnull=False, judged_at=None, late_at=None)
    return sent.filter(request__lease_expires_at__lt=timezone.now())


def blind_answers(items: Iterable[int]) -> dict[int, list[bool]]:
    """Return whether each blind answer to the current revision was correct.

    Answers are in order, by item id.
    """
    answered = Review.objects.filter(
        item__in=list(items),
        revision=F("item__current"),
        blind=True,
        misclick=False,
        is_correct__isnull=False,
    )
    found: dict[int, list[bool]] = {}
    for item, right in (
        with_key_revealed(answered).order_by("solved_at", "pk").values_list("item", "is_correct")
    ):
        found.setdefault(item, []).append(bool(right))
    return found
