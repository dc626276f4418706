"""Names of people and projects: one line of characters that are displayed. Pure."""

import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"
"""Invisible, but part of the spelling of names in several scripts."""


def one_line(name: str) -> str:
    """Return the name on one line, with single spaces."""
    return " ".join(name.split())


def is_displayed(name: str) -> bool:
    """Return whether no character of the name is a control, a line end, or a mark that is not displayed.

    Control characters could forge lines; marks of direction would turn the words after the name round.
    Characters that this Python does not know yet may be displayed.
    """
    return all(
        char in _JOINERS or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in name
    )
