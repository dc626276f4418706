"""Phrases that reveal keys, as they are far more frequent in keys than in distractors.

Phrases of Chinese are pairs of adjacent characters; those of other scripts are words and pairs of adjacent
words. A phrase counts once per option, however often the option repeats it. The run time is linear in the
amount of text.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt
from typing import Final

from parable.quality.item import ItemView, words

FEWEST_KEYS: Final = 5
"""The fewest keys that contain a phrase; a phrase in fewer keys may be there by chance."""
TIMES_MORE: Final = 2.0
"""The lowest ratio of a phrase's proportion among keys to its proportion among distractors."""
LEAST_Z: Final = 3.0
"""The lowest log odds ratio in standard errors; about one phrase in a thousand reaches this by chance."""
MOST: Final = 40


@dataclass(frozen=True, slots=True)
class Telling:
    """A phrase that occurs in `keys` of `of_keys` keys, and in `wrong` of `of_wrong` distractors."""

    phrase: str
    keys: int
    of_keys: int
    wrong: int
    of_wrong: int


def phrases_of(text: str) -> set[str]:
    """Return the phrases of an option: words, and pairs of words or Chinese characters."""
    units = words.units(text)
    pairs = {
        f"{one}{other}" if words.is_han(one) and words.is_han(other) else f"{one} {other}"
        for one, other in pairwise(units)
        if words.is_han(one) == words.is_han(other)
    }
    return pairs | {unit for unit in units if not words.is_han(unit)}


def telling_phrases(items: Iterable[ItemView]) -> tuple[Telling, ...]:
    """Return the phrases that reveal these items' keys, most significant first, at most `MOST`."""
    keys: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    of_keys = of_wrong = 0
    for item in items:
        if item.key is None or not item.distractors:
            continue
        of_keys += 1
        of_wrong += len(item.distractors)
        keys.update(phrases_of(item.key.text))
        for one in item.distractors:
            wrong.update(phrases_of(one.text))
    found: list[tuple[float, Telling]] = []
    for phrase, count in keys.items():
        if count >= FEWEST_KEYS and count / of_keys >= TIMES_MORE * wrong[phrase] / of_wrong:
            telling = Telling(phrase, count, of_keys, wrong[phrase], of_wrong)
            if (z := _surety(telling)) >= LEAST_Z:
                found.append((z, telling))
    found.sort(key=lambda pair: (-pair[0], pair[1].phrase))
    return tuple(telling for _z, telling in found[:MOST])


def _surety(one: Telling) -> float:
    """Return the log odds ratio divided by its standard error, with a half added to each count."""
    cells = (one.keys, one.of_wrong - one.wrong, one.wrong, one.of_keys - one.keys)
    a, b, c, d = (count + 0.5 for count in cells)
    return log(a * b / (c * d)) / sqrt(1 / a + 1 / b + 1 / c + 1 / d)


def find_phrases(text: str, telling: Iterable[Telling]) -> tuple[Telling, ...]:
    """Return the phrases that a text contains; a word is left out if it is part of a longer phrase."""
    terms = phrases_of(text)
    found = [one for one in telling if one.phrase in terms]
    longer = [one.phrase for one in found if " " in one.phrase]
    return tuple(one for one in found if not any(one.phrase in phrase.split() for phrase in longer))
