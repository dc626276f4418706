"""Rules on the key: it must not repeat the stem, nor combine what the other options share."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import eq
from typing import ClassVar, Final

from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.base import KEY, ItemView, RuleCheck
from parable.quality.item.lexicon import FUNCTION_SIGNS, FUNCTION_WORDS
from parable.quality.item.meanings import meaning
from parable.sentences import gettext_noop as _

LEAST_SHARE: Final = 0.15
"""Least share of the key's content that must repeat the stem for a finding."""
LEAST_MORE_CHINESE: Final = 2
"""Least lead of the key over any other option in repeated pairs of characters; a long name has two."""
LEAST_RECURRING: Final = 3
"""Least number of parts of the key that must recur in half of the other options for a finding."""

_ENDINGS: Final = ("ingly", "edly", "ings", "ing", "ies", "ied", "es", "ed", "ly", "'s", "s")

_LAST: Final = ("s", "g", "d", "y")
"""The last letters of all endings, for a fast check."""

Parts = frozenset[str]


class KeyRepeatsStem(RuleCheck):
    """A key that repeats words of the stem, and more of them than any other option."""

    id: ClassVar = "key_repeats_stem"
    reveals_key: ClassVar = True
    rule: ClassVar = "avoid_repetition"
    name: ClassVar = _("Key repeats the stem")
    says: ClassVar = _("The key repeats more of the stem than any other option: %(words)s.")
    looks_at: ClassVar = _(
        "Content words that the key shares with the stem, compared with each other option."
    )
    why: ClassVar = _("An option that repeats the stem is chosen for that reason.")
    fix: ClassVar = _("Use other words in the key, or use the same words in other options too.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the key."""
        if item.key is None or not item.distractors or not item.own_stem:
            return
        least = LEAST_MORE_CHINESE if item.is_chinese else 1
        if least > 1 and not _may_repeat(item.own_stem, item.key.text):
            return
        stem, key = parts(item.own_stem), parts(item.key.text)
        shared = key & stem
        if len(shared) < least:
            return
        most = max(len(parts(one.text) & stem) for one in item.distractors)
        if len(shared) - most >= least and len(shared) >= LEAST_SHARE * len(key):
            yield self.at(KEY, words=", ".join(sorted(shared)[:4]))


class KeyGathersOptions(RuleCheck):
    """A key that contains everything that recurs in the other options."""

    id: ClassVar = "key_gathers_options"
    reveals_key: ClassVar = True
    rule: ClassVar = "no_convergence_cues"
    name: ClassVar = _("Key combines what the options share")
    says: ClassVar = _("%(count)d parts of the key recur in at least half of the distractors.")
    looks_at: ClassVar = _("Words of the key that are in at least half of the distractors, but not in all.")
    why: ClassVar = _("If distractors are variations of the key, counting what recurs reveals it.")
    fix: ClassVar = _("Vary the distractors so that another option shares as much with the rest.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the key."""
        texts = [one.text for one in item.distractors if not meaning(one.text)]
        if item.key is None or len(texts) < 2 or not _may_gather(item.key.text, texts):
            return
        others = [content_units(text) for text in texts]
        counts = Counter(part for other in others for part in other)
        key = content_units(item.key.text)
        recurring = sum(len(others) <= 2 * counts[part] and counts[part] < len(others) for part in key)
        if recurring >= LEAST_RECURRING:
            yield self.at(KEY, count=recurring)


def _may_gather(key: str, others: Sequence[str]) -> bool:
    """Return whether half of the other options share two units with the key, or the key doubles one.

    Three parts that recur are of two signs or words at least, unless one of them stands beside itself.
    """
    folded = words.fold(key)
    is_han = not words.has_other_units(folded)
    units = words.signs(folded) if is_han else words.units(key)
    said = frozenset(units)
    if len(said) < len(units) and any(map(eq, units, units[1:])):
        return True
    if is_han:
        return 2 * sum(len(said.intersection(words.fold(other))) > 1 for other in others) >= len(others)
    if any(map(words.is_han, said)):
        return True
    stems = [stem for _unit, stem in _stems(key)]
    if len(frozenset(stems)) < len(stems):
        return True
    theirs = [{stem for _unit, stem in _stems(other)} for other in others]
    return sum(2 * sum(stem in own for own in theirs) >= len(others) for stem in stems) > 1


def _may_repeat(stem: str, key: str) -> bool:
    """Return whether a Chinese key shares two characters with the stem; True for other keys."""
    folded = words.fold(key)
    if words.has_other_units(folded):
        return True
    return len(frozenset(words.signs(folded)).intersection(words.fold(stem))) > 1


@lru_cache(2048)
def parts(text: str) -> Parts:
    """Return the content units of a text: stemmed English words, or pairs of Chinese characters."""
    said = (stem for unit, stem in _stems(text) if len(unit) > 2 and unit[0].isalpha())
    return frozenset(said) | _han_pairs(text)


@lru_cache(2048)
def content_units(text: str) -> Parts:
    """Return the units of `parts`, and numbers, short words and pairs of words, for comparing options."""
    said = [stem for _unit, stem in _stems(text)]
    return frozenset(said) | {f"{one} {other}" for one, other in pairwise(said)} | _han_pairs(text)


@lru_cache(2048)
def _stems(text: str) -> tuple[tuple[str, str], ...]:
    """Return the content words and numbers of a text, each with its stem."""
    if words.has_han_alone(text):
        return ()
    found = words.units(text)
    return tuple(
        (unit, stem) for unit, stem in zip(found, map(_stem, found), strict=True) if stem is not None
    )


@lru_cache(32_768)
def _stem(unit: str) -> str | None:
    """Return the stem of a content word or number; None for other units."""
    if unit in FUNCTION_WORDS or words.is_han(unit) or (len(unit) == 1 and unit.isalpha()):
        return None
    return stemmed(unit)


def _han_pairs(text: str) -> Parts:
    if text.isascii():
        return frozenset()
    if words.has_han_alone(text):
        pairs = pairwise(text)
        return frozenset([f"{one}{other}" for one, other in pairs if not FUNCTION_SIGNS & {one, other}])
    terms = map(_sign, words.units(text))
    return frozenset(one + other for one, other in pairwise(terms) if one and other)


@lru_cache(16_384)
def _sign(unit: str) -> str:
    """Return the unit if it is a Chinese character with content, else ""."""
    return unit if words.is_han(unit) and unit not in FUNCTION_SIGNS else ""


def stemmed(word: str) -> str:
    """Return a word without its ending, so that "catches", "catching" and "catch" are equal."""
    if not word.endswith(_LAST):
        return word.rstrip("e") if len(word) > 4 else word
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3:
            base += "y" if ending in {"ies", "ied"} else ""
            doubled = ending in {"ing", "ed"} and len(base) > 3 and base[-1] == base[-2]
            return (base[:-1] if doubled else base).rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word
