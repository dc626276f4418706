"""Who is exposed to what: as a part of statements that know a `user`. Reads only."""

from typing import Final

from django.db.models import Q

from accounts.models import User
from annotation.models import KeyExposure

SEEN: Final = """(EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen WHERE seen.user_id = %(user)s AND seen.item_id = {item}
) OR EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen
    WHERE seen.user_id = %(user)s AND seen.story_id = {story} AND seen.task = {task}
))"""
"""Whether this person has been shown the key of an item, or what gives it away for all of its story."""


def has_seen_key(user: User, *, item: int, story: int, task: str) -> bool:
    """The same of one item, asked by itself."""
    seen = KeyExposure.objects.filter(user=user)
    return seen.filter(Q(item=item) | Q(story=story, task=task)).exists()
