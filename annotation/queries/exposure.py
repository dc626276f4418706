"""Who is exposed to what: as a part of statements that know a `user`. Reads only."""

from typing import Final

SEEN: Final = """(EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen WHERE seen.user_id = %(user)s AND seen.item_id = {item}
) OR EXISTS (
    SELECT 1 FROM annotation_keyexposure AS seen
    WHERE seen.user_id = %(user)s AND seen.story_id = {story} AND seen.task = {task}
))"""
"""Whether this person has been shown the key of an item, or what gives it away for all of its story."""
