"""Detects names that look the same but consist of different characters."""

import unicodedata
from functools import cache, lru_cache
from typing import Final

_LEFT_TO_RIGHT_MARK: Final = "\u200e"  # around right-to-left characters in the data
_REMEMBERED: Final = 8192


def is_lookalike(name: str, other: str) -> bool:
    """Return whether two names look the same, although they differ in more than case and white space.

    Compares their skeletons as defined by Unicode Technical Standard 39. Equal names are no lookalikes, since
    different people can have the same name.
    """
    return _plain(name) != _plain(other) and not skeletons(name).isdisjoint(skeletons(other))


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()


@lru_cache(maxsize=_REMEMBERED)
def skeletons(name: str) -> frozenset[str]:
    """Return the two skeletons of a name: confusable characters are replaced before or after folding case.

    The first skeleton matches `Iris` and `lris`, the second `Iris` and a lower-case Cyrillic lookalike.
    """
    # Compatibility decomposition handles full-width letters; format characters are invisible.
    visible = (char for char in unicodedata.normalize("NFKD", name) if unicodedata.category(char) != "Cf")
    text = "".join("".join(visible).split())
    replaced = text.translate(_prototypes()).casefold()
    return frozenset({replaced, text.casefold().translate(_prototypes()).casefold()})


@cache
def _prototypes() -> dict[int, str]:
    """Return a translation table that replaces confusable characters, by code point."""
    from confusable_homoglyphs.confusables import confusables_data

    looks_like = {char: [one["c"] for one in found] for char, found in confusables_data.items()}
    return {
        ord(char): alike[0].replace(_LEFT_TO_RIGHT_MARK, "")
        for char, alike in looks_like.items()
        if len(char) == 1 and len(alike) == 1 and _is_prototype(alike[0], char, looks_like)
    }


def _is_prototype(candidate: str, char: str, looks_like: dict[str, list[str]]) -> bool:
    """Return whether `candidate` replaces the confusable character `char`.

    Of two characters that look alike, the first by code point replaces the other.

    Chinese characters that differ in a stroke are not confusable: readers distinguish them, and real names
    use them.
    """
    if _is_han(candidate) and _is_han(char):
        return False
    return len(candidate) > 1 or len(looks_like[candidate]) > 1 or candidate < char


def _is_han(char: str) -> bool:
    return len(char) == 1 and unicodedata.name(char, "").startswith("CJK UNIFIED IDEOGRAPH")
