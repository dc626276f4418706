"""Parsing of whole numbers from URLs and forms."""

from typing import Final

LARGEST: Final = 2**63 - 1
"""The largest number that a column of the database holds."""


def whole_number(text: str) -> int | None:
    """Return the number, or None if the text is no whole number or too large for an id.

    Only ASCII digits count, since `int` also accepts those of other scripts. Very long texts are not parsed.
    """
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= LARGEST else None
