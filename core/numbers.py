"""Parsing of whole numbers from URLs and forms."""

from typing import Final

LARGEST: Final = 2**63 - 1
"""The largest value of a BIGINT column."""


def whole_number(text: str) -> int | None:
    """Return the text as an integer. Return None if it is no whole number, or larger than `LARGEST`.

    Only ASCII digits are accepted, whereas `int` also accepts those of other scripts. Very long texts are not
    parsed.
    """
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= LARGEST else None
