"""Partial inputs for baselines: an item without its story, without its stem, or with another story.

The prompt is the same, with a note in place of the missing part, so that only the content differs.
"""

# Names gates: a question that is asked without its story.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

WHOLE: Final = ""
NO_STORY: Final = "no_story"
NO_STEM: Final = "no_stem"
OTHER_STORY: Final = "other_story"
PARTIAL_INPUTS: Final = (NO_STORY, NO_STEM, OTHER_STORY)

WITHHELD: Final[Mapping[str, str]] = MappingProxyType({"zh": "（未提供）", "en": "(not given)"})
"""Text in place of a withheld story or stem, by language."""


def other_stories(stories: Mapping[str, str], seed: str) -> dict[str, str]:
    """Return the text of another story for each story id.

    The seed decides which story. Return {} if all stories have the same text.
    """
    drawn = sorted(stories, key=lambda name: sha256(f"{seed}:{name}".encode()).hexdigest())
    found = {}
    for place, name in enumerate(drawn):
        turned = (*drawn[place + 1 :], *drawn[:place])
        other = next((one for one in turned if stories[one] != stories[name]), None)
        if other is not None:
            found[name] = stories[other]
    return found


def partial_item(probe: str, item: Mapping[str, Any], others: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a released item as changed by a probe.

    `others` has, by the identity of each story, the text of another story.
    """
    if probe == WHOLE:
        return item
    if probe == OTHER_STORY:
        return {**item, "story": others[story_of(item)]}
    withheld = WITHHELD.get(str(item["language"]).partition("-")[0].lower(), WITHHELD["en"])
    return {**item, ("story" if probe == NO_STORY else "question"): withheld}


def story_of(item: Mapping[str, Any]) -> str:
    """Return the identity of an item's story: its id, or its text if it has no id."""
    return str(item["story_id"] or item["story"])


def stories_in(items: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the text of each story of these items, by the story's identity."""
    return {story_of(item): str(item["story"]) for item in items}
