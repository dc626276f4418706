"""Options and keys: their letters, when two options are equal, and which one an answer names."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from parable.formats.errors import ErrorCode, InputError, excerpt

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_PREFIX: Final = re.compile(r"\s*([A-Za-zＡ-Ｚａ-ｚ])\s*[.．、]")
_ANSWER: Final = re.compile(r"([A-Z])[.、]?")
_LETTERS_ONLY: Final = re.compile(r"[A-Z](?:[\s,、;/.|&+和与]*[A-Z])+\.?")
_NUMBER: Final = re.compile(r"[0-9]{1,3}")
_NUMBERS_ONLY: Final = re.compile(r"[0-9]+(?:[\s,、;/|&+和与]+[0-9]+)+")


def letter(position: int) -> str:
    """The letter of a 0-based position."""
    return LETTERS[position]


def normalise_option(text: str) -> str:
    """The form in which two options that read the same are equal: width, case, white space, invisible marks.

    NFKC, case folding and NFKC again; format characters (category Cf) fall away; runs of white space
    become one space. Applying it twice changes nothing.
    """
    if text.isascii():  # no width, no marks, nothing to compose
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    visible = folded if folded.isprintable() else _without_marks(folded)
    again = " ".join(unicodedata.normalize("NFKC", visible).casefold().split())
    return again if again == text else normalise_option(again)


def _without_marks(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def is_blank(text: str) -> bool:
    """Whether the text shows nothing: white space and invisible marks only."""
    return all(char.isspace() or unicodedata.category(char) == "Cf" for char in text)


def equal_pair(options: Sequence[str]) -> tuple[int, int] | None:
    """The positions of the first two options that read the same, if any."""
    seen: dict[str, int] = {}
    for position, option in enumerate(options):
        first = seen.setdefault(normalise_option(option), position)
        if first != position:
            return first, position
    return None


def strip_letters(options: Sequence[str]) -> tuple[str, ...]:
    """Options without their letter prefix (`A.`, `A. `, `A、`, full-width or not) and outer white space.

    A letter counts as a prefix where it is the letter of its position and more than one option has such
    a letter: "A. Milne" alone is a name. Raises InputError where letters precede all options, each
    once, in another order: then an answer letter could mean two things.
    """
    found = [_prefix_letter(option) for option in options]
    expected = list(LETTERS[: len(options)])
    if found != expected and sorted(filter(None, found)) == expected:
        raise InputError(ErrorCode.OPTION_LETTERS, found=" ".join(map(str, found)))
    prefixed = [own == due for own, due in zip(found, expected, strict=False)]
    if sum(prefixed) < 2:
        return tuple(option.strip() for option in options)
    return tuple(
        _PREFIX.sub("", option, count=1).strip() if has else option.strip()
        for option, has in zip(options, prefixed, strict=False)
    )


def _prefix_letter(option: str) -> str | None:
    match = _PREFIX.match(option)
    return _plain(match[1]) if match else None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().upper()


def position_of_letter(answer: str, count: int) -> int | None:
    """The 0-based position that a letter names among `count` options; None for a blank answer.

    Raises InputError for two letters, a letter past the last option, or anything else.
    """
    plain = _plain(answer)
    if not plain:
        return None
    if match := _ANSWER.fullmatch(plain):
        return _within(LETTERS.index(match[1]), count, answer)
    several = _LETTERS_ONLY.fullmatch(plain) and _names_several(plain, count)
    raise InputError(ErrorCode.TWO_KEYS if several else ErrorCode.BAD_ANSWER, found=excerpt(answer))


def _names_several(answer: str, count: int) -> bool:
    """Whether the letters are several options, not a word: set apart, or all of them options of the item."""
    letters = set(re.findall("[A-Z]", answer))
    return len(letters) > 1 and (not answer.isalpha() or letters <= set(LETTERS[:count]))


def position_of_letter_or_number(answer: str, count: int) -> int | None:
    """As `position_of_letter`, where a number counts the options from 1."""
    plain = _plain(answer)
    if _NUMBER.fullmatch(plain):
        return _within(int(plain) - 1, count, answer)
    if _NUMBERS_ONLY.fullmatch(plain):
        raise InputError(ErrorCode.TWO_KEYS, found=excerpt(answer))
    return position_of_letter(answer, count)


def _within(position: int, count: int, answer: str) -> int:
    if not 0 <= position < count:
        raise InputError(ErrorCode.KEY_OUTSIDE, found=excerpt(answer), count=count)
    return position
