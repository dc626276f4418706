"""Items by number, by the id of their source, by the title of their story, or by their words. Reads only.

The palette looks into nothing that must not be seen before an item is answered: neither stems nor options.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from accounts.models import User
from annotation.models import Item, KeyExposure, RevisionAuthor
from corpus.queries import find_stories
from projects.models import Project
from projects.permissions import Permission, permissions_of

LARGEST: Final = 2**63 - 1
MOST_STORIES: Final = 20
MOST_TERMS: Final = 6
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
"""Where to search, and in which columns. A search in keys needs `is_key_known`: no hit tells, too."""


def items_named(user: User, project: Project, q: str, *, most: int) -> list[Item]:
    """The items this person may open that `q` names, newest first: a manager's are all, others' their own."""
    found = Item.objects.filter(project=project).select_related("story__current").order_by("-pk")
    if Permission.MANAGE not in permissions_of(user, project):
        found = found.filter(Q(writer=user) | Q(pk__in=RevisionAuthor.objects.items_by(user)))
    number = q.removeprefix("#")
    if number.isdecimal() and number.isascii() and int(number) <= LARGEST:
        named = Q(pk=int(number)) | Q(ref=q)
    else:
        stories = find_stories(project, q=q).values_list("pk", flat=True)[:MOST_STORIES]
        named = Q(ref=q) | Q(story__in=list(stories))
    return list(found.filter(named)[:most])


def holding(terms: Sequence[str], scope: str = WORDS) -> Q:
    """Items whose ids and words, or only their stem, options or key, hold every one of these terms."""
    found = Q()
    for term in terms[:MOST_TERMS]:
        found &= Q(pk__in=_holding(term, _COLUMNS[scope]))
    return found


def _holding(term: str, columns: Iterable[str]) -> RawSQL:
    # the index finds what has the same bigrams; that they follow each other is for the text to say
    said = " OR ".join(f"strpos({column}, parable_fold(%s)) > 0" for column in columns)
    sql = f"""
        SELECT item_id FROM annotation_itemtext
        WHERE ({said}) AND grams @> parable_grams(parable_fold(%s), least(2, length(parable_fold(%s))))
    """  # noqa: S608 - columns are names of ours
    return RawSQL(sql, [*(term for _column in columns), term, term])  # noqa: S611 - terms are parameters


def keys_known(user: User, items: Iterable[int]) -> set[int]:
    """Those of these items whose key this person has written or been shown: seeing it exposes to nothing."""
    found: QuerySet[Item] = Item.objects.filter(is_key_known(user), pk__in=list(items))
    return set(found.values_list("pk", flat=True))


def is_key_known(user: User) -> Q:
    """Items whose key this person has written or been shown."""
    wrote = RevisionAuthor.objects.filter(user=user, revision=OuterRef("current"))
    seen = KeyExposure.objects.filter(user=user)
    return Q(
        Exists(wrote)
        | Exists(seen.filter(item=OuterRef("pk")))
        | Exists(seen.filter(story=OuterRef("story"), task=OuterRef("task")))
    )
