"""A naive Bayes classifier that guesses keys from options, tested on held-out stories.

Cross-validated accuracy spreads wider than independent guesses do, so it is judged against refits of the
same classifier on the same items with keys drawn anew within each item.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy

from parable.psychometrics.results.clusters import share
from parable.quality.gates.grams import Floats, Ints, Options

FOLDS: Final = 10
SMOOTHING: Final = 1.0
SEED: Final = 20_240_601
REFITS: Final = 100
REFITS_OF_MANY: Final = 20
MANY: Final = 10_000
"""Number of items from which fewer refits are made, since each takes as long as all of a small set."""
_TIED: Final = 1e-7
_MOST_COUNTS: Final = 1_000_000
"""Most counts of refits that are computed together; they take 8 MB."""
_RARE: Final = 64
"""Counts below this are looked up in a table; most characters occur less often elsewhere."""


@dataclass(frozen=True, slots=True)
class Guessed:
    """The quality of guesses: `scores` per item (ties shared), and `leads` of keys over the other options.

    `expected` and `spread`: the mean and standard deviation of the accuracy with keys drawn anew.
    """

    scores: Floats
    leads: Floats
    low: float
    high: float
    expected: float
    spread: float

    @property
    def accuracy(self) -> float:
        """The share of keys that were guessed right."""
        return float(self.scores.mean())


def guess(options: Options) -> Guessed | None:
    """Guess every key with a classifier trained on other stories; None with fewer than two stories."""
    generator = np.random.default_rng(SEED)
    folds = _folds(options, generator)
    if folds is None:
        return None
    classifier = _Classifier(options, folds)
    (scores,), (leads,) = classifier.guess(options.keys[None])
    refits = REFITS if len(options.keys) < MANY else REFITS_OF_MANY
    draws = _draws(options, generator, refits, classifier.at_once)
    by_chance = np.concatenate([classifier.guess(keys)[0].mean(axis=1) for keys in draws])
    found = share(scores, options.stories)
    low, high = (end if end is not None else edge for end, edge in ((found.low, 0.0), (found.high, 1.0)))
    return Guessed(scores, leads, low, high, float(by_chance.mean()), float(by_chance.std(ddof=1)))


def _folds(options: Options, generator: np.random.Generator) -> Ints | None:
    """Return the fold of each item, with all items of a story in one; None with fewer than two stories."""
    stories = int(options.stories.max()) + 1 if len(options.stories) else 0
    if stories < 2:
        return None
    places = generator.permutation(stories) % min(FOLDS, stories)
    return places.astype(np.int64)[options.stories]


def _draws(options: Options, generator: np.random.Generator, refits: int, at_once: int) -> Iterator[Ints]:
    """Yield random keys for the refits, in arrays of shape (at most `at_once`, items)."""
    for start in range(0, refits, at_once):
        number = min(at_once, refits - start)
        yield (generator.random((number, len(options.sizes))) * options.sizes).astype(np.int64)


class _Classifier:
    """Precomputes the counts that do not depend on the keys, by cell: one per character and fold.

    Only characters that several folds have are counted. One that a single fold has weighs there what
    everything weighs that was never learned: such characters share one cell a fold, after all others. Keys
    come as an array of shape (refits, items), so that a small set does not pay for each refit anew.
    """

    def __init__(self, options: Options, folds: Ints) -> None:
        self.options = options
        self.number = int(folds.max()) + 1
        self.rows, self.fold_of, starts = _cells(options, folds[options.items], self.number)
        self.starts = starts
        self.columns = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(self.fold_of)))
        said = np.asarray(self.rows.sum(axis=0)).ravel()[: len(self.fold_of)]
        of_column = np.add.reduceat(said, starts) if len(starts) else said
        said_elsewhere = (of_column[self.columns] - said).astype(np.int64)
        self.often = np.flatnonzero(said_elsewhere >= _RARE)
        self.often_said = said_elsewhere[self.often]
        self.tabled = (self.fold_of * _RARE + np.minimum(said_elsewhere, _RARE - 1)) * _RARE
        """The index in a refit's `_table` of the row for each cell; counts of keys are added to it."""
        self.logs = np.log(np.arange(of_column.max(initial=0.0) + 1) + SMOOTHING)
        """The logarithm of each smoothed count that can occur, as most counts occur thousands of times."""
        self.lengths = np.asarray(options.rows.sum(axis=1), dtype=np.float64).ravel()
        self.is_in_fold = (folds[:, None] == np.arange(self.number)).astype(np.float64)
        in_fold = np.add.reduceat(self.lengths, options.starts) @ self.is_in_fold
        self.length_elsewhere = in_fold.sum() - in_fold
        self.at_once = max(1, _MOST_COUNTS // max(len(self.fold_of), 1))

    def guess(self, keys: Ints) -> tuple[Floats, Floats]:
        """Return the score of each item and the lead of its key over the best other option, for each row."""
        found = np.ascontiguousarray((self.rows @ self._weights(keys)).T)
        return _score(found, self.options, keys)

    def _weights(self, keys: Ints) -> Floats:
        """Return the weight of each cell for a key, learned from other folds, of shape (cells, refits)."""
        log_keys, log_wrong = self._log_totals(keys)
        in_keys = self._said_by(keys)
        key = np.add.reduceat(in_keys, self.starts, axis=0)[self.columns] if len(in_keys) else in_keys
        key -= in_keys
        weights = np.empty((self.rows.shape[1], len(keys)))
        counted = weights[: len(self.fold_of)]
        table = _table(log_keys, log_wrong)
        places = np.minimum(key, _RARE - 1).astype(np.int64)
        places += self.tabled[:, None]
        places += np.arange(len(keys)) * (table.size // len(keys))
        np.take(table, places, out=counted, mode="clip")
        of_key, fold_of = key[self.often].astype(np.int64), self.fold_of[self.often]
        counted[self.often] = (self.logs[of_key] - log_keys[fold_of]) - (
            self.logs[self.often_said[:, None] - of_key] - log_wrong[fold_of]
        )
        weights[len(self.fold_of) :] = -log_keys - -log_wrong  # the logarithm of a count of 0 is 0
        return weights

    def _said_by(self, keys: Ints) -> Floats:
        """Return how often each cell occurs in keys, of shape (cells, refits)."""
        rows = self.options.starts + keys
        if len(keys) == 1:  # a large set: to read a quarter of the options is far less than to read all
            said = self.rows[rows[0]]
            found = np.bincount(said.indices, said.data, self.rows.shape[1])
            return np.asarray(found[: len(self.fold_of), None], np.float64)
        chosen = np.zeros((self.rows.shape[0], len(keys)))
        np.put_along_axis(chosen, rows.T, 1.0, axis=0)
        return np.asarray((self.rows.T @ chosen)[: len(self.fold_of)])

    def _log_totals(self, keys: Ints) -> tuple[Floats, Floats]:
        """Return the log totals of keys and of other options outside each fold, of shape (folds, refits)."""
        smoothing = SMOOTHING * self.options.rows.shape[1]
        in_fold = self.lengths[self.options.starts + keys] @ self.is_in_fold
        in_keys = (in_fold.sum(axis=1, keepdims=True) - in_fold).T
        return np.log(in_keys + smoothing), np.log(self.length_elsewhere[:, None] - in_keys + smoothing)


def _table(log_keys: Floats, log_wrong: Floats) -> Floats:
    """Return the flat table of weights by refit, fold, count in all options, and count in keys."""
    logs = np.log(np.arange(_RARE) + SMOOTHING)
    wrong = np.maximum(np.arange(_RARE)[:, None] - np.arange(_RARE), 0)
    against = logs[wrong] - log_wrong.T[:, :, None, None]
    return np.asarray((logs - log_keys.T[:, :, None])[:, :, None] - against).ravel()


def _cells(options: Options, of_row: Ints, number: int) -> tuple[Any, Ints, Ints]:
    """Return each option's counts by cell, the fold of each cell, and where each character's cells begin."""
    counts = options.rows
    # as narrow as they may be: of 100,000 items each array of 64 bits takes 40 MB
    width = np.int32 if counts.shape[1] * number < 1 << 31 else np.int64
    folds = np.repeat(of_row.astype(np.int32), np.diff(counts.indptr))
    places = counts.indices.astype(width)
    places *= number
    places += folds
    has = np.zeros((counts.shape[1], number), dtype=np.bool_)
    has.reshape(-1)[places] = True
    has &= (np.count_nonzero(has, axis=1) > 1)[:, None]
    columns, fold_of = np.nonzero(has)
    numbers = np.cumsum(has.reshape(-1), dtype=np.int32) - 1
    cells = np.where(has.reshape(-1)[places], numbers[places], folds + np.int32(len(fold_of)))
    rows = scipy.sparse.csr_matrix(
        (counts.data.astype(np.float64), cells.astype(np.int32), counts.indptr),
        shape=(counts.shape[0], len(fold_of) + number),
    )  # in the order of the characters, in which a row is added up
    return rows, fold_of, np.flatnonzero(np.diff(columns, prepend=-1))


def _score(found: Floats, options: Options, keys: Ints) -> tuple[Floats, Floats]:
    best = np.maximum.reduceat(found, options.starts, axis=1)
    key_rows = options.starts + keys
    reached = found >= np.repeat(best, options.sizes, axis=1) - _TIED
    tied = np.add.reduceat(reached.astype(float), options.starts, axis=1)
    mine = np.take_along_axis(found, key_rows, axis=1)
    others = found.copy()
    np.put_along_axis(others, key_rows, -np.inf, axis=1)
    next_best = np.maximum.reduceat(others, options.starts, axis=1)
    return np.where(mine >= best - _TIED, 1 / tied, 0.0), mine - next_best
