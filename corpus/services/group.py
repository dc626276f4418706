"""Searches for stories that are nearly the same: ordered after an import, run by a worker, never merging."""

from django.db import transaction

from accounts.models import User
from core.errors import require
from corpus.models import SimilarPair, Story
from corpus.queries import SEARCH
from jobs.models import Work
from jobs.services import order_work
from parable.quality.resemblance import similar_pairs
from projects.models import Project
from projects.permissions import may_manage


def order_search(*, actor: User, project: Project) -> Work:
    """Write down that the project's stories are to be compared; one that waits already is enough.

    While one runs, it is ordered anew: the stories that have come since are to be compared as well.
    """
    require(may_manage(actor, project))
    return order_work(actor=actor, project=project, kind=SEARCH, subject=project.pk, again=True)


def find_similar(*, project_id: int) -> int:
    """Compare the project's stories and keep the pairs; returns how many were compared. Safe to run twice."""
    rows = Story.objects.filter(project=project_id).order_by("pk").values_list("pk", "current__text")
    stories = list(rows)
    pairs = similar_pairs([text or "" for _pk, text in stories])
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project_id)
        SimilarPair.objects.filter(project=project_id).delete()
        SimilarPair.objects.bulk_create(
            SimilarPair(
                project_id=project_id, first_id=stories[a][0], second_id=stories[b][0], similarity=similarity
            )
            for a, b, similarity in pairs
        )
    return len(stories)
