"""Searches for stories that are nearly the same: ordered after an import, run by a worker, never merging."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.errors import require
from corpus.models import SearchState, SimilarPair, SimilarSearch, Story
from parable.quality.resemblance import similar_pairs
from projects.models import Project
from projects.permissions import may_manage

OPEN = (SearchState.WAITING, SearchState.RUNNING)


@transaction.atomic
def order_search(*, actor: User, project: Project) -> SimilarSearch:
    """Write down that the project's stories are to be compared; one that waits already is enough.

    While one runs, it is ordered anew: the stories that have come since are to be compared as well.
    """
    require(may_manage(actor, project))
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    found = SimilarSearch.objects.filter(project=project, state__in=OPEN).first()
    if found is None:
        return SimilarSearch.objects.create(project=project, ordered_by=actor)
    if found.state == SearchState.RUNNING:
        found.state = SearchState.WAITING
        found.save(update_fields=["state", "touched_at"])
    return found


def run_search(*, search_id: int) -> bool:
    """Compare the project's stories and keep the pairs; answers whether there was anything to do.

    Safe to run twice: whoever takes a waiting row runs it, and only one that was not ordered anew
    meanwhile is done.
    """
    mine = SimilarSearch.objects.filter(pk=search_id, state=SearchState.WAITING)
    if not mine.update(state=SearchState.RUNNING, touched_at=timezone.now()):
        return False
    search = SimilarSearch.objects.get(pk=search_id)
    stories = list(
        Story.objects.filter(project=search.project_id).order_by("pk").values_list("pk", "current__text")
    )
    pairs = similar_pairs([text or "" for _pk, text in stories])
    with transaction.atomic():
        held = SimilarSearch.objects.select_for_update().get(pk=search_id)
        if held.state != SearchState.RUNNING:
            return True
        held.pairs.all().delete()
        SimilarPair.objects.bulk_create(
            SimilarPair(search=held, first_id=stories[a][0], second_id=stories[b][0], similarity=similarity)
            for a, b, similarity in pairs
        )
        held.state, held.stories = SearchState.DONE, len(stories)
        held.save(update_fields=["state", "stories", "touched_at"])
        SimilarSearch.objects.filter(project=search.project_id).exclude(pk=search_id).delete()
    return True


def fail_search(*, search_id: int) -> None:
    """Note that a fault of ours ended a search."""
    SimilarSearch.objects.filter(pk=search_id, state=SearchState.RUNNING).update(state=SearchState.FAILED)


def retake_search(*, search: SimilarSearch) -> None:
    """Let a search that a killed worker left behind wait again."""
    SimilarSearch.objects.filter(pk=search.pk, state=SearchState.RUNNING).update(
        state=SearchState.WAITING, touched_at=timezone.now()
    )
