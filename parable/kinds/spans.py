"""Spans of a text as annotators mark them: characters in the order in which they are spelled."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a text: what they spell, and their 0-based positions.

    Positions may have gaps, may descend and may repeat: they are neither sorted nor deduplicated.
    """

    text: str
    positions: tuple[int, ...]

    def read_in(self, context: str) -> str | None:
        """What the positions spell in a text; None where one of them lies outside it."""
        if any(not 0 <= position < len(context) for position in self.positions):
            return None
        return "".join(context[position] for position in self.positions)
