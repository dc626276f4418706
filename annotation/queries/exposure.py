"""Who is exposed to what: as a part of statements that know a `user`. Reads only."""

from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.models import (
    Item,
    KeyExposure,
)
from corpus.models import Story
from parable.kinds import codes

SEEN: Final = """(EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen WHERE seen.user_id = %(user)s AND seen.item_id = {item}
) OR EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen
    WHERE seen.user_id = %(user)s AND seen.story_id = {story} AND seen.task = {task}
) OR EXISTS (
    SELECT 1 FROM corpus_story AS worded JOIN corpus_story AS other ON other.group_id = worded.group_id
    JOIN annotation_keyexposure AS seen ON seen.story_id = other.id
    WHERE worded.id = {story} AND seen.user_id = %(user)s AND seen.task = {task}
))"""
"""Whether this person has been shown the key of an item, or what gives it away for all of its story.

Wordings of one story, confirmed as a group, share what gives their keys away.
"""


def is_exposed(user: User, story: Story, task: str) -> bool:
    """Whether this person knows the key that the story's items of the task share, and so is not blind to it.

    For one item of any task: `annotation.queries.exposure.SEEN`.
    """
    return KeyExposure.objects.filter(user=user, story=story, task=task).exists()


def has_seen_moral(user: User, story: Story) -> bool:
    """Whether this person is exposed to every task whose key is the story's moral."""
    return all(is_exposed(user, story, task) for task in codes("key_from_moral"))


def is_moral_seen(user: User) -> Q:
    """Rows with a story of which this is so: `has_seen_moral` for many at once."""
    seen = Q()
    for task in codes("key_from_moral"):
        seen &= Q(Exists(KeyExposure.objects.filter(user=user, story=OuterRef("story"), task=task)))
    return seen


def morals_seen(user: User) -> QuerySet[KeyExposure, int | None]:
    """The numbers of the stories of which this is so."""
    first, *others = codes("key_from_moral")
    seen = KeyExposure.objects.filter(user=user, task=first)
    for task in others:
        seen = seen.filter(Exists(KeyExposure.objects.filter(user=user, story=OuterRef("story"), task=task)))
    return seen.filter(story__isnull=False).values_list("story", flat=True)


def must_ask_before_moral(user: User, story: Story) -> bool:
    """Whether being shown the story's moral costs this person their blindness, so that they are asked.

    Where it has none, the sheet still reveals which wordings are the keys of others' items.
    """
    if has_seen_moral(user, story):
        return False
    others = Item.objects.filter(story=story, task__in=codes("key_from_moral")).exclude(writer=user)
    return bool(story.current and story.current.moral) or others.exists()
