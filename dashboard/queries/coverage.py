"""Queries that count, for each story, the items of each commonsense type ("coverage")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, overload

from django.db import connection
from django.db.models import Count

from annotation.models import Item, State
from annotation.plan import Target
from annotation.queries.item import NOT_COUNTED
from annotation.queries.plan import targets_of
from corpus.models import Story
from corpus.queries import in_units, story_unit
from projects.models import CommonsenseType, Project
from projects.queries import current_types
from web.cached_counts import cached, named

Row: TypeAlias = tuple[str, int, int]
MOST_STORIES: Final = 18
MOST_ITEMS: Final = 2**31 - 1
COVERING: Final = tuple(state.value for state in State if state not in NOT_COUNTED)
"""The states in which an item counts for coverage."""
COUNTED_ANEW: Final = 1_000
"""In projects with at most this many stories, every request counts the items; in larger ones, counts are
cached.
"""
BUCKETS: Final = (0, 1, 2, 3)
"""Stories are grouped by their number of items of a type: 0, 1, 2, and 3 or more."""

# Raw SQL: the ORM would join the table of revisions, which takes as long as all the rest, and read twice.
# All wordings of a story count as one story, identified by its first wording. The columns of the rows:
# "type": type, 1 to 3 items, number of stories; "share": type, items; "story": story, types, items by type;
# "cell": story, type, items. "met", "has" and "all" have one row each: the number of stories that meet all
# targets, of items that the targets require and the stories have, and of all stories.
_LINKS: Final = """
    WITH wordings AS MATERIALIZED (
        SELECT id, first_value(id) OVER (PARTITION BY coalesce(-group_id, id) ORDER BY id) AS story_id
        FROM corpus_story WHERE project_id = %(project)s
    ), links AS MATERIALIZED (
        SELECT wordings.story_id, link.type_id, count(*) AS n
        FROM annotation_item AS item
        JOIN annotation_revisiontype AS link ON link.revision_id = item.current_id
        JOIN wordings ON wordings.id = item.story_id
        WHERE item.project_id = %(project)s AND item.state <> ALL(%(not_counted)s)
            AND link.type_id = ANY(%(types)s)
        GROUP BY wordings.story_id, link.type_id
    ), found AS (
        SELECT story_id, count(*) AS types, sum(n)::bigint AS n FROM links GROUP BY story_id
    )"""
_COVERAGE: Final = f"""{_LINKS}, few AS (
        SELECT story.id, coalesce(found.types, 0) AS types, coalesce(found.n, 0) AS n
        FROM wordings AS story LEFT JOIN found ON found.story_id = story.id
        WHERE story.id = story.story_id ORDER BY types, n, story.id LIMIT %(stories)s
    ), met AS (
        SELECT links.story_id FROM links
        JOIN unnest(%(types)s::bigint[], %(wanted)s::int[]) AS target (type_id, n) USING (type_id)
        WHERE target.n > 0 AND links.n >= target.n
        GROUP BY links.story_id HAVING count(*) = %(kinds_wanted)s
    )
    SELECT 'type', type_id, least(n, %(most)s), count(*) FROM links GROUP BY 2, 3
    UNION ALL SELECT 'share', type_id, 0, sum(n)::bigint FROM links GROUP BY type_id
    UNION ALL SELECT 'story', id, types, n FROM few
    UNION ALL SELECT 'cell', story_id, type_id, n FROM links WHERE story_id IN (SELECT id FROM few)
    UNION ALL SELECT 'met', 0, 0, count(*) FROM met
    UNION ALL SELECT 'has', 0, 0, coalesce(sum(least(links.n, target.n)), 0)::bigint FROM links
        JOIN unnest(%(types)s::bigint[], %(wanted)s::int[]) AS target (type_id, n) USING (type_id)
    UNION ALL SELECT 'all', 0, 0, count(DISTINCT story_id) FROM wordings
"""  # noqa: S608 - put together from the part above
# The columns of a page's rows: story, number of its types, a type, items of this type, number of all stories.
_STORIES: Final = """
    FROM wordings AS story
    LEFT JOIN found ON found.story_id = story.id
    LEFT JOIN links AS one ON one.story_id = story.id AND one.type_id = %(type)s
    WHERE story.id = story.story_id AND coalesce(one.n, 0) BETWEEN %(least)s AND %(most)s
"""
_ALL: Final = "(SELECT count(*) FROM wordings)"
_COUNT: Final = f"{_LINKS} SELECT count(*), {_ALL} {_STORIES}"
_PAGE: Final = f"""{_LINKS}, page AS (
        SELECT story.id, coalesce(found.types, 0) AS types, coalesce(found.n, 0) AS n {_STORIES}
        ORDER BY types, n, story.id LIMIT %(limit)s OFFSET %(offset)s
    )
    SELECT page.id, page.types, coalesce(links.type_id, 0), coalesce(links.n, 0), {_ALL}
    FROM page LEFT JOIN links ON links.story_id = page.id ORDER BY page.types, page.n, page.id
"""  # noqa: S608 - put together from the parts above


@dataclass(frozen=True, slots=True)
class TypeCoverage:
    """A type with its target, the number of its items, and the number of stories in each of `BUCKETS`."""

    type: CommonsenseType
    stories: list[int]
    items: int
    target: Target

    @property
    def shares(self) -> list[float]:
        """The numbers of `stories` as shares of all stories."""
        return [n / (sum(self.stories) or 1) for n in self.stories]

    @property
    def met(self) -> int:
        """The number of stories that meet the type's target for items per story."""
        return sum(self.stories[self.target.per_story :])


