"""Which commonsense types the items of each story ask for. Reads only, counted in the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection
from django.db.models import Count, Q

from annotation.models import State
from annotation.queries.item import GONE
from corpus.models import Story
from projects.models import CommonsenseType, Project
from projects.queries import current_types

MOST_STORIES: Final = 20
BUCKETS: Final = (0, 1, 2, 3)
"""Stories are counted by how many items of a type they have; the last stands for as many or more."""
NOT_COUNTED: Final = [*map(str, GONE), State.RETIRED.value]

# By hand: the ORM would join the table of revisions, which takes as long as all the rest, and read twice.
# Rows of types: type, 1 to 3 items, stories. Rows of stories: story, types, items by type.
_COVERAGE: Final = """
    WITH links AS MATERIALIZED (
        SELECT item.story_id, link.type_id, count(*) AS n
        FROM annotation_item AS item
        JOIN annotation_revisiontype AS link ON link.revision_id = item.current_id
        WHERE item.project_id = %(project)s AND item.state <> ALL(%(not_counted)s)
            AND link.type_id = ANY(%(types)s)
        GROUP BY item.story_id, link.type_id
    )
    SELECT 'type', type_id, least(n, %(most)s), count(*) FROM links GROUP BY 2, 3
    UNION ALL (
        SELECT 'story', story.id, coalesce(found.types, 0) AS types, coalesce(found.n, 0) AS n
        FROM corpus_story AS story LEFT JOIN (
            SELECT story_id, count(*) AS types, sum(n)::bigint AS n FROM links GROUP BY story_id
        ) AS found ON found.story_id = story.id
        WHERE story.project_id = %(project)s ORDER BY types, n, story.id LIMIT %(stories)s
    )
"""


@dataclass(frozen=True, slots=True)
class TypeCoverage:
    """Of one type, how many stories have 0, 1, 2, and 3 or more items."""

    type: CommonsenseType
    stories: list[int]

    @property
    def shares(self) -> list[float]:
        """The same as shares of all stories."""
        return [n / (sum(self.stories) or 1) for n in self.stories]


@dataclass(frozen=True, slots=True)
class Covered:
    """A story, how many of the current types its items ask for, and how many items it has."""

    story: Story
    types: int
    items: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The current types, and the stories with items of the fewest types, then with the fewest."""

    types: list[TypeCoverage]
    least: list[Covered]


def coverage(project: Project) -> Coverage:
    """In four statements for any number of stories."""
    kinds = list(current_types(project))
    rows = _rows(project, [kind.pk for kind in kinds])
    found = {(pk, n): stories for row, pk, n, stories in rows if row == "type"}
    stories = Story.objects.filter(project=project).count()
    types = [_of(kind, [found.get((kind.pk, n), 0) for n in BUCKETS[1:]], stories) for kind in kinds]
    least = sorted((types, n, pk) for row, pk, types, n in rows if row == "story")
    return Coverage(types, _least([(pk, types) for types, _n, pk in least]))


def _of(kind: CommonsenseType, with_items: list[int], stories: int) -> TypeCoverage:
    return TypeCoverage(kind, [stories - sum(with_items), *with_items])


def _least(found: Sequence[tuple[int, int]]) -> list[Covered]:
    counted = Count("items", filter=~Q(items__state__in=NOT_COUNTED))
    stories = (
        Story.objects.select_related("current").annotate(n=counted).in_bulk([pk for pk, _types in found])
    )
    return [Covered(stories[pk], types, stories[pk].n) for pk, types in found]


def _rows(project: Project, types: list[int]) -> list[tuple[str, int, int, int]]:
    asked: dict[str, Any] = {
        "project": project.pk, "not_counted": NOT_COUNTED, "types": types, "most": BUCKETS[-1],
        "stories": MOST_STORIES,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_COVERAGE, asked)
        return list(cursor.fetchall())
