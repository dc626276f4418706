"""How near two wordings are, and what about a proposal a person should look at. Simple and honest; pure.

Overlap of neighbouring characters works alike for Chinese and English, needs no dictionary, and is
cheap enough to compare all proposals of a story. It sees wording, not meaning: nothing is hidden by it.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

# Two wordings of one thought share about half of their pairs; two thoughts on one story a quarter.
NEAR: Final = 0.6
# A distractor that reads like the moral may be a second right answer: speak early.
CLOSE_TO_MORAL: Final = 0.5
# Two thirds and one and a half: within that an eye does not pick an option by its length.
LONGER: Final = 1.5
SHORTER: Final = 2 / 3
# So much of a proposal standing in the story in one piece is a quotation.
COPIED: Final = 0.7
LEAST_COPIED: Final = 6  # characters
# Letters of the other script that are more than a name.
FOREIGN: Final = 0.5

EQUAL_CODE: Final = "equal"
NEAR_CODE: Final = "near"


@dataclass(frozen=True, slots=True)
class Flag:
    """Something to look at: a code, and a number where it has one (characters, or another's id)."""

    code: str
    number: int = 0


def fold(text: str) -> str:
    """The letters and digits of a text, width and case folded: what is compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())


def _pairs(text: str) -> Counter[str]:
    return Counter(text[start : start + 2] for start in range(len(text) - 1)) or Counter([text])


def overlap(one: str, other: str) -> float:
    """Share of neighbouring character pairs that two texts have in common (Dice): 0 nothing, 1 all."""
    left, right = fold(one), fold(other)
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    ours, theirs = _pairs(left), _pairs(right)
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def copied_share(text: str, story: str) -> float:
    """Share of a text that stands in the story in one piece."""
    ours, theirs = fold(text), fold(story)
    if not ours:
        return 0.0
    found = SequenceMatcher(None, ours, theirs, autojunk=False).find_longest_match()
    return found.size / len(ours) if found.size >= LEAST_COPIED else 0.0


def is_foreign(text: str, language: str) -> bool:
    """Whether most letters of a text belong to another script than the story's language."""
    letters = [char for char in unicodedata.normalize("NFKC", text) if char.isalpha()]
    if not letters:
        return False
    han = sum("\u4e00" <= char <= "\u9fff" for char in letters) / len(letters)
    return (1 - han if language.startswith("zh") else han) > FOREIGN


def flags(text: str, *, moral: str, story: str, language: str) -> list[Flag]:
    """What to look at in one proposal, beside the story's moral (may be empty) and its text."""
    found = []
    if moral:
        if overlap(text, moral) >= CLOSE_TO_MORAL:
            found.append(Flag("close_to_moral"))
        more = len(text) - len(moral)
        if len(text) > len(moral) * LONGER:
            found.append(Flag("longer", more))
        elif len(text) < len(moral) * SHORTER:
            found.append(Flag("shorter", -more))
    if copied_share(text, story) >= COPIED:
        found.append(Flag("copied"))
    if is_foreign(text, language):
        found.append(Flag("foreign"))
    return found


def likenesses(texts: Sequence[tuple[int, str]]) -> dict[int, Flag]:
    """For each text (id, wording) the first earlier one that it equals or is near to, where there is one."""
    folded = [(number, fold(text)) for number, text in texts]
    counted = [(number, text, _pairs(text)) for number, text in folded]
    found: dict[int, Flag] = {}
    for place, (number, text, pairs) in enumerate(counted):
        for earlier, other, their_pairs in counted[:place]:
            if text == other:
                found[number] = Flag(EQUAL_CODE, earlier)
                break
            share = 2 * (pairs & their_pairs).total() / (pairs.total() + their_pairs.total())
            if share >= NEAR:
                found.setdefault(number, Flag(NEAR_CODE, earlier))
    return found
