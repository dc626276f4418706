"""Detects letters with too many combining characters, such as accents and vowel signs. Pure."""

import re
import sys
import unicodedata
from functools import cache
from typing import Final

MOST_STACKED: Final = 30
"""The limit of Unicode's Stream-Safe Text Format; no language needs more than a few of them on a letter."""


@cache
def _stack() -> re.Pattern[str]:
    marks = "".join(
        chr(code) for code in range(0x300, sys.maxunicode + 1) if unicodedata.combining(chr(code))
    )
    return re.compile(f"[{marks}]{{{MOST_STACKED + 1}}}")


def has_stacked_marks(text: str) -> bool:
    """Return whether any letter of the text has more than `MOST_STACKED` combining characters.

    Such text is slow to normalise: the time grows with the square of their number, both in Python and in
    PostgreSQL.
    """
    return not text.isascii() and _stack().search(text) is not None
