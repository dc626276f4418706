"""Features of items that are balanced over the splits, with their weights."""

from collections.abc import Mapping
from typing import Final

from release.assembly.assembly_items import AssemblyItem

# A deviation of one item in a task outweighs all deviations in styles; those outweigh types, then stories.
WEIGHTS: Final[Mapping[str, int]] = {"task": 10**12, "style": 10**6, "type": 10**4}
UNIT: Final = 1

Feature = tuple[str, str, str]


def features_of(item: AssemblyItem) -> list[Feature]:
    """Return the features of an item that are balanced over the splits: task, style and types."""
    task = item.record.task
    return [
        ("task", task, ""),
        ("style", task, item.record.style),
        *(("type", task, kind) for kind in item.record.types),
    ]
