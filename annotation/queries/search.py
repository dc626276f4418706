"""Queries that find items by number, source id, title of the story, or text. Reads only.

Searches return only items that the user may see. The command palette does not search options, since a hit
would reveal more than a blind reviewer may know.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import Item, ItemText, KeyExposure, RevisionAuthor
from annotation.queries.item import is_seen_by
from core.numbers import whole_number
from corpus.models import Story
from corpus.queries import named
from projects.models import Project
from projects.queries import first_of_each
from web import bigrams

MOST_STORIES: Final = 20
WORDS: Final = ""
STEM: Final = "stem"
OPTIONS: Final = "options"
KEY: Final = "key"
_COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    WORDS: ("ids", "stem", "options"),
    STEM: (STEM,),
    OPTIONS: (OPTIONS,),
    KEY: (KEY,),
}
"""The columns to search, by scope.

The scope of keys requires `is_key_known`, as the absence of a hit reveals something, too.
"""


def items_named(
    user: User, projects: Sequence[Project], q: str, *, released: Iterable[int] = (), most: int
) -> list[Item]:
    """Search the items that this user may see by id, then by words of the stem.

    First come the items that `q` identifies, then those whose stem has all its words; each group is newest
    first. `released`: ids of the items that `q` identifies in releases. `most`: the limit for each project.
    """
    seen = Item.objects.filter(is_seen_by(user, projects), project=OuterRef("pk")).order_by("-pk")
    # two queries, each with its own index: one condition for both would read every item of the project
    hits = [
        first_of_each(projects, seen.filter(asked), most)
        for asked in (_named(projects, q, released), holding(q.split(), STEM))
    ]
    numbers: list[int] = []
    for project in projects:
        of_project = dict.fromkeys(pk for hit in hits for pk in hit[project.pk])  # each id once
        numbers += list(of_project)[:most]
    found = Item.objects.select_related("story__current", "current").in_bulk(numbers)
    return [found[pk] for pk in numbers]


def _named(projects: Sequence[Project], q: str, released: Iterable[int]) -> Q:
    number = whole_number(q.removeprefix("#"))
    if number is not None:
        return Q(pk__in=[number, *released]) | Q(ref=q)
    stories = Story.objects.filter(named(q), project=OuterRef("pk")).order_by("pk")
    found = first_of_each(projects, stories, MOST_STORIES)
    about = [pk for first in found.values() for pk in first]
    return Q(ref=q) | Q(pk__in=list(released)) | Q(story__in=about)


def holding(terms: Sequence[str], scope: str = WORDS) -> Q:
    """Return a `Q` on items that contain all terms in the columns of the scope."""
    return bigrams.holding(ItemText, terms, _COLUMNS[scope])


def keys_known(user: User, items: Iterable[int]) -> set[int]:
    """Return the ids of the items in `items` whose key the user already knows."""
    found: QuerySet[Item] = Item.objects.filter(is_key_known(user), pk__in=list(items))
    return set(found.values_list("pk", flat=True))


def is_key_known(user: User) -> Q:
    """Return a `Q` on items whose key this user has written or seen."""
    wrote = RevisionAuthor.objects.filter(user=user, revision=OuterRef("current"))
    seen = KeyExposure.objects.filter(user=user)
    return Q(
        Exists(wrote)
        | Exists(seen.filter(item=OuterRef("pk")))
        | Exists(seen.filter(story=OuterRef("story"), task=OuterRef("task")))
    )


def all_keys_known(user: User) -> Q:
    """Return a `Q` equal to `is_key_known` but faster for many items, as it begins with the user's rows."""
    items, seen = Item.objects.order_by().values("pk"), KeyExposure.objects.filter(user=user)
    known = items.filter(current__in=RevisionAuthor.objects.filter(user=user).values("revision")).union(
        seen.filter(item__isnull=False).values("item"),
        items.filter(story__exposures__user=user, story__exposures__task=F("task")),
    )
    return Q(pk__in=known)
