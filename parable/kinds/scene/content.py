"""The values of an answer, and the one difference between the texts."""

from dataclasses import dataclass
from typing import Final

ELEMENTS: Final = ("处所", "朝向", "终点", "方向", "路径", "位置关系")
"""What of the scene the difference is about."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether the texts can describe the same scene, and why; some files of answers give no reason."""

    is_same: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The contiguous pieces in which two texts differ: text between the same beginning and the same end."""

    start: int
    first: str
    second: str


def find_difference(first: str, second: str) -> Difference | None:
    """The difference of two texts, as short as it can be and as early as it can stand; None if equal."""
    if first == second:
        return None
    end = _length_shared(first[::-1], second[::-1])
    start = min(_length_shared(first, second), len(first) - end, len(second) - end)
    return Difference(start, first[start : len(first) - end], second[start : len(second) - end])


def _length_shared(first: str, second: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))


@dataclass(frozen=True, slots=True)
class ScenePair:
    """Two texts with their judgements; what a file does not say is None."""

    id: str
    first: str | None
    second: str | None
    judgements: tuple[Judgement, ...] | None
