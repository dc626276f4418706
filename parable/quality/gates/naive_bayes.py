"""A naive Bayes classifier that guesses keys from options, tested on held-out stories.

Cross-validated accuracy varies more than the accuracy of independent guesses. It is therefore compared with
refits of the same classifier on the same items, with a random option of each item as key.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import scipy

from parable.psychometrics.results.clusters import share
from parable.quality.gates.grams import Floats, Grams, Ints, Options

FOLDS: Final = 10
SMOOTHING: Final = 1.0
SEED: Final = 20_240_601
REFITS: Final = 100
REFITS_OF_MANY: Final = 20
MANY: Final = 10_000
"""From this number of items on, fewer refits are made, as each takes long."""
_TIED: Final = 1e-7


@dataclass(frozen=True, slots=True)
class Guessed:
    """The quality of guesses: by item, the score (ties shared) and the lead of the key over other options.

    `low` to `high` is the interval of the accuracy; `expected` and `spread` are the mean and standard
    deviation of the accuracy with random keys.
    """

    scores: Floats
    leads: Floats
    low: float
    high: float
    expected: float
    spread: float

    @property
    def accuracy(self) -> float:
        """The proportion of keys that were guessed right."""
        return float(self.scores.mean())


class Guesses(NamedTuple):
    """Guesses from the options alone, and guesses from the options and their overlap with the stem."""

    alone: Guessed
    with_stem: Guessed


def guess(options: Options) -> Guesses | None:
    """Guess every key with classifiers trained on other stories; None for fewer than two stories.

    Both classifiers share the counts of grams. If stems were not read, their guesses are the same.
    """
    generator = np.random.default_rng(SEED)
    folds = find_folds(options, generator)
    if folds is None:
        return None
    order = np.argsort(folds, kind="stable")
    stories, sizes, options = options.stories, options.sizes, options.of_items(order)
    classifier = Classifier(options, folds[order])
    by_chance = np.empty((REFITS if len(sizes) < MANY else REFITS_OF_MANY, len(Guesses._fields)))
    for accuracies in by_chance:
        keys = (generator.random(len(sizes)) * sizes).astype(np.int64)[order]
        accuracies[:] = [score(values, options, keys).mean() for values in classifier.values(keys)]
    found: list[Guessed] = []
    for values, accuracies in zip(classifier.values(options.keys), by_chance.T, strict=True):
        scores, leads = np.empty(len(sizes)), np.empty(len(sizes))
        scores[order] = score(values, options, options.keys)
        leads[order] = _leads(values, options)
        interval = share(scores, stories)
        low = 0.0 if interval.low is None else interval.low
        high = 1.0 if interval.high is None else interval.high
        expected, spread = float(accuracies.mean()), float(accuracies.std(ddof=1))
        found.append(Guessed(scores, leads, low, high, expected, spread))
    return Guesses(*found)


def find_folds(options: Options, generator: np.random.Generator) -> Ints | None:
    """Return the fold of each item; all items of a story are in one fold.

    Return None for fewer than two stories.
    """
    stories = int(options.stories.max()) + 1 if len(options.stories) else 0
    if stories < 2:
        return None
    places = generator.permutation(stories) % min(FOLDS, stories)
    return places.astype(np.int64)[options.stories]


class Classifier:
    """Classifiers of items sorted by fold: each fold is guessed from the counts of all other folds.

    An option's value is the log odds that it is a key. Each of its grams adds log(count in keys + 1) -
    log(count in other options + 1), counted in other folds; for each gram, the same term for all grams
    together is subtracted. Terms are stored by cell, one for each gram and fold, and shared by both
    classifiers. A gram that occurs in only one fold adds nothing there, so that it needs no cell.
    """

    def __init__(self, options: Options, folds: Ints) -> None:
        self._starts = options.starts
        self._counts, self._gram_of = _cells(options, folds)
        self._counts_by_cell = self._counts.T
        said = self._counts_by_cell @ np.ones(self._counts.shape[0])
        everywhere = np.bincount(self._gram_of, said)
        self._said_elsewhere = (everywhere[self._gram_of] - said).astype(np.int64)
        self._logs = np.log(np.arange(everywhere.max(initial=0) + 1) + SMOOTHING)
        """The logarithm of each possible smoothed count, as most counts occur thousands of times."""
        lengths, overlap = np.diff(options.grams.bounds), options.overlap
        self._columns = [
            _Columns(np.column_stack([lengths + own.sum(axis=1), own]), options, folds)
            for own in (overlap[:, :0], overlap)
        ]

    def values(self, keys: Ints) -> Iterator[Floats]:
        """Yield the values of all options twice: from options alone, then also from overlap with the stem.

        `keys` are the positions of the keys, which may be random.
        """
        rows = self._starts + keys
        is_key = np.zeros(self._counts.shape[0])
        is_key[rows] = 1
        in_keys = self._counts_by_cell @ is_key
        in_keys = (np.bincount(self._gram_of, in_keys)[self._gram_of] - in_keys).astype(np.int64)
        added = self._counts @ (self._logs[in_keys] - self._logs[self._said_elsewhere - in_keys])
        for columns in self._columns:
            yield added + columns.values(rows)


class _Columns:
    """Dense counts for each option: the first column, of all grams, is subtracted; the others are added."""

    def __init__(self, counts: Ints, options: Options, folds: Ints) -> None:
        self._counts = counts.astype(np.float64)
        self._smoothing = np.full(counts.shape[1], SMOOTHING)
        self._smoothing[0] *= max(options.width + counts.shape[1] - 1, 1)
        self._first_items = np.flatnonzero(np.diff(folds, prepend=-1))
        self._options = np.add.reduceat(options.sizes, self._first_items)
        self._said_elsewhere = _elsewhere(self._counts, options.starts[self._first_items])

    def values(self, rows: Ints) -> Floats:
        """Return how much the counts add to the value of each option if the options in `rows` are keys."""
        in_keys = _elsewhere(self._counts[rows], self._first_items)
        weights = np.log(in_keys + self._smoothing) - np.log(self._said_elsewhere - in_keys + self._smoothing)
        weights[:, 0] *= -1
        return np.asarray(np.einsum("ij,ij->i", self._counts, np.repeat(weights, self._options, axis=0)))


def _elsewhere(counts: Floats, starts: Ints) -> Floats:
    """Sum the counts outside each fold, shape (folds, columns); `starts` has the start of each fold."""
    own = np.add.reduceat(counts, starts, axis=0)
    return np.asarray(own.sum(axis=0) - own)


def _cells(options: Options, folds: Ints) -> tuple[Any, Ints]:
    """Return each option's counts by cell, as a sparse matrix, and the gram number of each cell.

    The cells of a fold are adjacent, so that cells used together fit the processor's cache.
    """
    grams = options.grams
    first_options = options.starts[np.flatnonzero(np.diff(folds, prepend=-1))]
    parts = [slice(*ends) for ends in pairwise([*grams.bounds[first_options], len(grams.numbers)])]
    has = np.zeros((len(parts), options.width), dtype=np.bool_)
    for own, part in zip(has, parts, strict=True):
        own[grams.numbers[part]] = True
    is_shared = np.count_nonzero(has, axis=0) > 1
    has &= is_shared
    cells = np.empty_like(grams.numbers)
    number = 0
    for own, part in zip(has, parts, strict=True):
        cell_of = np.full(options.width, -1, dtype=np.int32)
        cell_of[own] = np.arange(number, number := number + int(own.sum()), dtype=np.int32)
        cells[part] = cell_of[grams.numbers[part]]
    counted = Grams(cells, grams.bounds).chosen(cells >= 0)
    data = np.ones(len(counted.numbers))
    counts = scipy.sparse.csr_matrix((data, *counted), shape=(len(grams.bounds) - 1, number))
    return counts, np.nonzero(has[:, is_shared])[1]


def score(values: Floats, options: Options, keys: Ints) -> Floats:
    """Return each item's score: 1 if its key has the highest value among its options; ties are shared."""
    least = np.maximum.reduceat(values, options.starts) - _TIED
    tied = np.add.reduceat(values >= np.repeat(least, options.sizes), options.starts, dtype=np.int64)
    return np.where(values[options.starts + keys] >= least, 1 / tied, 0.0)


def _leads(values: Floats, options: Options) -> Floats:
    """Return, for each item, the value of the key minus the highest value of the other options."""
    rows = options.starts + options.keys
    others = values.copy()
    others[rows] = -np.inf
    return np.asarray(values[rows] - np.maximum.reduceat(others, options.starts))
