"""Features that are to be spread evenly over the splits, with their weights."""

from collections.abc import Mapping
from typing import Final

from release.assembly.assembly_items import AssemblyItem

# One item off in a task outweighs any number in styles, those outweigh types, and those outweigh stories.
WEIGHTS: Final[Mapping[str, int]] = {"task": 10**12, "style": 10**6, "type": 10**4}
UNIT: Final = 1

Feature = tuple[str, str, str]


def features_of(item: AssemblyItem) -> list[Feature]:
    """Return the features by which an item counts in its split."""
    task = item.record.task
    return [
        ("task", task, ""),
        ("style", task, item.record.style),
        *(("type", task, kind) for kind in item.record.types),
    ]
