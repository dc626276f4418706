"""The values: proverbs, narratives, and pairs of aligned spans, which are told by their wording alone."""

from dataclasses import dataclass
from typing import Final

SLOTS: Final = 5
"""Pairs that a narrative may have."""
CRITERIA: Final = ("relatedness", "interesting", "fluency", "overall")
"""By what a narrative is rated."""
SCALE: Final = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Proverb:
    """A proverb by its id."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class SpanPair:
    """A span of the proverb and the span of the narrative that stands for it; "" where nothing is marked."""

    proverb: str
    narrative: str

    @property
    def is_used(self) -> bool:
        """Whether either side is marked."""
        return bool(self.proverb or self.narrative)


@dataclass(frozen=True, slots=True)
class Narrative:
    """A narrative for a proverb; `slots` are its pairs in their places, unused ones included."""

    id: str
    proverb: str
    text: str
    slots: tuple[SpanPair, ...]

    @property
    def pairs(self) -> tuple[SpanPair, ...]:
        """The pairs that are used."""
        return tuple(pair for pair in self.slots if pair.is_used)
