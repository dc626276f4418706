"""Queries of stories, groups of similar stories, and saved mappings of columns."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, NamedTuple, Protocol

from django.db.models import BigIntegerField, Count, Exists, F, Max, OuterRef, Prefetch, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from corpus.models import SavedMapping, SimilarPair, Story, StoryGroup, StoryRevision, StoryText
from jobs.models import Job
from jobs.queries import job_of
from parable.quality.story_groups import join_groups
from parable.reading.differences import Part, word_diff
from projects.models import Project
from projects.queries import roles_of
from web import bigrams

SEARCH: Final = "similar_stories"
TITLE: Final = "title"
TEXT: Final = "text"
_COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "": ("ids", "title", "text"),
    TITLE: (TITLE,),
    TEXT: (TEXT,),
}
"""The columns to search, by scope; never morals, which search results must not reveal to reviewers."""
_NUMBER: Final = re.compile(r"#[0-9]{1,18}")


def stories(project: Project) -> QuerySet[Story]:
    """Return all stories of the project with their current revisions, oldest first."""
    return Story.objects.filter(project=project).select_related("current").order_by("pk")


def find_stories(project: Project, *, q: str = "") -> QuerySet[Story]:
    """Return the project's stories whose title or id contains `q`."""
    return stories(project).filter(named(q)) if q else stories(project)


def named(q: str) -> Q:
    """Return a condition (`Q`) for stories whose title or id contains `q`."""
    return Q(current__title__icontains=q) | Q(ref__icontains=q)


def holding(terms: Sequence[str], scope: str = "") -> Q:
    """Return a condition (`Q`) for stories that contain all search terms.

    The terms are searched in title, text, id and source, or only in the `scope` "title" or "text".
    """
    return bigrams.holding(StoryText, terms, _COLUMNS[scope])


def languages_of(project: Project) -> set[str]:
    """Return the languages of the project's stories."""
    return set(Story.objects.filter(project=project).order_by().values_list("language", flat=True).distinct())


class Wording(NamedTuple):
    """A revision of a story with its changes to title and text.

    A list of changes is empty if there are none.
    """

    revision: StoryRevision
    title_changes: list[Part]
    text_changes: list[Part]

    @property
    def is_first(self) -> bool:
        """Whether this is the story's first revision."""
        return self.revision.number == 1

    @property
    def is_about_the_moral(self) -> bool:
        """Whether only the moral changed. The `reason` of such a revision may quote the moral."""
        return not (self.is_first or self.title_changes or self.text_changes)


def wordings(story: Story) -> list[Wording]:
    """Return the story's revisions without their morals, newest first, with their changes.

    Morals are shown on a page of their own, which records its readers.
    """
    found = list(
        StoryRevision.objects.filter(story=story).select_related("author").defer("moral").order_by("-number")
    )
    return [
        Wording(
            revision,
            word_diff(before.title, revision.title) if before and before.title != revision.title else [],
            word_diff(before.text, revision.text) if before and before.text != revision.text else [],
        )
        for revision, before in zip_longest(found, found[1:])
    ]


def titles_of(revisions: Collection[int]) -> dict[int, tuple[str, int]]:
    """Return the title and the number of these revisions of stories, by id."""
    found = StoryRevision.objects.filter(pk__in=revisions).order_by()
    return {pk: (title, number) for pk, title, number in found.values_list("pk", "title", "number")}


def about_the_moral(revisions: Collection[int]) -> set[int]:
    """Return the ids of those revisions that changed only the moral, which their `reason` may quote."""
    before = StoryRevision.objects.filter(
        story=OuterRef("story"), number=OuterRef("number") - 1, title=OuterRef("title"), text=OuterRef("text")
    )
    found = StoryRevision.objects.filter(Exists(before), pk__in=revisions)
    return set(found.values_list("pk", flat=True))


def get_story(*, user: User, project: Project, pk: int) -> Story:
    """Return a story. Raise `Hidden` if the user may not see it."""
    story = stories(project).filter(pk=pk).first() if roles_of(user, project) else None
    if story is None:
        raise Hidden(_("Story not found."))
    return story


def last_search(project: Project) -> Job | None:
    """Return the project's newest search for similar stories; None if there was no search.

    Its result has the number of `stories` compared.
    """
    return job_of(SEARCH, project.pk)


