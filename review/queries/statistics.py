"""Queries of the rows from which a project's review statistics are computed, and of the last statistics."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, Option, RevisionType
from annotation.queries.published import published_items, published_tasks
from corpus.models import Story
from corpus.queries import story_unit
from jobs.models import Job, JobState
from parable.formats.records import released
from parable.kinds import KINDS
from parable.kinds.published import Figure, figures_of
from projects.models import Project
from review.figures import Rated, Scaled, Solved, Worked
from review.models import Answer, CriterionRating, Review, ReviewStatistics, Stage
from review.queries.item import BLIND_STAGES
from review.queries.sibling import with_key_revealed
from review.rater_figures import Chosen

STALE_AFTER: Final = timedelta(days=1)
STATISTICS: Final = "count_statistics"
"""The kind of the jobs that count review statistics."""
SCALED: Final = [code for code, kind in KINDS.items() if kind.scale]
"""Tasks that have a rating scale of their own."""


def _judged(project: Project) -> QuerySet[Review]:
    """Return the finished cross-check reviews.

    Verifications are excluded: they see only items that passed.
    """
    return Review.objects.filter(project=project, stage=Stage.CROSS_CHECK, judged_at__isnull=False).order_by(
        "pk"
    )


def rated_rows(project: Project) -> Iterator[Rated]:
    """Yield every cross-check rating on the project's scale.

    Reviewers rate without seeing others' ratings.
    """
    rows = _judged(project).filter(rating__isnull=False).exclude(item__task__in=SCALED)
    names = ("revision_id", story_unit("item__story"), "item__task", "reviewer_id", "rating")
    for revision, story, task, reviewer, rating in rows.values_list(*names).iterator():
        yield Rated(revision, story, task, reviewer, rating or 0)


def scaled_rows(project: Project) -> Iterator[Scaled]:
    """Yield every cross-check rating by criterion, for tasks that have their own scale."""
    judged = _judged(project).filter(item__task__in=SCALED)
    by_criterion = CriterionRating.objects.filter(review__in=judged.order_by()).order_by("pk")
    names = ("review__item__task", "criterion", "review__revision_id", "value")
    for row in by_criterion.values_list(*names).iterator():
        yield Scaled(*row)
    alone = judged.filter(rating__isnull=False, ratings=None)
    for task, revision, rating in alone.values_list("item__task", "revision_id", "rating").iterator():
        yield Scaled(task, "", revision, rating or 0)


def kind_figures(project: Project) -> dict[str, list[Figure]]:
    """Return the published statistics by task, for tasks that define them; items in any state count."""
    found: dict[str, list[Figure]] = {}
    for task, _count in published_tasks(project):
        published = KINDS[task].published
        if published is not None and published.figures:
            answered = (item for item in published_items(project, task) if item.is_keyed)
            found[task] = figures_of(published, map(released, answered))
    return found


def solved_rows(project: Project) -> Iterator[Solved]:
    """Yield every blind answer in cross-check that statistics count.

    Misclicks, answers of reviewers who knew the key, and answers whose key is still withheld are excluded.
    """
    types: defaultdict[int, list[int]] = defaultdict(list)
    links = RevisionType.objects.filter(revision__item__project=project)
    for revision, kind in links.values_list("revision_id", "type_id").iterator():
        types[revision].append(kind)
    answered = Review.objects.filter(
        project=project, stage=Stage.CROSS_CHECK, solved_at__isnull=False, blind=True, misclick=False
    )
    rows = with_key_revealed(answered).order_by("pk")
    names = (story_unit("item__story"), "item__task", "reviewer_id", "is_correct", "revision_id")
    for story, task, reviewer, right, revision, style in rows.values_list(*names, "item__style").iterator():
        kinds = tuple(types.get(revision, ()))
        yield Solved(story, task, reviewer, is_correct=bool(right), types=kinds, style=style)


def chosen_rows(project: Project) -> Iterator[Chosen]:
    """Yield every blind answer, in review or verification, that names one option of an item with one key."""
    answered = Review.objects.filter(
        project=project,
        stage__in=BLIND_STAGES,
        answer=Answer.OPTION,
        blind=True,
        misclick=False,
        chosen_option__isnull=False,
    )
    keys = _keys(project)
    names = ("revision_id", story_unit("item__story"), "reviewer_id", "chosen_option__position")
    for revision, story, reviewer, option in with_key_revealed(answered).order_by("pk").values_list(*names):
        if revision in keys:
            yield Chosen(revision, story, reviewer, option, *keys[revision])


def _keys(project: Project) -> dict[int, tuple[int, int]]:
    """Return (number of options, position of the key) by revision id, for revisions with exactly one key."""
    is_key = Q(is_key=True)
    rows = (
        Option.objects.filter(revision__item__project=project)
        .order_by()
        .values_list("revision")
        .annotate(n=Count("pk"), keys=Count("pk", filter=is_key), key=Max("position", filter=is_key))
        .filter(keys=1)
    )
    return {revision: (n, key) for revision, n, _keys, key in rows.iterator()}


def worked_rows(project: Project) -> Iterator[Worked]:
    """Yield the reviewer of every finished cross-check review, and the seconds from claim to answer."""
    rows = _judged(project).filter(solved_at__isnull=False).values_list("reviewer_id", "seconds")
    for reviewer, seconds in rows.iterator():
        yield Worked(reviewer, seconds)


def last_review(project: Project) -> int:
    """Return the id of the project's newest review, or 0. Statistics store it as the last review counted."""
    return Review.objects.filter(project=project).aggregate(last=Max("pk"))["last"] or 0