@dataclass(frozen=True, slots=True)
class Covered:
    """A story with its number of covered types, and its number of items in total and by type."""

    story: Story
    types: int
    items: int
    by_type: list[int]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of all current types, and the stories that cover the fewest types.

    `met`: how many stories meet all targets (without targets: have an item of each type). `missing`: how many
    items all stories together lack.
    """

    types: list[TypeCoverage]
    least: list[Covered]
    stories: int
    met: int
    missing: int
    has_targets: bool

    @property
    def items(self) -> int:
        """The sum of items over all types; an item of two types counts twice."""
        return sum(one.items for one in self.types)


def coverage(project: Project) -> Coverage:
    """Return the project's coverage of types, in five statements.

    All wordings of a story count as one story.
    """
    kinds, targets = list(current_types(project)), targets_of(project)
    wanted = {kind.pk: targets.get(kind.pk, Target(0)) if targets else Target() for kind in kinds}
    rows = _rows(project, wanted)
    found = {(row, pk, n): count for row, pk, n, count in rows}
    stories = found["all", 0, 0]
    types = []
    for kind in kinds:
        with_items = [found.get(("type", kind.pk, n), 0) for n in BUCKETS[1:]]
        counts = [stories - sum(with_items), *with_items]
        types.append(TypeCoverage(kind, counts, found.get(("share", kind.pk, 0), 0), wanted[kind.pk]))
    least = sorted((types, n, pk) for row, pk, types, n in rows if row == "story")
    met = found["met", 0, 0] if any(target.per_story for target in wanted.values()) else stories
    covered = _least([(pk, types) for types, _n, pk in least], kinds, found)
    asked = stories * sum(target.per_story for target in wanted.values())
    missing = asked - found["has", 0, 0]
    return Coverage(types, covered, stories, met, missing, has_targets=bool(targets))


def _least(
    least: Sequence[tuple[int, int]], kinds: Sequence[CommonsenseType], found: Mapping[Row, int]
) -> list[Covered]:
    stories = Story.objects.select_related("current").in_bulk([pk for pk, _types in least])
    units = {pk: -story.group_id if story.group_id else pk for pk, story in stories.items()}
    items = Item.objects.filter(in_units(units.values(), "story")).exclude(state__in=NOT_COUNTED).order_by()
    counted = dict(items.values_list(story_unit("story")).annotate(n=Count("pk")))
    cells = {pk: [found.get(("cell", pk, kind.pk), 0) for kind in kinds] for pk in stories}
    return [Covered(stories[pk], types, counted.get(units[pk], 0), cells[pk]) for pk, types in least]


@dataclass(frozen=True)
class CoveredStories(Sequence[Covered]):
    """The project's stories with their number of items by type, least covered first.

    Pages are read on demand.

    With `kind`, only stories with at least `least` and at most `most` items of this type.
    """

    project: Project
    kinds: Sequence[CommonsenseType]
    kind: CommonsenseType | None = None
    least: int = 0
    most: int = MOST_ITEMS

    def __len__(self) -> int:
        """Return the number of stories."""
        return int(self._read(_COUNT)[0][0])

    @overload
    def __getitem__(self, part: int) -> Covered: ...
    @overload
    def __getitem__(self, part: slice) -> list[Covered]: ...
    def __getitem__(self, part: int | slice) -> Covered | list[Covered]:
        """Return one story, or the stories of a slice, with a constant number of statements."""
        if isinstance(part, int):
            return self._page(part, 1)[0]
        return self._page(part.start or 0, part.stop - (part.start or 0))

    def _page(self, offset: int, limit: int) -> list[Covered]:
        rows = self._read(_PAGE, offset=offset, limit=limit)
        cells = {("cell", story, kind): n for story, _types, kind, n, _all in rows}
        return _least(list({story: types for story, types, *_ in rows}.items()), self.kinds, cells)

    def _read(self, statement: str, **part: int) -> list[tuple[int, ...]]:
        """Return the rows of a statement. If there are many stories, the rows are cached for a minute."""
        asked: dict[str, Any] = {
            "types": [kind.pk for kind in self.kinds],
            "type": self.kind.pk if self.kind else None,
            "least": self.least if self.kind else 0,
            "most": self.most if self.kind else MOST_ITEMS,
        } | part
        return cached(
            named("coverage:1", self.project, asked),
            lambda: self._rows(statement, asked),
            is_large=lambda rows: any(row[-1] > COUNTED_ANEW for row in rows[:1]),
        )

    def _rows(self, statement: str, asked: dict[str, Any]) -> list[tuple[int, ...]]:
        whose = {"project": self.project.pk, "not_counted": [*map(str, NOT_COUNTED)]}
        with connection.cursor() as cursor:
            cursor.execute(statement, asked | whose)
            return list(cursor.fetchall())


def _rows(project: Project, wanted: Mapping[int, Target]) -> list[tuple[str, int, int, int]]:
    per_story = [target.per_story for target in wanted.values()]
    asked: dict[str, Any] = {
        "project": project.pk, "not_counted": [*map(str, NOT_COUNTED)], "types": list(wanted),
        "most": BUCKETS[-1], "stories": MOST_STORIES, "wanted": per_story,
        "kinds_wanted": sum(map(bool, per_story)),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_COVERAGE, asked)
        return list(cursor.fetchall())
