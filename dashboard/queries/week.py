"""Queries of a user's work in the last seven days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import Count, Q
from django.utils import timezone

from accounts.models import User
from dashboard.queries.inbox import Mine
from dashboard.queries.pace import SUBMITTED, work_rows
from review.models import Review
from web.cached_counts import cached

COUNTED_AT_EACH_LOOK: Final = 1_000
"""If a user has at most this many items and reviews, every request counts them; otherwise counts are cached.
"""


@dataclass(frozen=True, slots=True)
class Week:
    """A user's work in the last seven days.

    `solved` counts blind answers, `right` those that agreed with the key.
    """

    submitted: int
    reviewed: int
    solved: int
    right: int

    @property
    def is_large(self) -> bool:
        """Return whether the counts are so large that they are cached."""
        return self.submitted + self.reviewed > COUNTED_AT_EACH_LOOK


def week_of(user: User, projects: Sequence[Mine]) -> Week:
    """Return the user's work of the last seven days in these projects.

    Large counts are cached for a minute.
    """
    among = [mine.project.pk for mine in projects]
    name = ":".join(map(str, ("week:1", user.pk, user.date_joined.timestamp(), *among)))
    return cached(name, lambda: _week(user, among), is_large=lambda week: week.is_large)


def _week(user: User, among: Sequence[int]) -> Week:
    """Return the numbers of items submitted, solved and reviewed in the last seven days."""
    since = timezone.now() - timedelta(days=7)
    reviews = Review.objects.filter(reviewer=user, project__in=among, judged_at__gte=since).aggregate(
        reviewed=Count("pk"),
        solved=Count("pk", filter=Q(is_correct__isnull=False, misclick=False)),
        right=Count("pk", filter=Q(is_correct=True, misclick=False)),
    )
    written, when, person = work_rows(SUBMITTED)
    mine = written.filter(**{person: user, f"{when}__gte": since}, item__project__in=among)
    return Week(submitted=mine.count(), **reviews)