# --- wordings of one story ------------------------------------------------------------------


def story_unit(story: str) -> Coalesce:
    """Return a query expression for the unit of a story: an integer equal for all stories of a group.

    The unit is the negative id of the story's group or, without a group, the story's own id. `story` is the
    lookup path to the story.
    """
    return Coalesce(-F(f"{story}__group"), F(story), output_field=BigIntegerField())


def units_of(stories: Iterable[int]) -> dict[int, int]:
    """Return a dictionary from story id to unit, which all stories of a group share."""
    rows = Story.objects.filter(pk__in=list(stories)).values_list("pk", "group").order_by("pk")
    return {pk: -group if group else pk for pk, group in rows}


def in_units(units: Iterable[int], story: str) -> Q:
    """Return a condition (`Q`) for rows whose story is in one of these units (see `story_unit`).

    `story` is the lookup path to the story.
    """
    named = list(units)
    groups = [-unit for unit in named if unit < 0]
    return Q(**{f"{story}__in": [unit for unit in named if unit > 0]}) | Q(**{f"{story}__group__in": groups})


class Identified(Protocol):
    """The type of a story or item; `ref` is its id in the imported file, or ""."""

    pk: int
    ref: str


def exported_id(row: Identified) -> str:
    """Return the id of a story or item in exports: its `ref`, or else "#" and its primary key."""
    return row.ref or f"#{row.pk}"


def has_exported_id(ids: Iterable[str]) -> Q:
    """Return a condition (`Q`) for stories or items whose id in exports is one of `ids`."""
    wanted = set(ids)
    numbers = [int(name[1:]) for name in wanted if _NUMBER.fullmatch(name)]
    return Q(ref__in=wanted) | Q(ref="", pk__in=numbers)


def group_names(project: Project) -> dict[int, str]:
    """Return the name of the group of each grouped story, by primary key.

    A group is named after the first of its stories' ids, in alphabetical order.
    """
    rows = Story.objects.filter(project=project, group__isnull=False).values_list("pk", "group", "ref")
    first: dict[int | None, str] = {}
    for _pk, group, ref in rows:
        first[group] = min(ref, first.get(group, ref))
    return {pk: first[group] for pk, group, _ref in rows}


