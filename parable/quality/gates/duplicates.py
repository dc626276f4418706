"""A gate that finds items and stories that occur twice."""

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from parable.formats.records import ItemRecord, one_line, released
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
)
from parable.quality.gates.unit_numbers import asked, columns
from parable.quality.item.words import same_form, same_forms
from parable.sentences import gettext_noop as _

MOST_NAMED: Final = 20
"""The most items with contradictory keys that a result names."""
CONTRADICT: Final = _("Their keys contradict each other, so one is wrong: %(items)s.")
AT_ODDS: Final = _("Groups of equal items whose keys contradict each other: %(n)d.")


class Duplicates(Gate):
    """Find repeated items (errors within a story, else warnings), and stories with two ids (warnings)."""

    id: ClassVar = "duplicates"
    finds_repeats: ClassVar = True
    name: ClassVar = _("Duplicate items and stories")
    looks_at: ClassVar = _(
        "Items with the same stem and options as another, in any order, and stories with two IDs."
    )
    why: ClassVar = _("Duplicates count twice, and if their keys differ, one is wrong.")
    fix: ClassVar = _("Retire or change one of the two. Use one ID per story.")

    def facts(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return a sentence about repeated items with different keys, with their ids or their number.

        Return [] if there are no such items.
        """
        if named := detail.get("contradicting"):
            return [say(CONTRADICT) % {"items": ", ".join(named)}]
        return [say(AT_ODDS) % {"n": detail["at_odds"]}] if detail.get("at_odds") else []

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result for all tasks; the figure is the number of items that repeat an item or story."""
        if not items.items:
            return [GateResult(self.id, None, NOT_APPLICABLE)]
        repeated = items.once(repeated_wordings)
        of_one_story = _of_one_story(items.items, repeated)
        alike = {name_of(items.items[place]) for group in repeated for place in group}
        twice = {name_of(items.items[place]) for group in of_one_story for place in group}
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
                    "at_odds": sum(_is_at_odds(items.items[place] for place in group) for group in repeated),
                    "contradicting": [
                        items.items[place].id
                        for group in repeated
                        if _is_at_odds(items.items[place] for place in group)
                        for place in group
                    ][:MOST_NAMED],
                    "by_story": len(stories),
                },
                leave_out=tuple(
                    items.items[place].id for group in of_one_story or repeated for place in group[1:]
                ),
            )
        ]


def _of_one_story(items: Sequence[ItemRecord], repeated: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return groups of positions of equal items about one story.

    Groups are sorted and have at least two items.
    """
    names: dict[str, str] = {}  # one text with two ids is one story, and two texts with one id are one story
    for item in items if repeated else ():
        name = story_of(item)
        names.setdefault(one_line(item.story) or name, name)
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for number, group in enumerate(repeated):
        for place in group:
            text = one_line(items[place].story) or story_of(items[place])
            groups[number, names[text]].append(place)
    return sorted(group for group in groups.values() if len(group) > 1)


def _is_at_odds(items: Iterable[ItemRecord]) -> bool:
    """Return whether these equal items have different keys."""
    return len({_key(item) for item in items} - {None}) > 1


def _key(item: ItemRecord) -> tuple[str, ...] | None:
    """Return the texts of the right answer, independent of the order of options; None if unknown."""
    if item.own is not None:
        return (json.dumps(kind_of(item.task).question.right(released(item)), sort_keys=True),)
    right = item.answers or (() if item.answer is None else (item.answer,))
    texts = [same_form(item.choices[place]) for place in right]
    return tuple(texts if kind_of(item.task).has_right_order else sorted(texts)) or None


def _repeated_stories(items: Iterable[ItemRecord]) -> set[tuple[str, str]]:
    """Return the names of the items whose story text also occurs under another id."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    texts = [(item, one_line(item.story)) for item in items if item.story_id]
    for item, words in texts:
        if words:
            ids[words].add(item.story_id or "")
    return {name_of(item) for item, words in texts if len(ids[words]) > 1}


def wording_of(item: ItemRecord) -> Hashable:
    """Return the identifier of an item's wording: stem and options in any order; without these, its texts.

    A number before the stem and white space in the stem are ignored.
    """
    if item.question or item.choices:
        return asked((item.question,)), frozenset(same_forms(item.choices))
    said = kind_of(item.task).question.asked_of(released(item))
    return item.task, one_line(item.story), json.dumps(dict(said), sort_keys=True)


def repeated_wordings(items: ItemSet) -> list[list[int]]:
    """Return groups of positions of items with the same wording.

    The wordings of a million items would need a gigabyte of memory. Therefore hashes are compared first, and
    only the wordings of items with equal hashes are compared.
    """
    own = items.once(columns)
    # numbers that are equal for equal wordings, from the stem and the least and greatest option
    numbers = own.stems.copy()
    have_options = np.flatnonzero(own.sizes)
    for extreme, factor in ((np.minimum, 3), (np.maximum, 5)):
        numbers[have_options] += factor * extreme.reduceat(own.forms, own.starts[have_options])
    for place, item in enumerate(items.items):
        if not item.choices and not item.question:
            numbers[place] = hash(wording_of(item))
    _known, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place in np.flatnonzero(counts[places] > 1).tolist():
        groups[wording_of(items.items[place])].append(place)
    return [group for group in groups.values() if len(group) > 1]
