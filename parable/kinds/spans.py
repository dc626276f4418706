"""Spans: characters of a text that an annotator marks, with their positions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a text and their positions, counted from 0.

    Positions may have gaps, may descend and may repeat: they are neither sorted nor deduplicated.
    """

    text: str
    positions: tuple[int, ...]

    def read_in(self, context: str) -> str | None:
        """Return the characters of `context` at the positions; None if a position is outside the context."""
        if any(not 0 <= position < len(context) for position in self.positions):
            return None
        return "".join(context[position] for position in self.positions)
