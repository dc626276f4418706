"""A naive Bayes that guesses keys from options, tested on stories that it was not trained on.

Cross-validated accuracy spreads wider than independent guesses do, so it is judged against refits of the
same classifier on the same items with keys drawn anew within each item.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

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
"""From so many items on fewer refits must do, and can: each takes as long as all those of a small set."""
_TIED: Final = 1e-7
_MOST_COUNTS: Final = 4_000_000
"""Refits are worked out together as long as their counts are no more than these: 32 MB."""


@dataclass(frozen=True, slots=True)
class Guessed:
    """How well keys were guessed: `scores` an item (ties shared), and by how much the key led the others.

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
        """The share of keys that were guessed."""
        return float(self.scores.mean())


def guess(options: Options) -> Guessed | None:
    """Guess every key from the options of other stories; None with fewer than two stories."""
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
    """The fold of each item: whole stories, drawn."""
    stories = int(options.stories.max()) + 1 if len(options.stories) else 0
    if stories < 2:
        return None
    places = generator.permutation(stories) % min(FOLDS, stories)
    return places.astype(np.int64)[options.stories]


def _draws(options: Options, generator: np.random.Generator, refits: int, at_once: int) -> Iterator[Ints]:
    """Draw keys for each refit: arrays of shape (at most `at_once`, items)."""
    for start in range(0, refits, at_once):
        number = min(at_once, refits - start)
        yield (generator.random((number, len(options.sizes))) * options.sizes).astype(np.int64)


class _Classifier:
    """The counts that stay the same whatever the keys are, sorted by fold.

    Keys come as an array of shape (refits, items), so that a small set does not pay for each refit anew.
    """

    def __init__(self, options: Options, folds: Ints) -> None:
        self.options = options
        self.folds = folds
        self.number = int(folds.max()) + 1
        self.of_row = folds[options.items]
        self.parts = [np.flatnonzero(self.of_row == fold) for fold in range(self.number)]
        self.rows = [options.rows[part] for part in self.parts]
        (self.said,) = self._sum(np.arange(options.rows.shape[0])[None], self.of_row)
        self.at_once = max(1, _MOST_COUNTS // self.said.size)

    def guess(self, keys: Ints) -> tuple[Floats, Floats]:
        """Score each item, and by how much its key leads the best other option; both as `keys` are."""
        found = np.empty((len(keys), self.options.rows.shape[0]))
        for part, rows, weight in zip(self.parts, self.rows, self._weights(keys), strict=True):
            found[:, part] = (rows @ weight.T).T
        return _score(found, self.options, keys)

    def _weights(self, keys: Ints) -> Iterator[Floats]:
        """For each fold what a character says for a key, by refit and character, learned from the others."""
        in_keys = self._sum(self.options.starts + keys, self.folds)
        right, all_said = in_keys.sum(axis=1), self.said.sum(axis=0)
        for fold in range(self.number):
            key = right - in_keys[:, fold]
            wrong = all_said - self.said[fold] - key
            yield _log_shares(key) - _log_shares(wrong)

    def _sum(self, rows: Ints, folds: Ints) -> Floats:
        """Add up the counts of these rows, (refits, rows), by fold: (refits, folds, characters)."""
        refits = len(rows)
        groups = np.arange(refits)[:, None] * self.number + folds
        chosen = scipy.sparse.csr_matrix(
            (np.ones(rows.size, dtype=np.float32), (groups.ravel(), rows.ravel())),
            shape=(refits * self.number, self.options.rows.shape[0]),
        )
        counts = np.asarray((chosen @ self.options.rows).toarray(), dtype=np.float64)
        return counts.reshape(refits, self.number, -1)


def _log_shares(counts: Floats) -> Floats:
    smoothed = counts + SMOOTHING
    shares: Floats = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
    return shares


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
