"""Items of a release that show readers what it contains."""

from itertools import chain, zip_longest
from typing import Final

from release.models import Release, ReleaseItem, Split

SAMPLES: Final = 3
_READ: Final = 20
"""The number of items of each task among which the ones with short stories are chosen."""


def sample_items(release: Release) -> list[ReleaseItem]:
    """Return three dev items with short stories, of different stories and of different tasks if possible.

    They are always dev items: nobody may learn a key of test from a page.
    """
    counted = release.manifest.get("counts", {})
    of_tasks = [_short(release, task) for task in sorted(counted) if counted[task].get(Split.DEV)]
    found = [item for item in chain.from_iterable(zip_longest(*of_tasks)) if item is not None]
    by_story: dict[str, ReleaseItem] = {}
    for item in found:
        by_story.setdefault(item.record["story_id"], item)
    first = list(by_story.values())
    return [*first, *(item for item in found if item not in first)][:SAMPLES]


def _short(release: Release, task: str) -> list[ReleaseItem]:
    """Return dev items of a task, those with the shortest stories first."""
    found = ReleaseItem.objects.filter(release=release, split=Split.DEV, record__task=task)
    first = found.order_by("number")[:_READ]
    return sorted(first, key=lambda item: (len(item.record["story"] or ""), item.number))
