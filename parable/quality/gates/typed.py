"""Options as typed: the letters before them, their texts without letters, and stray white space."""

import re
from collections.abc import Sequence
from typing import Final

from parable.formats.option_marks import mark_of, typed_marks
from parable.quality.item.words import HAN

LEAST_LETTERED: Final = 2
_LABEL: Final = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ0-9０-９]+(?=[^A-Za-zＡ-Ｚａ-ｚ0-9０-９]*$)")
_ENCLOSED: Final = "①"
_BLANK: Final = re.compile(r"^\s")
_OUTER: Final = re.compile(r"^\s|\s$|[^\S\t\n\r]{2}|[\u00a0\u00ad\u200b-\u200f\u2060\ufeff]")
_MAY_BE_STRAY: Final = re.compile(r"[\s\u00ad\u200b-\u200f\u2060\ufeff]")
_INNER: Final = re.compile(rf"[\t\n\r]|(?<=[{HAN}])[ \u3000]+(?=[{HAN}])")


def mark(option: str) -> str:
    """Return the punctuation and space around the letter before an option; "" if there is no letter."""
    found = mark_of(option)
    if found is None:
        return ""
    around = _LABEL.sub("", found.text, count=1)
    blank = " " if option[found.end : found.end + 1].isspace() else ""
    return (_ENCLOSED if around == found.text else around) + blank


def are_letters(options: Sequence[str]) -> bool:
    """Return whether at least two options have a letter before them."""
    return len(typed_marks(options)) >= LEAST_LETTERED


def without_letters(options: Sequence[str]) -> Sequence[str]:
    """Remove the letters before options, unless fewer than two options have letters."""
    found = typed_marks(options)
    if len(found) < LEAST_LETTERED:
        return options
    return [
        _BLANK.sub("", option[found[index].end :], count=1) if index in found else option
        for index, option in enumerate(options)
    ]


def has_stray_space(option: str) -> bool:
    """Return whether an option has outer or misplaced white space, or invisible characters."""
    return bool(_MAY_BE_STRAY.search(option) and (_OUTER.search(option) or _INNER.search(option)))


def have_stray_space(options: Sequence[str]) -> bool:
    """Return whether an option has stray white space; inner space in all options counts as intended."""
    if not _MAY_BE_STRAY.search("".join(options)):
        return False
    return any(map(_OUTER.search, options)) or (
        any(map(_INNER.search, options)) and not all(map(_INNER.search, options))
    )
