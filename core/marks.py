"""Limits the number of combining marks, such as accents and vowel signs, on a letter. Pure."""

import re
import sys
import unicodedata
from functools import cache
from typing import Final

MOST_STACKED: Final = 30
"""The limit of Unicode's Stream-Safe Text Format; no language has more than a few."""


@cache
def _stack() -> re.Pattern[str]:
    marks = "".join(
        chr(code) for code in range(0x300, sys.maxunicode + 1) if unicodedata.combining(chr(code))
    )
    return re.compile(f"[{marks}]{{{MOST_STACKED + 1}}}")


def has_stacked_marks(text: str) -> bool:
    """Return whether a letter of the text has more than `MOST_STACKED` combining marks.

    Normalising sorts the marks of a letter in time quadratic in their number, both in Python and in
    PostgreSQL.
    """
    return not text.isascii() and _stack().search(text) is not None
