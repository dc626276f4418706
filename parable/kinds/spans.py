"""Spans of a text as annotators mark them: characters in reading order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a text: their wording, and their 0-based positions.

    Positions may have gaps, may descend and may repeat: they are neither sorted nor deduplicated.
    """

    text: str
    positions: tuple[int, ...]

    def read_in(self, context: str) -> str | None:
        """Return the characters at the positions of a text, or None if one is outside it."""
        if any(not 0 <= position < len(context) for position in self.positions):
            return None
        return "".join(context[position] for position in self.positions)
