"""Features of the form of options: punctuation, width, scripts, white space, final stop, numbers."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Final

from parable.quality.gates.numbers import NUMERALS, ranks
from parable.quality.gates.typed import has_stray_space, without_letters
from parable.quality.item.words import has_han_alone

SIGN: Final = "sign "
SCRIPT: Final = "script "
"""The prefix of features for the script of a letter; the prefix for other characters is `SIGN`."""

_STOPS: Final = frozenset(".。．｡!！?？…")
_FULL_WIDTH: Final = (("\u3000", "\u303f"), ("\uff01", "\uff60"), ("\uffe0", "\uffe6"))
_NONE: Final[frozenset[str]] = frozenset()
_SMALL_LETTERS: Final = re.compile("[a-z ]*[a-z]")
_LATIN: Final = frozenset({f"{SCRIPT}latin"})
_HAN: Final = {
    (said, simplified, traditional): frozenset(
        [f"{SCRIPT}cjk"] * said + ["simplified"] * simplified + ["traditional"] * traditional
    )
    for said, simplified, traditional in product((False, True), repeat=3)
}
"""Features of a Chinese text, by whether it is not empty, has simplified, and has traditional characters."""


def marks(options: Sequence[str]) -> list[frozenset[str]]:
    """Return the form features of each option of an item.

    Options are as typed, but without letters before them.
    """
    # a shortcut for most Chinese options, with the same result: numbers count only if all options have some
    if has_han_alone("".join(options)) and any(map(NUMERALS.isdisjoint, options)):
        simplified, traditional = _one_form_characters()
        return [
            _HAN[bool(text), not simplified.isdisjoint(text), not traditional.isdisjoint(text)]
            for text in options
        ]
    texts = without_letters(options)
    numbered = ranks(texts)
    return [
        _of_chars(text).union(_of_text(text), numbers) for text, numbers in zip(texts, numbered, strict=True)
    ]


@cache
def _one_form_characters() -> tuple[frozenset[str], frozenset[str]]:
    """Return the common characters that are only simplified, and those that are only traditional."""
    formed = {char: _han_form(char) for char in map(chr, range(0x4E00, 0xA000))}
    return (
        frozenset(char for char, found in formed.items() if found == ["simplified"]),
        frozenset(char for char, found in formed.items() if found == ["traditional"]),
    )


def _of_chars(text: str) -> frozenset[str]:
    if _SMALL_LETTERS.fullmatch(text):
        return _LATIN
    return _together(frozenset(map(_of_char, {*text})))


@lru_cache(1024)
def _together(features: frozenset[frozenset[str]]) -> frozenset[str]:
    return _NONE.union(*features)


def _of_text(text: str) -> set[str]:
    if has_han_alone(text):
        return set()
    stripped = text.strip()
    found = {"stray_space"} if has_stray_space(text) else set()
    if stripped[-1:] in _STOPS:
        found.add("end_stop")
    if stripped[:1].isupper():
        found.add("capital")
    if not stripped.islower() and any(len(word) > 1 for word in stripped.split() if word.isupper()):
        found.add("capitals")
    return found


@cache
def _of_char(char: str) -> frozenset[str]:
    """Return the form features that a character gives to its option."""
    category = unicodedata.category(char)
    if category.startswith("L"):
        return _of_letter(char)
    if category.startswith("N"):
        return frozenset({"digits", *_width(char)}) if category == "Nd" else frozenset({SIGN + char})
    if char.isspace() and char in " \t\n\r":
        return _NONE
    return _NONE if category.startswith("M") else frozenset({SIGN + char, *_width(char)})


def _of_letter(char: str) -> frozenset[str]:
    if char.isascii():
        return frozenset({SCRIPT + "latin"})
    # the script is the first word of a Unicode name that is the name of a script
    words = unicodedata.name(char, "other").casefold().split()
    script = words[1] if words[0] in {"fullwidth", "halfwidth"} and len(words) > 1 else words[0]
    found = {SCRIPT + script, *_width(char)}
    if SCRIPT + "latin" in found and not found & {"full_width"}:
        found.add("accents")
    if SCRIPT + "cjk" in found:
        found.update(_han_form(char))
    return frozenset(found)


def _width(char: str) -> list[str]:
    if any(first <= char <= last for first, last in _FULL_WIDTH):
        return ["full_width"]
    return ["half_width"] if char.isascii() and not char.isalnum() else []


def _han_form(char: str) -> list[str]:
    """Return ["simplified"] or ["traditional"] if a Chinese character has only that form, else [].

    The form is decided by the old character sets of both forms (GB2312 and Big5), which are right for nearly
    all common characters.
    """
    simplified, traditional = _encodes(char, "gb2312"), _encodes(char, "big5")
    if simplified == traditional:
        return []
    return ["simplified"] if simplified else ["traditional"]


def _encodes(char: str, charset: str) -> bool:
    try:
        char.encode(charset)
    except UnicodeEncodeError:
        return False
    return True
