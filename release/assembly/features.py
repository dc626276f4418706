"""What is to be spread over the splits as evenly as whole stories allow, and how much each counts."""

from collections.abc import Mapping
from typing import Final

from release.assembly.pieces import AssemblyItem

# A whole item off in a task outweighs any number of items off in styles, those in types, those in stories.
WEIGHTS: Final[Mapping[str, int]] = {"task": 10**12, "style": 10**6, "type": 10**4}
UNIT: Final = 1

Feature = tuple[str, str, str]


def features_of(piece: AssemblyItem) -> list[Feature]:
    """What an item brings to the split that it is in."""
    return [
        ("task", piece.task, ""),
        ("style", piece.task, piece.style),
        *(("type", piece.task, kind) for kind in piece.types),
    ]
