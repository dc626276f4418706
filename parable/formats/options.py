"""Names options by letter, compares their texts, and finds the options that letters name."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from parable.formats.errors import ErrorCode, InputError, excerpt
from parable.formats.option_marks import LETTERS

_ANSWER: Final = re.compile(r"([A-Z])[.、]?")
_LETTERS_ONLY: Final = re.compile(r"[A-Z](?:[\s,、;/.|&+和与]*[A-Z])+\.?")

HAN_ALONE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]*")
"""Matches text of common Chinese characters alone, which normalisation does not change."""
_RAISED: Final = re.compile(
    "["
    + "".join(
        chr(code)
        for code in range(0x80, 0x1F200)
        if unicodedata.decomposition(chr(code)).startswith(("<super>", "<sub>"))
    )
    + "]"
)


def letter(position: int) -> str:
    """Return the letter of a 0-based position."""
    return LETTERS[position]


def normalise_option(text: str) -> str:
    """Return a text in normal form; options that differ in width, case, spaces or invisible marks are equal.

    Applies NFKC, case folding and NFKC again; removes format characters (category Cf); joins runs of white
    space into one space. Superscripts and subscripts stay distinct: 2³ is not 23. Applying it twice changes
    nothing.
    """
    if text.isascii():  # no width, no marks, nothing to compose
        return " ".join(text.lower().split())
    if HAN_ALONE.fullmatch(text):
        return text
    if text.isprintable() and unicodedata.is_normalized("NFKC", text) and text.casefold() == text:
        return " ".join(text.split())  # most Chinese text: only its white space changes
    text = _RAISED.sub(lambda found: _kept_apart(found[0]), text)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    visible = folded
    if not folded.isprintable():
        visible = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    again = " ".join(unicodedata.normalize("NFKC", visible).casefold().split())
    return again if again == text else normalise_option(again)


def _kept_apart(sign: str) -> str:
    """Return a superscript or subscript as `^3` or `_3`."""
    kind, _, codes = unicodedata.decomposition(sign).partition(" ")
    plain = "".join(chr(int(code, 16)) for code in codes.split())
    return ("^" if kind == "<super>" else "_") + plain


def is_blank(text: str) -> bool:
    """Return whether a text consists of white space and invisible characters only."""
    return not text[:1].isalnum() and all(
        char.isspace() or unicodedata.category(char) == "Cf" for char in text
    )


def equal_pair(options: Sequence[str]) -> tuple[int, int] | None:
    """Return the positions of the first two options that read the same; None if there are none."""
    seen: dict[str, int] = {}
    for position, option in enumerate(options):
        first = seen.setdefault(normalise_option(option), position)
        if first != position:
            return first, position
    return None


def position_of_letter(answer: str, count: int) -> int | None:
    """Return the 0-based position that a letter names among `count` options; None for a blank answer.

    Raises InputError for two letters, a letter past the last option, or anything else.
    """
    plain = unicodedata.normalize("NFKC", answer).strip().upper()
    if not plain:
        return None
    if match := _ANSWER.fullmatch(plain):
        position = LETTERS.index(match[1])
        if not 0 <= position < count:
            raise InputError(ErrorCode.KEY_OUTSIDE, found=excerpt(answer), count=count)
        return position
    letters = set(re.findall("[A-Z]", plain)) if _LETTERS_ONLY.fullmatch(plain) else set()
    # Without other characters between them, letters may be a word, unless all are letters of options.
    several = len(letters) > 1 and (not plain.isalpha() or letters <= set(LETTERS[:count]))
    raise InputError(ErrorCode.TWO_KEYS if several else ErrorCode.BAD_ANSWER, found=excerpt(answer))
