"""Spans of a text that annotators mark, as positions of characters."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a text: their text, and their positions from 0.

    Positions may have gaps, may descend and may repeat: they are neither sorted nor deduplicated.
    """

    text: str
    positions: tuple[int, ...]

    def read_in(self, context: str) -> str | None:
        """Return the characters of a text at the positions; None if a position is outside the text."""
        if any(not 0 <= position < len(context) for position in self.positions):
            return None
        return "".join(context[position] for position in self.positions)
