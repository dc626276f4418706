"""Whole numbers as addresses and forms send them."""

from typing import Final

LARGEST: Final = 2**63 - 1
"""The largest number that a column of the database holds."""


def whole_number(text: str) -> int | None:
    """The number, or None where the text is none or no row can have it.

    Only ASCII digits count: Python reads no number of thousands of digits, and no superscript.
    """
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= LARGEST else None
