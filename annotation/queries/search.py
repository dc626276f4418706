"""Items by number, by the id of their source, or by the title of their story. Reads only.

Nothing that must not be seen before an item is answered is looked into: neither stems nor options.
"""

from typing import Final

from django.db.models import Q

from accounts.models import User
from annotation.models import Item, RevisionAuthor
from corpus.queries import find_stories
from projects.models import Project
from projects.permissions import Permission, permissions_of

LARGEST: Final = 2**63 - 1
MOST_STORIES: Final = 20


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
