"""Options named by their own words: found in an answer, or masked, so that no word of them is a letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from .mentions import MASK

# Shorter ones ("是", "3") stand in many sentences: they count only where they are all that is said.
SHORTEST = 2
_EDGES = " \t\n.。,;:!?\"'“”‘’()[]…"
_RULED_OUT = re.compile(
    r"(?:不(?:应该?|能|会)?(?:选择?|是)|并?非|而不是|排除|\bnot|n't|\brather than|\binstead of)[\s\"'“”(]*$",
    re.IGNORECASE,
)


def fold(text: str) -> str:
    """A text as it is compared: widths and case alike, single spaces, no marks around it."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_EDGES)


def read_option_texts(said: str, options: Sequence[str], *, whole: bool = False) -> frozenset[int]:
    """The options whose words stand in what was said, less those within a longer one and those ruled out.

    `whole`: only where what was said is one option and nothing more, or begins with it.
    """
    bare = fold(said)
    equal = frozenset(place for place, option in enumerate(options) if fold(option) == bare)
    if equal:
        return equal
    found = _found(bare, options)
    if whole:
        found = [one for one in found if one[0] == 0]
    return frozenset(place for start, _end, place in found if not _RULED_OUT.search(bare[:start][-24:]))


def mask_options(said: str, options: Sequence[str]) -> str:
    """The same text, of the same length, with every option's words made unreadable."""
    masked = said
    for option in sorted((_pattern(option) for option in options), key=len, reverse=True):
        if option:
            masked = re.sub(option, lambda match: MASK * len(match[0]), masked, flags=re.IGNORECASE)
    return masked


def _found(bare: str, options: Sequence[str]) -> list[tuple[int, int, int]]:
    spans = [
        (match.start(), match.end(), place)
        for place, option in enumerate(options)
        if (pattern := _pattern(option))
        for match in re.finditer(pattern, bare, re.IGNORECASE)
    ]
    return _outermost(spans)


def _outermost(spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The spans that do not lie within a longer one; in one pass, since there may be thousands."""
    kept: list[tuple[int, int, int]] = []
    for one in sorted(spans, key=lambda span: (span[0], -span[1])):
        # Those before begin no later, so the one that ends last holds this one if any does.
        if not kept or one[1] > kept[-1][1] or one[:2] == kept[-1][:2]:
            kept.append(one)
    return kept


@lru_cache(maxsize=64)
def _pattern(option: str) -> str:
    words = fold(option).split()
    if len("".join(words)) < SHORTEST:
        return ""
    body = r"\s+".join(map(re.escape, words))
    before = r"(?<![A-Za-z0-9])" if words[0][0].isascii() else ""
    after = r"(?![A-Za-z0-9])" if words[-1][-1].isascii() else ""
    return f"{before}{body}{after}"
