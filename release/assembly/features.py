"""Features to be spread evenly over the splits, with their weights."""

from collections.abc import Mapping
from typing import Final

from release.assembly.pieces import AssemblyItem

# One item off in a task outweighs any number in styles, those outweigh types, and those outweigh stories.
WEIGHTS: Final[Mapping[str, int]] = {"task": 10**12, "style": 10**6, "type": 10**4}
UNIT: Final = 1

Feature = tuple[str, str, str]


def features_of(piece: AssemblyItem) -> list[Feature]:
    """Return the features that an item adds to its split."""
    return [
        ("task", piece.task, ""),
        ("style", piece.task, piece.style),
        *(("type", piece.task, kind) for kind in piece.types),
    ]
