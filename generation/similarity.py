"""Similarity of texts, and hints on candidates that need attention. Pure.

The overlap of character pairs works for Chinese and English alike, needs no dictionary, and is cheap enough
to compare all candidates of a story. It compares wording, not meaning, so no candidate is hidden because of
it.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Final

from parable.quality.item.form import is_foreign

# Two wordings of one thought share about half of their character pairs, two thoughts on one story a quarter.
NEAR: Final = 0.6
# If an option is this similar to an option of the previous revision, it was edited from that option.
STILL_THE_SAME: Final = 0.4
# A distractor similar to the moral may be a second right answer, so the hint comes early.
CLOSE_TO_MORAL: Final = 0.5
# Lengths between two thirds and one and a half of the key's length do not reveal the key.
LONGER: Final = 1.5
SHORTER: Final = 2 / 3
LENGTH_LIMITS: Final = {"longest": str(LONGER), "shortest": str(SHORTER)}  # as rendered in pages
# If this share of a candidate's text occurs in the story without a gap, the candidate is a quotation.
COPIED: Final = 0.7
LEAST_COPIED: Final = 6  # characters

EQUAL_CODE: Final = "equal"
NEAR_CODE: Final = "near"


@dataclass(frozen=True, slots=True)
class Finding:
    """A hint: its code and, for some codes, a number of characters."""

    code: str
    number: int = 0


def fold(text: str) -> str:
    """Return the letters and digits of a text for comparison, in lower case and normal width."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))


@lru_cache(maxsize=200)
def _fold_once(text: str) -> str:
    """Return `fold` of a story or moral, cached because each is compared with many texts."""
    return fold(text)


def _pairs(text: str) -> Counter[str]:
    return Counter(text[start : start + 2] for start in range(len(text) - 1)) or Counter([text])


def overlap(one: str, other: str) -> float:
    """Return the Dice coefficient of the neighbouring character pairs of two texts, from 0 to 1."""
    left, right = fold(one), _fold_once(other)
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    ours, theirs = _pairs(left), _pairs(right)
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def is_copied(text: str, story: str) -> bool:
    """Return whether the text shares so long a passage with the story that it is a quotation."""
    ours, theirs = fold(text), _fold_once(story)
    length = max(LEAST_COPIED, ceil(len(ours) * COPIED))
    return any(ours[start : start + length] in theirs for start in range(len(ours) - length + 1))


def flags(text: str, *, moral: str, story: str, language: str) -> list[Finding]:
    """Return the hints on a candidate, compared with the story's text and moral (which may be "")."""
    found = []
    if moral:
        if overlap(text, moral) >= CLOSE_TO_MORAL:
            found.append(Finding("close_to_moral"))
        if length := length_flag(text, moral):
            found.append(length)
    if is_copied(text, story):
        found.append(Finding("copied"))
    if is_foreign(text, language):
        found.append(Finding("foreign"))
    return found


@dataclass(frozen=True, slots=True)
class Fold:
    """The id of the earlier text that a text resembles (`head`), and the share of wording in common."""

    head: int
    code: str
    share: float


def folds(texts: Sequence[tuple[int, str]]) -> dict[int, Fold]:
    """Return the fold of each text that resembles an earlier one, by the text's id. Others are left out.

    A text is folded under the most similar earlier text. A folded text is never a head itself, so that there
    are no chains.
    """
    heads: list[tuple[int, str, Counter[str]]] = []
    found: dict[int, Fold] = {}
    for number, text in texts:
        folded = fold(text)
        pairs = _pairs(folded)
        best = max(
            (Fold(head, *_likeness(folded, pairs, other, their)) for head, other, their in heads),
            key=lambda one: one.share,
            default=None,
        )
        if best and best.share >= NEAR:
            found[number] = best
        else:
            heads.append((number, folded, pairs))
    return found


def _likeness(one: str, pairs: Counter[str], other: str, their: Counter[str]) -> tuple[str, float]:
    if one == other:
        return EQUAL_CODE, 1.0
    # below 1, which means equal texts: texts with the same pairs in another order are only similar
    return NEAR_CODE, min(0.999, 2 * (pairs & their).total() / (pairs.total() + their.total()))


def length_flag(text: str, key: str) -> Finding | None:
    """Return a hint, with the difference, if a text is much longer or shorter than the key; else None."""
    ours, theirs = len(text.strip()), len(key.strip())
    if theirs and ours > theirs * LONGER:
        return Finding("longer", ours - theirs)
    if theirs and ours < theirs * SHORTER:
        return Finding("shorter", theirs - ours)
    return None


def edit_distance(before: str, after: str) -> float:
    """Return the share of characters that changed: from 0 for equal texts to 1 for nothing in common."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_distance(before, after)
