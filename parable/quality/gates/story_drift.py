"""A gate that tests whether all items of a story have the same story text."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from parable.formats.records import ItemRecord
from parable.quality.gates.base import NOT_APPLICABLE, OK, WARNING, Gate, GateResult, ItemSet
from parable.quality.story_groups import similarity
from parable.sentences import gettext_noop as _

ONE_STORY: Final = 0.4
"""Texts with the same title are one story if they share at least this proportion of their units."""


MISSING: Final = _("Items without a story: %(n)d.")


class StoryDrift(Gate):
    """Find items without a story, and stories whose text differs between items, even by a space.

    A missing story counts only if most items of the task have a story.
    """

    id: ClassVar = "story_drift"
    name: ClassVar = _("Stories with two texts, or without one")
    looks_at: ClassVar = _(
        "Items whose story text differs from that of its other items, even by a space, and items without a"
        " story where most others have one."
    )
    needs: ClassVar = _("It needs the text of each story, and its title or ID.")
    why: ClassVar = _(
        "Items of one story then refer to different texts, and tools that match stories by text may put them"
        " into both splits. Without its story an item cannot be answered."
    )
    fix: ClassVar = _(
        "Choose one wording and put it into all items of the story; add stories that are missing. Confirm or"
        " reject suggested story groups."
    )
    parts: ClassVar = ()  # it checks the items of a release only

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result for all tasks.

        The figure is the number of items that have no story text, or another text than most items of their
        story.
        """
        named = [item for item in items.items if item.story and (item.story_id or item.title)]
        missed = _without_story(items.items)
        if not named and not missed:
            return [GateResult(self.id, None, NOT_APPLICABLE, looked_at=len(items.items))]
        unlike = unlike_the_rest(named, items.suspected or {})
        found = {(named[place].task, named[place].id) for place in unlike} | missed
        return [
            GateResult(
                self.id,
                None,
                WARNING if found else OK,
                figure=len(found),
                threshold=0,
                items=tuple(item.id for item in items.items if (item.task, item.id) in found),
                looked_at=len(named) + len(missed),
                detail={"missing": len(missed)},
            )
        ]

    def facts(self, detail: Mapping[str, Any], say: Callable[[str], str]) -> list[str]:
        """Return a sentence with the number of items without a story; [] if there are none."""
        missing = detail.get("missing")
        return [say(MISSING) % {"n": missing}] if missing else []


def unlike_the_rest(items: Sequence[ItemRecord], suspected: Mapping[str, str]) -> list[int]:
    """Return the positions of items whose story text is not the most frequent one of their story."""
    places = {id(item): place for place, item in enumerate(items)}
    return [places[id(item)] for group in _stories(items, suspected) for item in _unlike_the_rest(group)]


def _without_story(items: Sequence[ItemRecord]) -> set[tuple[str, str]]:
    """Return the names of items without a story, in tasks where most items have a story."""
    have = Counter(item.task for item in items if item.story.strip())
    lack = Counter(item.task for item in items if not item.story.strip())
    missed = {task for task, n in lack.items() if n < have[task]}
    return {(item.task, item.id) for item in items if item.task in missed and not item.story.strip()}


def _stories(items: Iterable[ItemRecord], suspected: Mapping[str, str]) -> Iterator[list[ItemRecord]]:
    """Yield the items of each story: grouped by id or suspected group, else by title and similar text."""
    by_id: defaultdict[str, list[ItemRecord]] = defaultdict(list)
    by_title: defaultdict[str, list[ItemRecord]] = defaultdict(list)
    for item in items:
        name = suspected.get(item.story_id or "", item.story_id)
        (by_id[name] if name else by_title[item.title]).append(item)
    yield from by_id.values()
    for group in by_title.values():
        yield from _by_likeness(group)


def _by_likeness(items: Iterable[ItemRecord]) -> list[list[ItemRecord]]:
    groups: list[list[ItemRecord]] = []
    for item in items:
        for group in groups:
            first = group[0].story
            if first == item.story or similarity(first, item.story) >= ONE_STORY:
                group.append(item)
                break
        else:
            groups.append([item])
    return groups


def _unlike_the_rest(group: list[ItemRecord]) -> list[ItemRecord]:
    """Return the items whose story text is not the most frequent text.

    Of equally frequent texts, the last in alphabetical order counts as most frequent.
    """
    counts = Counter(item.story.strip() for item in group)
    usual = max(counts, key=lambda text: (counts[text], text))  # a text with more space sorts first
    return [item for item in group if item.story.strip() != usual]
