"""The split into seen stories: part of each story's items is in dev, the rest in test."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from parable.splits import DEV, TEST
from release.assembly.apportionment import Shares
from release.assembly.assembly_items import AssemblyItem
from release.assembly.draws import Draw

SEEN: Final = "seen"


def seen_splits(
    assembly_items: Sequence[AssemblyItem], *, shares: Shares, seed: str, unchanged: Mapping[int, str]
) -> list[str]:
    """Return the split of each item. The items must be in content order.

    For each task of a story, dev gets its share rounded down. The remaining dev items of the task go to the
    stories with the largest remainders; ties are broken at random. Example: if a story has ten items of a
    task and the share is 0.6, six are in dev and four in test. `unchanged` has fixed splits by item index.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for index, item in enumerate(assembly_items):
        groups.setdefault((item.record.task, item.story), []).append(index)
    sides = dict(unchanged)
    for task in dict.fromkeys(item.record.task for item in assembly_items):
        of_task = {key: indexes for key, indexes in groups.items() if key[0] == task}
        draw = Draw(seed, f"split/seen/{task}")
        counts = _counts({key: len(indexes) for key, indexes in of_task.items()}, shares.of_task[task], draw)
        for key, indexes in of_task.items():
            sides.update(_drawn(indexes, counts[key], unchanged, draw))
    return [sides[index] for index in range(len(assembly_items))]


def _counts(sizes: Mapping[tuple[str, str], int], share: Fraction, draw: Draw) -> dict[tuple[str, str], int]:
    """Return the number of dev items by (task, story), apportioned by largest remainders."""
    exact = {key: share * size for key, size in sizes.items()}
    counts = {key: int(part) for key, part in exact.items()}
    left = round(share * sum(sizes.values())) - sum(counts.values())
    drawn = draw.shuffled(list(sizes))
    for key in sorted(drawn, key=lambda key: counts[key] - exact[key])[: max(left, 0)]:
        counts[key] += 1
    return {key: min(max(n, 1), sizes[key] - 1) if sizes[key] > 1 else n for key, n in counts.items()}


def _drawn(indexes: Sequence[int], in_dev: int, unchanged: Mapping[int, str], draw: Draw) -> dict[int, str]:
    """Return the splits of the items of a story and task, by index.

    Items in `unchanged` are left out.
    """
    free = draw.shuffled([index for index in indexes if index not in unchanged])
    wanted = max(0, in_dev - sum(unchanged.get(index) == DEV for index in indexes))
    return {index: DEV if at < wanted else TEST for at, index in enumerate(free)}
