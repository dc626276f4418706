"""Verdicts that were sent and can no longer be undone, because their time is over. Reads only."""

from django.db.models import QuerySet
from django.utils import timezone

from review.models import GoldPlace, Review


def overdue_reviews() -> QuerySet[Review]:
    """Sent verdicts whose time is over and which no claim has carried out yet.

    By item, so that two who carry them out at once lock the items in the same order.
    """
    sent = Review.objects.filter(sent_at__isnull=False, judged_at=None, late_at=None)
    return sent.filter(request__lease_expires_at__lt=timezone.now()).order_by("item_id", "pk")


def overdue_practice() -> QuerySet[GoldPlace]:
    """Sent verdicts on practice items whose time is over and which nobody has scored yet."""
    sent = GoldPlace.objects.filter(sent_at__isnull=False, judged_at=None)
    return sent.filter(lease_expires_at__lt=timezone.now()).order_by("pk")
