"""N-grams of a text in either published tokenisation, and what two texts share of them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

Tokenise = Callable[[str], list[str]]
Grams = frozenset[tuple[str, ...]]

LENGTHS: Final = (1, 2, 3)
_ENDINGS: Final = re.compile(r"n't\b|'(?:s|m|re|ve|ll|d)\b")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def split_at_spaces(text: str) -> list[str]:
    """Lower-case words, punctuation attached: the tokens of table 2."""
    return text.lower().split()


def split_letters(text: str) -> list[str]:
    """Lower-case runs of letters, contraction endings dropped: the tokens of table 3."""
    return _LETTERS.findall(_ENDINGS.sub(" ", text.lower().replace("’", "'")))


def grams(tokens: Sequence[str], length: int) -> Grams:
    """The set of so many consecutive tokens."""
    return frozenset(zip(*(tokens[start:] for start in range(length)), strict=False))


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two texts share of n-grams of one length, or the means of that over pairs of texts."""

    jaccard: float
    shared: float


def overlap_of(first: Grams, second: Grams) -> Overlap:
    """The overlap of two sets; 0 where both are empty."""
    shared = len(first & second)
    return Overlap(shared / (len(first | second) or 1), float(shared))
