"""Parsing of whole numbers from URLs and forms."""

from typing import Final

LARGEST: Final = 2**63 - 1
"""The largest number that a column of the database holds."""


def whole_number(text: str) -> int | None:
    """Return the number, or None if the text is no whole number or is too large for an id.

    Only ASCII digits count: Python parses no number of thousands of digits, and superscripts are not numbers.
    """
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= LARGEST else None