def rights_of(stories: QuerySet[Story], names: Mapping[int, str]) -> dict[str, str]:
    """Return the rights of each story by its id, and the joined rights of each group by the group's name.

    The rights are "" if those of any story of the group are unknown.
    """
    found: dict[str, set[str]] = {}
    for pk, ref, rights in stories.order_by("pk").values_list("pk", "ref", "rights"):
        found.setdefault(names.get(pk, ref), set()).add(rights)
    return {name: "" if "" in rights else "; ".join(sorted(rights)) for name, rights in sorted(found.items())}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Stories that are probably wordings of the same story, and the lowest similarity of their pairs."""

    stories: tuple[int, ...]
    similarity: float
    same_title: bool


def suggestions(project: Project) -> list[Suggestion]:
    """Return the groups suggested by the last search that are still undecided, most similar first.

    There are at most as many as stored pairs. A confirmed group joins a suggestion as a whole.
    """
    pairs = list(SimilarPair.objects.filter(project=project).order_by("pk"))
    pairs.sort(key=lambda pair: -pair.similarity)  # not in the database: there, builds sort by keys alone
    found = [pair for pair in pairs if pair.rejected_at is None]
    decided: dict[int | None, list[int]] = {}
    if found:
        grouped = Story.objects.filter(project=project, group__isnull=False).order_by("pk")
        for pk, group in grouped.values_list("pk", "group"):
            decided.setdefault(group, []).append(pk)
    groups = join_groups(
        [(pair.first_id, pair.second_id) for pair in found],
        together=decided.values(),
        apart=[(pair.first_id, pair.second_id) for pair in pairs if pair.rejected_at],
    )
    confirmed = {frozenset(group) for group in decided.values()}
    place = {story: number for number, group in enumerate(groups) for story in group}
    inside: dict[int, list[SimilarPair]] = {}
    for pair in found:
        if place.get(pair.first_id, -1) == place.get(pair.second_id, -2):
            inside.setdefault(place[pair.first_id], []).append(pair)
    return [
        Suggestion(
            tuple(sorted(groups[number])),
            inside[number][-1].similarity,
            all(pair.same_title for pair in inside[number]),
        )
        for number in inside
        if frozenset(groups[number]) not in confirmed
    ]


def suspected_names(project: Project, names: Mapping[int, str]) -> dict[str, str]:
    """Return the names of suggested groups by the names of the stories in them.

    A story in a confirmed group is named as in `names`, other stories by their id.
    """
    found = [one.stories for one in suggestions(project)]
    refs = dict(Story.objects.filter(pk__in=[pk for group in found for pk in group]).values_list("pk", "ref"))
    ids = [[names.get(pk, refs[pk]) for pk in group] for group in found]
    return {name: min(group) for group in ids for name in group}


def what_is_grouped(project: Project) -> list[int]:
    """Return a list of numbers that changes whenever a group or suggestion of the project changes."""
    last = StoryGroup.objects.filter(project=project).aggregate(at=Max("confirmed_at"))["at"]
    grouped = Story.objects.filter(project=project, group__isnull=False).count()
    pairs = SimilarPair.objects.filter(project=project)
    counted = pairs.aggregate(last=Max("pk"), n=Count("pk"), rejected=Count("rejected_at"))
    at = round(last.timestamp() * 1_000_000) if last else 0
    return [grouped, at, counted["last"] or 0, counted["n"], counted["rejected"]]


def confirmed_groups(project: Project) -> QuerySet[StoryGroup]:
    """Return the groups that managers have confirmed, newest first.

    Stories and revisions are prefetched.
    """
    members = Prefetch("stories", stories(project))
    found = StoryGroup.objects.filter(project=project).select_related("confirmed_by")
    return found.prefetch_related(members).order_by("-pk")


def get_group(*, project: Project, pk: int) -> StoryGroup:
    """Return a confirmed group of the project. Raise `Hidden` if there is none."""
    found = StoryGroup.objects.filter(project=project, pk=pk).first()
    if found is None:
        raise Hidden(_("Story group not found."))
    return found


def stories_of_groups(groups: Iterable[int]) -> dict[int, list[int]]:
    """Return the ids of the stories of each of these groups, by the group's id."""
    found: dict[int, list[int]] = {}
    members = Story.objects.filter(group__in=list(groups)).order_by("pk")
    for story, group in members.values_list("pk", "group"):
        found.setdefault(group or 0, []).append(story)
    return found


def get_pair(*, project: Project, pk: int) -> SimilarPair:
    """Return a pair of similar stories of this project. Raise `Hidden` if there is none."""
    pair = SimilarPair.objects.filter(project=project, pk=pk).first()
    if pair is None:
        raise Hidden(_("There is no such pair here."))
    return pair


def rejected_pairs(project: Project) -> QuerySet[SimilarPair]:
    """Return the pairs that managers have decided are different stories, latest decision first."""
    found = SimilarPair.objects.filter(project=project, rejected_at__isnull=False)
    return found.select_related("first__current", "second__current", "rejected_by").order_by(
        "-rejected_at", "pk"
    )


def other_wordings(story: Story) -> QuerySet[Story]:
    """Return the other stories in the group of this story, with their current revisions."""
    return stories(story.project).filter(group=story.group_id, group__isnull=False).exclude(pk=story.pk)


def stories_by_key(members: Iterable[int]) -> dict[int, Story]:
    """Return the stories with these primary keys as a dictionary, with their current revisions."""
    return Story.objects.select_related("current").in_bulk(list(members))


def saved_mappings(project: Project, purpose: str) -> QuerySet[SavedMapping]:
    """Return the project's saved mappings for imports of this purpose, by name."""
    return SavedMapping.objects.filter(project=project, purpose=purpose)


def get_mapping(*, project: Project, purpose: str, pk: int | None = None, name: str = "") -> SavedMapping:
    """Return the saved mapping with this id or name. Raise `Hidden` if there is none."""
    by = {"name": name} if pk is None else {"pk": pk}
    found = saved_mappings(project, purpose).filter(**by).first()
    if found is None:
        raise Hidden(_("There is no such saved mapping."))
    return found
