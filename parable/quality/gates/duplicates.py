"""Whether an item or a story is there twice."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import ClassVar

from parable.formats.options import normalise_option
from parable.formats.records import ItemRecord, released
from parable.kinds import kind_of
from parable.quality.gates.base import (
    ERROR,
    NOT_APPLICABLE,
    OK,
    WARNING,
    Gate,
    GateResult,
    ItemSet,
    name_of,
    story_of,
    wording_of,
)
from parable.sentences import gettext_noop as _


class Duplicates(Gate):
    """Stem and options of one story twice: error; of two stories, or a story under two ids: warning."""

    id: ClassVar = "duplicates"
    name: ClassVar = _("Duplicate items and stories")
    looks_at: ClassVar = _(
        "Items with the same stem and options as another, in any order, and stories with two IDs."
    )
    why: ClassVar = _("Duplicates count twice, and if their keys differ, one is wrong.")
    fix: ClassVar = _("Retire or change one of the two. Use one ID per story.")

    def judge(self, items: ItemSet) -> list[GateResult]:
        """One answer for all tasks; the figure counts items that repeat another, or a story's id."""
        if not items.items:
            return [GateResult(self.id, None, NOT_APPLICABLE)]
        alike, at_odds = _repeated_items(items.items, by_story=False)
        twice, _at_odds = _repeated_items(items.items, by_story=True)
        stories = _repeated_stories(items.items)
        found = alike | stories
        return [
            GateResult(
                self.id,
                None,
                ERROR if twice else WARNING if found else OK,
                figure=len(found),
                threshold=0,
                items=tuple(item.id for item in items.items if (item.task, item.id) in found),
                looked_at=len(items.items),
                detail={
                    "items": len(alike),
                    "of_one_story": len(twice),
                    "at_odds": at_odds,
                    "by_story": len(stories),
                },
                leave_out=_later_ones(items.items, by_story=bool(twice)),
            )
        ]


def _repeated_items(items: Iterable[ItemRecord], *, by_story: bool) -> tuple[set[tuple[str, str]], int]:
    """The items that repeat another's stem and options, and how many such groups disagree on the key."""
    repeated = _alike(items, by_story=by_story)
    at_odds = sum(len({_key(item) for item in group} - {None}) > 1 for group in repeated)
    return {name_of(item) for group in repeated for item in group}, at_odds


def _alike(items: Iterable[ItemRecord], *, by_story: bool) -> list[list[ItemRecord]]:
    """The groups of items whose stem and options are the same."""
    groups: defaultdict[object, list[ItemRecord]] = defaultdict(list)
    names: dict[str, str] = {}  # one text under two ids is one story, and two texts under one id are
    for item in items:
        name = story_of(item)
        story = names.setdefault(" ".join(item.story.split()) or name, name) if by_story else None
        groups[story, wording_of(item)].append(item)
    return [group for group in groups.values() if len(group) > 1]


def _later_ones(items: Iterable[ItemRecord], *, by_story: bool) -> tuple[str, ...]:
    """Of items that are alike all but the first."""
    return tuple(item.id for group in _alike(items, by_story=by_story) for item in group[1:])


def _key(item: ItemRecord) -> tuple[str, ...] | None:
    """What is right in words, in no order that was drawn."""
    if item.own is not None:
        return (json.dumps(kind_of(item.task).question.right(released(item)), sort_keys=True),)
    right = item.answers or (() if item.answer is None else (item.answer,))
    texts = [normalise_option(item.choices[place]) for place in right]
    return tuple(texts if kind_of(item.task).has_right_order else sorted(texts)) or None


def _repeated_stories(items: Iterable[ItemRecord]) -> set[tuple[str, str]]:
    """The items whose story's words stand under another id, too."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    texts = [(item, " ".join(item.story.split())) for item in items if item.story_id]
    for item, words in texts:
        if words:
            ids[words].add(item.story_id or "")
    return {name_of(item) for item, words in texts if len(ids[words]) > 1}
