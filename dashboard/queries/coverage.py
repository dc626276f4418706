"""Which commonsense types the items of each story ask for. Reads only, counted in the database."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, F, Q, QuerySet

from annotation.models import RevisionType, State
from annotation.queries.item import GONE
from corpus.models import Story
from projects.models import CommonsenseType, Project
from projects.queries import current_types

MOST_STORIES: Final = 20
BUCKETS: Final = (0, 1, 2, 3)
"""Stories are counted by how many items of a type they have; the last stands for as many or more."""
NOT_COUNTED: Final = (*GONE, State.RETIRED)


@dataclass(frozen=True, slots=True)
class TypeCoverage:
    """Of one type, how many stories have 0, 1, 2, and 3 or more items."""

    type: CommonsenseType
    stories: list[int]

    @property
    def shares(self) -> list[float]:
        """The same as shares of all stories."""
        return [n / (sum(self.stories) or 1) for n in self.stories]


def coverage(project: Project) -> list[TypeCoverage]:
    """By current type, in three statements for any number of stories."""
    types = list(current_types(project))
    per_story = (
        RevisionType.objects.filter(
            revision__item__project=project, revision=F("revision__item__current"), type__in=types
        )
        .exclude(revision__item__state__in=NOT_COUNTED)
        .order_by()
        .values("type", story=F("revision__item__story"))
        .annotate(n=Count("pk"))
    )
    counts = {
        f"of_{kind.pk}_{n}": Count("story", filter=Q(type=kind, **_bucket(n)))
        for kind in types
        for n in BUCKETS[1:]
    }
    found = per_story.aggregate(**counts)
    stories = Story.objects.filter(project=project).count()
    return [_of(kind, [found[f"of_{kind.pk}_{n}"] for n in BUCKETS[1:]], stories) for kind in types]


def _bucket(n: int) -> dict[str, int]:
    return {"n__gte": n} if n == BUCKETS[-1] else {"n": n}


def _of(kind: CommonsenseType, with_items: list[int], stories: int) -> TypeCoverage:
    return TypeCoverage(kind, [stories - sum(with_items), *with_items])


def least_covered(project: Project) -> QuerySet[Story, Any]:
    """The stories with items of the fewest types, then with the fewest items, as `covered` and `n`."""
    counted = Q(items__current__isnull=False) & ~Q(items__state__in=NOT_COUNTED)
    current = counted & Q(items__current__type_links__type__retired_at=None)
    return (
        Story.objects.filter(project=project)
        .select_related("current")
        .annotate(
            covered=Count("items__current__type_links__type", filter=current, distinct=True),
            n=Count("items", filter=counted, distinct=True),
        )
        .order_by("covered", "n", "pk")[:MOST_STORIES]
    )
