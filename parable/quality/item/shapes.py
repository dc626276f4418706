"""Guesses the kind of phrase of an option by the form of its words: English and short phrases only."""

import re
from functools import lru_cache
from typing import Final

from parable.quality.item import words
from parable.quality.item.lexicon import (
    ADJECTIVES,
    ALSO_NOUNS,
    DETERMINERS,
    FINITE,
    INTENSIFIERS,
    PARTICLES,
    PAST,
    PREPOSITIONS,
    PRONOUNS,
    VERBS,
)

LONGEST: Final = 8
"""Most words of a phrase whose kind is guessed; longer ones may be of any kind."""

NOUN: Final = "noun"
VERB: Final = "verb"
THIRD: Final = "third"
PARTICIPLE: Final = "participle"
ADJECTIVE: Final = "adjective"
ADVERB: Final = "adverb"
CLAUSE: Final = "clause"
PLACE: Final = "place"
NUMBER: Final = "number"

_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d[\d.,:/]*")
_LETTER: Final = re.compile(r"^\(?[a-h][).]\s+")
_ADJECTIVE: Final = re.compile(r"\w{2,}(?:ous|ful|less|able|ible|ical|ish|tive|ary)$")
_MAY_BE_ADJECTIVE: Final = re.compile(r"\w{3,}ic$")
_OTHER: Final = re.compile(r"[$\\{}=^]|\w, \w")
"""Formulas, and lists with commas."""

_NO_SORT: Final = FINITE | {"yes", "no", "true", "false"} | PRONOUNS | DETERMINERS
_ONLY_VERBS: Final = VERBS - ALSO_NOUNS
_BEFORE_OBJECTS: Final = DETERMINERS | PARTICLES
_AFTER_VERBS: Final = _BEFORE_OBJECTS | PREPOSITIONS | PRONOUNS | {"to"}
_AFTER_ADJECTIVES: Final = PREPOSITIONS | {"now", "again", "enough", "to", "than"}

Shapes = frozenset[str]
ANY: Final[Shapes] = frozenset()


@lru_cache(2048)
def shapes(text: str) -> Shapes:
    """Return the possible kinds of phrase of a text; an empty set if undecided."""
    plain = _LETTER.sub("", words.bare(text))
    tokens = _WORD.findall(plain)
    if not tokens or len(tokens) > LONGEST or words.is_han(tokens[0]) or _OTHER.search(plain):
        return ANY
    while len(tokens) > 1 and tokens[0] in INTENSIFIERS:
        tokens = tokens[1:]
    if tokens[0][0].isdigit():
        return frozenset({NUMBER}) if len(tokens) <= 3 else ANY
    found = _of_word(tokens[0]) if len(tokens) == 1 else _of_phrase(tokens)
    if found and len(tokens) > 2 and text.rstrip().endswith("."):
        found.add(CLAUSE)  # closed as a sentence is
    return frozenset(found)


def _of_word(word: str) -> set[str]:
    if word in _NO_SORT:
        return set()
    found = {VERB} if word in VERBS else set()
    if word in ALSO_NOUNS:
        found.add(NOUN)
    if _is_adjective(word) and word not in VERBS:
        found.add(ADJECTIVE)
    if _MAY_BE_ADJECTIVE.match(word):
        found |= {ADJECTIVE, NOUN}
    if word in PAST:
        found.add(PARTICIPLE)
    if word.endswith("ly") and len(word) > 5 and word not in ADJECTIVES:
        found.add(ADVERB)
    if word.endswith("ed") and len(word) > 4:
        found |= {PARTICIPLE, ADJECTIVE}
    if word.endswith("s") and _base(word) in _ONLY_VERBS:
        found |= {THIRD, NOUN}
    if word.endswith("ing") and len(word) > 5:
        found |= {PARTICIPLE, NOUN, ADJECTIVE}
    return found or {NOUN}


def _base(word: str) -> str:
    base = word.removesuffix("s")
    return base if base in VERBS else base.removesuffix("e")


def _of_phrase(tokens: list[str]) -> set[str]:
    return _by_first_word(tokens[0], tokens[1]) or _by_all_words(tokens)


def _by_first_word(first: str, second: str) -> set[str]:
    """Return the kinds of phrase that the first two words determine."""
    takes_object = second in _BEFORE_OBJECTS
    if first in {"because", "if", "when", "that"} or first in PRONOUNS:
        return {CLAUSE}
    if first == "to":
        return {VERB}
    if first in PREPOSITIONS or (first in PARTICLES and second in PREPOSITIONS):
        return {PLACE}
    if first in FINITE:
        return _of_finite(first)
    if first in VERBS and (takes_object or first not in ALSO_NOUNS):
        return {VERB} if first not in ADJECTIVES else {VERB, NOUN}
    return set()


def _by_all_words(tokens: list[str]) -> set[str]:
    first, rest = tokens[0], tokens[1:]
    is_clause = not FINITE.isdisjoint(rest)
    if is_clause and not first.endswith("ing"):
        return {CLAUSE, NOUN} if {"that", "which", "who"} & set(tokens) else {CLAUSE}
    if first in DETERMINERS:
        return {NOUN, CLAUSE} if any(map(_may_be_finite, tokens[2:])) else {NOUN}
    if first.endswith("ing") and len(first) > 5:
        return {PARTICIPLE, NOUN}
    return _by_ending(first, rest[0]) or _by_adjectives(tokens) or _of_noun_phrase(tokens)


def _by_ending(first: str, second: str) -> set[str]:
    """Return the kinds of phrase of a past tense or third person: "went home", "runs away"."""
    opens = second in _AFTER_VERBS
    if first in PAST or (first.endswith("ed") and opens):
        return {PARTICIPLE, ADJECTIVE, THIRD}
    if first.endswith("s") and (opens or second.endswith("ing") or _base(first) in VERBS):
        return {THIRD} if second in _BEFORE_OBJECTS else {THIRD, NOUN, CLAUSE}
    return set()


def _by_adjectives(tokens: list[str]) -> set[str]:
    """Return the kind of a phrase that is an adjective with additions, "afraid of dogs", or a list."""
    leads = _is_adjective(tokens[0]) and tokens[1] in _AFTER_ADJECTIVES
    is_list = _is_adjective(tokens[-1]) and all(_is_adjective(one) or one in {"and", "or"} for one in tokens)
    return {ADJECTIVE} if leads or is_list else set()


def _of_noun_phrase(tokens: list[str]) -> set[str]:
    first, rest = tokens[0], tokens[1:]
    if first in VERBS:
        return {VERB, NOUN}
    if first.endswith("ly"):
        return _of_phrase(rest) if len(rest) > 1 else _of_word(rest[0])
    return {NOUN, CLAUSE} if any(map(_may_be_finite, rest)) else {NOUN}


def _of_finite(word: str) -> set[str]:
    if word in {"is", "has", "does"}:
        return {THIRD}
    return {THIRD, PARTICIPLE} if word in {"had", "was", "were", "did"} else {THIRD, VERB}


@lru_cache(16_384)
def _may_be_finite(word: str) -> bool:
    return (
        word in PAST or word in VERBS or (word.endswith("s") and _base(word) in VERBS) or word.endswith("ed")
    )


@lru_cache(16_384)
def _is_adjective(word: str) -> bool:
    return word in ADJECTIVES or bool(_ADJECTIVE.match(word))
