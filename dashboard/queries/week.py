"""What a person did in the last seven days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q
from django.utils import timezone

from accounts.models import User
from dashboard.queries.inbox import Mine
from dashboard.queries.report import first_wordings
from review.models import Review


@dataclass(frozen=True, slots=True)
class Week:
    """What a person did in the last seven days."""

    submitted: int
    reviewed: int
    solved: int
    right: int


def week_of(user: User, projects: Sequence[Mine]) -> Week:
    """Items submitted, and items answered and reviewed, in the last seven days in these projects."""
    since, among = timezone.now() - timedelta(days=7), [mine.project.pk for mine in projects]
    reviews = Review.objects.filter(
        reviewer=user, request__project__in=among, judged_at__gte=since
    ).aggregate(
        reviewed=Count("pk"),
        solved=Count("pk", filter=Q(is_correct__isnull=False, misclick=False)),
        right=Count("pk", filter=Q(is_correct=True, misclick=False)),
    )
    submitted = first_wordings().filter(author=user, item__project__in=among, created_at__gte=since).count()
    return Week(submitted=submitted, **reviews)
