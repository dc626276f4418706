"""Hints on surface cues that distinguish keys from distractors across items: length and typical phrases."""

from django.core.cache import cache

from accounts.models import User
from annotation.queries.sibling import newest_items, own_items
from parable.kinds import first_code
from parable.quality.phrases import Telling, find_phrases, telling_phrases
from parable.quality.shares import FEWEST_ITEMS, Share, longest_keys
from projects.models import Project
from web.cached_counts import named

KEPT_SECONDS = 600


def own_longest(user: User, project: Project) -> Share | None:
    """Return the share of this writer's newest items whose key is the longest option.

    Return None if the writer has fewer than `FEWEST_ITEMS` items.
    """
    share = longest_keys(own_items(user, project))
    return share if share.items >= FEWEST_ITEMS else None


def telling_in(text: str, project: Project) -> tuple[Telling, ...]:
    """Return the phrases in a text that are typical of the project's keys; () for a blank text.

    The typical phrases are computed from the newest moral items (see `newest_items`) and cached for ten
    minutes, so that the time does not grow with the project.
    """
    if not text.strip():
        return ()
    name = named("telling-phrases:1", project)
    telling: tuple[Telling, ...] | None = cache.get(name)
    if telling is None:
        telling = telling_phrases(newest_items(project, first_code("has_machine_style")))
        cache.set(name, telling, KEPT_SECONDS)
    return find_phrases(text, telling)
