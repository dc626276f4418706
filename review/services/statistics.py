"""Services that compute a project's review statistics; a worker runs them on order or once a day."""

from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import system_account
from core.errors import require
from jobs.models import Job
from jobs.services import order_job
from projects.models import Project
from review.figures import review_figures, scale_figures
from review.models import ReviewStatistics
from review.permissions import may_change_reviews
from review.queries.statistics import (
    STATISTICS,
    chosen_rows,
    expected_items,
    kind_figures,
    last_review,
    overlap,
    projects_to_count,
    rated_rows,
    scaled_rows,
    solved_rows,
    worked_rows,
)
from review.rater_figures import key_figures, most_changed, severity_figures
from review.services.model_rater import count_judges


@transaction.atomic
def order_statistics(*, actor: User, project: Project) -> Job:
    """Order a new count of the project's statistics. The caller dispatches the job after the commit."""
    require(may_change_reviews(actor, project))
    return order_job(actor=actor, project=project, kind=STATISTICS, subject=project.pk, again=True)


@transaction.atomic
def order_stale_statistics() -> list[int]:
    """Order a count of statistics that are missing or a day old, and return the ids of the projects."""
    found = projects_to_count()
    for project in Project.objects.filter(pk__in=found):
        order_job(
            actor=system_account(), project=project, kind=STATISTICS, subject=project.pk, is_capped=False
        )
    return found


def count_statistics(*, project_id: int) -> None:
    """Compute the statistics of a project and save them. Safe to run twice."""
    project = Project.objects.get(pk=project_id)
    begun, upto = timezone.now(), last_review(project)
    figures = review_figures(
        rated_rows(project), solved_rows(project), worked_rows(project), categories=project.max_rating + 1
    )
    twice, submitted = overlap(project)
    kept = figures.as_json()
    kept["scales"] = [asdict(one) for one in scale_figures(scaled_rows(project))]
    severity, adjusted = severity_figures(rated_rows(project), project.max_rating + 1)
    kept["severity"] = asdict(severity)
    kept["adjusted"] = [asdict(one) for one in most_changed(adjusted)]
    keys = key_figures(list(chosen_rows(project)))
    kept["keys"] = None if keys is None else asdict(keys)
    kept |= count_judges(project)
    kept["kinds"] = {task: [asdict(one) for one in found] for task, found in kind_figures(project).items()}
    kept["overlap"] = {"twice": twice, "submitted": submitted, "expected": expected_items(project)}
    # Recorded as of the beginning of the count, so that an order made meanwhile is not considered fulfilled.
    ReviewStatistics.objects.update_or_create(
        project=project,
        defaults={
            "counted_at": begun,
            "counted_upto": upto,
            "figures": kept,
            "adjusted": [asdict(one) for one in adjusted],
        },
    )
