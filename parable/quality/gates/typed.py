"""Options as they were typed: their letters, what is left without them, which white space is stray."""

import re
from collections.abc import Sequence
from typing import Final

from parable.quality.item.words import HAN

_PREFIX: Final = re.compile(r"\s*[A-ZＡ-Ｚ]([.．、:：)）]\s?)(?=\S)")
_LETTER_LIST: Final = re.compile(
    r"\s*[A-ZＡ-Ｚ](?:(?:[\s.．、,，;；/&+和及与或]|and|or)+[A-ZＡ-Ｚ])+[\s.。．]*"
)
_OUTER: Final = re.compile(r"^\s|\s$|[^\S\t\n\r]{2}|[\u00a0\u00ad\u200b-\u200f\u2060\ufeff]")
_INNER: Final = re.compile(rf"[\t\n\r]|(?<=[{HAN}])[ \u3000]+(?=[{HAN}])")


def mark(option: str) -> str:
    """What follows the letter of an option; "" where it has none."""
    match = _PREFIX.match(option)
    return match[1] if match else ""


def are_letters(options: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether the letters are prefixes: each that of its place, in two options at least ("A. Milne").

    Where all options are lists of letters ("A、B", "B、C"), these are what they say.
    """
    due = [
        bool(own) and option.lstrip()[:1] in {chr(65 + place), chr(0xFF21 + place)}
        for place, (option, own) in enumerate(zip(options, marks, strict=True))
    ]
    return sum(due) >= 2 and not all(map(_LETTER_LIST.fullmatch, options))


def without_letters(options: Sequence[str]) -> Sequence[str]:
    """The options less their letters, other white space and all."""
    marks = [mark(option) for option in options]
    if not any(marks) or not are_letters(options, marks):
        return options
    return [_PREFIX.sub("", option, count=1) for option in options]


def has_stray_space(option: str) -> bool:
    """Whether an option has white space at an end or where no words part, or marks that nobody sees."""
    return bool(_OUTER.search(option) or _INNER.search(option))


def have_stray_space(options: Sequence[str]) -> bool:
    """Whether an option of an item has stray white space; where all are lists, it parts what they list."""
    return any(map(_OUTER.search, options)) or (
        any(map(_INNER.search, options)) and not all(map(_INNER.search, options))
    )