def overlap(project: Project) -> tuple[int, int]:
    """Return (number of items with two raters in cross-check, number of submitted items)."""
    submitted = Item.objects.filter(project=project, current__isnull=False).count()
    twice = (
        _judged(project)
        .filter(rating__isnull=False)
        .order_by()
        .values("item", "revision")
        .annotate(raters=Count("reviewer", distinct=True))
        .filter(raters__gte=2)
        .values("item")
        .distinct()
        .count()
    )
    return twice, submitted


def expected_items(project: Project) -> int:
    """Return how many items the project will have: those its targets require, or those submitted if more."""
    return max(planned_and_submitted(project))


def planned_and_submitted(project: Project, most: int | None = None) -> tuple[int, int]:
    """Return (number of items that the project's targets require, number of submitted items).

    Each story is to get its commonsense items, one human-style moral item and the machine-style ones. With
    `most`, counting stops one above it, however large the project.
    """
    beyond = None if most is None else most + 1
    planned = planned_items(project, beyond)
    submitted = Item.objects.filter(project=project, current__isnull=False).order_by()[:beyond].count()
    return planned, submitted


def planned_items(project: Project, most_stories: int | None = None) -> int:
    """Return how many items the project's targets require of its stories, or of the first `most_stories`."""
    of_story = project.writers_per_story * project.items_per_writer + 1 + project.machine_items_per_story
    return Story.objects.filter(project=project).order_by()[:most_stories].count() * of_story


def statistics_of(project: Project) -> ReviewStatistics | None:
    """Return the last statistics, or None. The column `adjusted`, used only in files, is deferred."""
    return ReviewStatistics.objects.filter(project=project).defer("adjusted").first()


def names_of(figures: Mapping[str, Any]) -> dict[int, str]:
    """Return the names of the reviewers in the statistics, by user id."""
    people = {row["reviewer"] for row in figures["reviewers"]}
    keys = figures.get("keys")
    people |= {row["person"] for row in keys["reviewers"]} if keys else set()
    return {user.pk: str(user) for user in User.objects.filter(pk__in=people)}


def reviews_since(statistics: ReviewStatistics) -> int:
    """Return the number of reviews begun after these statistics were computed, up to 1,000."""
    newer = Review.objects.filter(project=statistics.project_id, pk__gt=statistics.counted_upto)
    return newer.order_by()[:1000].count()


def projects_to_count() -> list[int]:
    """Return the ids of projects whose statistics are missing or a day old.

    Projects in which a count has failed within the last day are left out.
    """
    limit = timezone.now() - STALE_AFTER
    failed = Job.objects.filter(kind=STATISTICS, state=JobState.FAILED, created_at__gt=limit)
    failed_in = failed.values("project")
    found = ReviewStatistics.objects.filter(counted_at__lt=limit).exclude(project__in=failed_in)
    reviewed = Review.objects.filter(project=OuterRef("pk"), judged_at__isnull=False)
    counted = ReviewStatistics.objects.filter(project=OuterRef("pk"))
    missing = Project.objects.filter(Exists(reviewed), ~Exists(counted))
    missing = missing.exclude(pk__in=failed_in)
    return [*found.values_list("project_id", flat=True), *missing.values_list("pk", flat=True)]
