"""Tests of how well a rule or a table of frequent letters predicts the letters of keys.

A table has the most frequent letter for each circumstance, such as the type of the item. Predictions are
compared with equally frequent letters. If the letters of the whole set are not equally frequent, predictions
are compared with the observed proportions: a letter that is frequent everywhere is not a finding of these
tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
import scipy

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import story_of
from parable.quality.gates.decision_rule import Trial
from parable.quality.gates.grams import Floats, Ints
from parable.quality.gates.sample import SEED
from parable.quality.resemblance import Array

UNEVEN: Final = 0.002
"""If chance makes letters as unequal as this less often, their observed proportions are used instead."""
FOLDS: Final = 10
DRAWINGS: Final = 2000

_LETTERS: Final = 26
_LEAST_SKEW: Final = 0.01
_LEAST_EXPECTED: Final = 1e-9
_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of items, in order: letters, numbers of options, stories and folds, all as numbers.

    `ids` has the ids of the items, as an array.
    """

    items: Sequence[ItemRecord]
    ids: Array
    letters: Ints
    sizes: Ints
    stories: Ints
    folds: Ints

    def shares(self) -> Floats:
        """Return the probability of each letter by chance, as an array (number of options, letter)."""
        cells = np.bincount(self.sizes * _LETTERS + self.letters, minlength=(_LETTERS + 1) * _LETTERS)
        counts = cells.reshape(-1, _LETTERS).astype(np.float64)
        found = np.zeros_like(counts)
        for size in np.unique(self.sizes):
            many = counts[size].sum()
            statistic = float(((counts[size, :size] - many / size) ** 2).sum() * size / many)
            is_even = scipy.special.chdtrc(size - 1, statistic) >= UNEVEN
            found[size, :size] = 1 / size if is_even else counts[size, :size] / many
        return found

    @property
    def chance(self) -> float:
        """The expected accuracy of always choosing one letter."""
        return float((1 / self.sizes).mean())


def read_keys(items: Sequence[ItemRecord]) -> Keys:
    """Return the keys of keyed items, with all items of a story in one fold."""
    stories = numbered([story_of(item) for item in items])
    folds = np.random.default_rng(SEED).permutation(int(stories.max()) + 1) % FOLDS
    return Keys(
        items,
        np.array([item.id for item in items], dtype=np.object_),
        np.array([key_within(item) for item in items], dtype=np.int64),
        np.array([len(item.choices) for item in items], dtype=np.int64),
        stories,
        folds[stories],
    )


def numbered(names: Sequence[str]) -> Ints:
    """Replace each name by a number; equal names have equal numbers, in order of first occurrence."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def try_guess(rule: str, guessed: Ints, keys: Keys, tries: int = 1) -> Trial:
    """Return the trial of a rule that predicts one letter per item (-1: none).

    `tries` is the number of rules from which this one was selected.
    """
    named = (guessed >= 0) & (guessed < keys.sizes)
    hits = named & (guessed == keys.letters)
    likely = keys.shares()[keys.sizes, np.maximum(guessed, 0)][named]
    spread = sqrt(float((likely * (1 - likely)).sum()))
    p = tries * _NORMAL.cdf((float(likely.sum()) - float(hits.sum())) / spread) if spread else 1.0
    right = float(hits.sum()) + float((1 / keys.sizes)[~named].sum())
    return _trial(rule, right, hits, keys, min(p, 1.0))


def try_table(rule: str, circumstances: Ints, keys: Keys) -> Trial:
    """Return the trial of a table of the most frequent letters by circumstance, applied to other folds."""
    scores = _foreseen(circumstances, keys)
    return _trial(rule, float(scores.sum()), scores == 1, keys, table_p(circumstances, keys))


def _trial(rule: str, right: float, hits: Array, keys: Keys, p: float) -> Trial:
    n, chance = len(hits), keys.chance
    low, high = wilson_interval(right, n)
    spread = sqrt(chance * (1 - chance) / n)
    worst = tuple(keys.ids[hits].tolist())
    return Trial(rule, right / n, low, high, chance, chance, spread, worst, p)


def _foreseen(circumstances: Ints, keys: Keys) -> Floats:
    """Return each item's score: 1 if its letter is the most frequent in other folds; ties are shared."""
    names, cells = np.unique(circumstances * (_LETTERS + 1) + keys.sizes, return_inverse=True)
    width = int(keys.sizes.max())
    at = (keys.folds * len(names) + cells) * width + keys.letters
    counts = np.bincount(at, minlength=FOLDS * len(names) * width).reshape(FOLDS, len(names), width)
    others = (counts.sum(axis=0) - counts).astype(np.float64)
    others[:, np.arange(width)[None, :] >= (names % (_LETTERS + 1))[:, None]] = -1.0
    best = others == others.max(axis=2, keepdims=True)
    shares = best / best.sum(axis=2, keepdims=True)
    found: Floats = shares[keys.folds, cells, keys.letters]
    return found


def table_p(circumstances: Ints, keys: Keys) -> float:
    """Return the p-value of the test that letters do not depend on the circumstances.

    If all letters are equally likely, the statistic is the sum of the counts of each circumstance's most
    frequent letter; otherwise it is the chi-square distance of the counts from the proportions. Its
    distribution is approximated from simulated counts by their first three moments.
    """
    generator, shares = np.random.default_rng(SEED), keys.shares()
    seen, drawn = 0.0, np.zeros(DRAWINGS)
    for size in np.unique(keys.sizes):
        those, likely = keys.sizes == size, shares[size, :size]
        names, cells = np.unique(circumstances[those], return_inverse=True)
        counts = np.bincount(cells * size + keys.letters[those], minlength=len(names) * size).reshape(
            -1, size
        )
        for own in counts:
            seen += float(_strength(own[None], likely)[0])
            drawn += _strength(generator.multinomial(own.sum(), likely, size=DRAWINGS), likely)
    return upper_tail(seen, drawn)


def _strength(counts: Ints, likely: Floats) -> Floats:
    """Return the strength of each row of counts: its largest count, or its chi-square statistic."""
    if np.ptp(likely) == 0:
        most: Floats = counts.max(axis=1).astype(np.float64)
        return most
    expected = np.maximum(counts.sum(axis=1, keepdims=True) * likely, _LEAST_EXPECTED)
    found: Floats = ((counts - expected) ** 2 / expected).sum(axis=1)
    return found


def upper_tail(seen: float, drawn: Floats) -> float:
    """Return the probability of a larger value than `seen`, from a gamma distribution.

    The distribution has the first three moments of the values in `drawn`.
    """
    spread = float(drawn.std())
    if not spread:
        return 1.0
    z = (seen - float(drawn.mean())) / spread
    skew = max(float((((drawn - drawn.mean()) / spread) ** 3).mean()), _LEAST_SKEW)
    shape = 4 / skew**2
    return float(scipy.special.gammaincc(shape, max(shape + z * sqrt(shape), 0.0)))
