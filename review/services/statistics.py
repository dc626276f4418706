"""Counting the figures of a project's reviews: ordered by people or by the clock, done by a worker."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.errors import require
from projects.models import Project
from review.figures import review_figures
from review.models import ReviewStatistics
from review.permissions import may_see_statistics
from review.queries.statistics import (
    expected_items,
    last_review,
    overlap,
    rated_rows,
    solved_rows,
    worked_rows,
)


@transaction.atomic
def order_statistics(*, actor: User, project: Project) -> ReviewStatistics:
    """Ask for fresh figures; tell a worker once the transaction stands."""
    require(may_see_statistics(actor, project))
    now = timezone.now()
    found, _made = ReviewStatistics.objects.update_or_create(project=project, defaults={"wanted_at": now})
    return found


def count_statistics(*, project_id: int) -> None:
    """Count the figures of a project afresh; safe to run twice."""
    project = Project.objects.get(pk=project_id)
    begun, upto = timezone.now(), last_review(project)
    figures = review_figures(
        rated_rows(project), solved_rows(project), worked_rows(project), categories=project.max_rating + 1
    )
    twice, submitted = overlap(project)
    figures["overlap"] = {"twice": twice, "submitted": submitted, "expected": expected_items(project)}
    # Said to be as old as the moment counting began: a wish that came meanwhile is not yet fulfilled.
    ReviewStatistics.objects.update_or_create(
        project=project, defaults={"counted_at": begun, "counted_upto": upto, "figures": figures}
    )
