"""Queries of users' exposure to keys, and SQL conditions on exposure with a parameter `user`."""

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
"""SQL condition: this user has seen the key of an item, or the key of another item that reveals it.

Items about the same story or another wording of it, confirmed as a group, share the key.
"""


def is_exposed(user: User, story: Story, task: str) -> bool:
    """Return whether this user knows the key that all items of this task about the story share.

    For the key of a single item, use `SEEN`.
    """
    return KeyExposure.objects.filter(user=user, story=story, task=task).exists()


def has_seen_moral(user: User, story: Story) -> bool:
    """Return whether this user knows the keys of all tasks whose key is the story's moral."""
    return all(is_exposed(user, story, task) for task in codes("key_from_moral"))


def is_moral_seen(user: User) -> Q:
    """Return a `Q` on rows with a story: this user has seen its moral (see `has_seen_moral`)."""
    seen = Q()
    for task in codes("key_from_moral"):
        seen &= Q(Exists(KeyExposure.objects.filter(user=user, story=OuterRef("story"), task=task)))
    return seen


def morals_seen(user: User) -> QuerySet[KeyExposure, int | None]:
    """Return the ids of the stories whose moral this user has seen."""
    first, *others = codes("key_from_moral")
    seen = KeyExposure.objects.filter(user=user, task=first)
    for task in others:
        seen = seen.filter(Exists(KeyExposure.objects.filter(user=user, story=OuterRef("story"), task=task)))
    return seen.filter(story__isnull=False).values_list("story", flat=True)


def must_ask_before_moral(user: User, story: Story) -> bool:
    """Return whether to warn the user before displaying the moral of the story.

    A user who has seen the moral cannot solve the story's items blind. A story without a moral counts, too,
    if others have items about it: the form reveals which wordings are their keys.
    """
    if has_seen_moral(user, story):
        return False
    others = Item.objects.filter(story=story, task__in=codes("key_from_moral")).exclude(writer=user)
    return bool(story.current and story.current.moral) or others.exists()
