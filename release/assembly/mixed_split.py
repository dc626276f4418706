"""The mixed split: some stories are entirely in dev, some are shared between dev and test, others in test."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from parable.splits import DEV, TEST
from release.assembly.assembly_items import AssemblyItem
from release.assembly.draws import Draw

_SHARED: Final = "shared"
_PAIR: Final = (DEV, TEST)


def shared_stories(share: Fraction, stories: int, out_stories: int) -> int:
    """Return the number of stories to share between dev and test so that dev has its share.

    For the published data set (652 of 3400 items in dev, 436 stories, 33 of them entirely in dev) it is 101.
    """
    return max(0, round(2 * (share * stories - out_stories)))


def mixed_units(
    assembly_items: Sequence[AssemblyItem],
    *,
    share: Fraction,
    out_stories: int,
    seed: str,
    unchanged: Mapping[int, str],
) -> tuple[list[Hashable], dict[Hashable, str]]:
    """Return (unit of each item, {unit: split} of the units whose split is already decided).

    A unit is a story or, if the story is shared, a single item. From each task with two or more items, a
    shared story gives one item to dev and one to test. `unchanged` has splits by item index: their stories
    keep their role.
    """
    by_story: dict[str, list[int]] = {}
    for index, item in enumerate(assembly_items):
        by_story.setdefault(item.story, []).append(index)
    roles = _roles(by_story, share, out_stories, seed, unchanged)
    is_shared = [roles[item.story] == _SHARED for item in assembly_items]
    units: list[Hashable] = [
        index if is_shared[index] else item.story for index, item in enumerate(assembly_items)
    ]
    draw = Draw(seed, "split/mixed/items")
    sides: dict[Hashable, str] = {story: role for story, role in roles.items() if role != _SHARED}
    for story, indexes in by_story.items():
        if roles[story] == _SHARED:
            held = [(index, unchanged[index]) for index in indexes if index in unchanged]
            sides.update(held or _given(assembly_items, indexes, draw))
    return units, sides


def _roles(
    by_story: Mapping[str, Sequence[int]],
    share: Fraction,
    out_stories: int,
    seed: str,
    unchanged: Mapping[int, str],
) -> dict[str, str]:
    """Return the role of each story: dev, test or shared."""
    roles = {}
    for story, indexes in by_story.items():
        if held := {unchanged[index] for index in indexes if index in unchanged}:
            roles[story] = held.pop() if len(held) == 1 else _SHARED
    counted = Counter(roles.values())
    wanted_shared = shared_stories(share, len(by_story), out_stories)
    fresh = Draw(seed, "split/mixed/stories").shuffled([story for story in by_story if story not in roles])
    whole = min(max(0, out_stories - counted[DEV]), len(by_story) - 1)
    roles |= dict.fromkeys(fresh[:whole], DEV)
    divisible = [story for story in fresh[whole:] if len(by_story[story]) > 1]
    roles |= dict.fromkeys(divisible[: max(0, wanted_shared - counted[_SHARED])], _SHARED)
    return {story: roles.get(story, TEST) for story in by_story}


def _given(
    assembly_items: Sequence[AssemblyItem], indexes: Sequence[int], draw: Draw
) -> Iterator[tuple[int, str]]:
    """Yield (index, split) for one dev item and one test item of each task with two or more items.

    If no task has two items, yield one dev item and one test item of the whole story.
    """
    by_task: dict[str, list[int]] = {}
    for index in indexes:
        by_task.setdefault(assembly_items[index].record.task, []).append(index)
    groups = [group for group in by_task.values() if len(group) > 1] or [list(indexes)]
    for group in groups:
        yield from zip(draw.shuffled(group), _PAIR, strict=False)
