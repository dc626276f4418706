"""A naive Bayes that guesses keys from options, tested on stories that it was not trained on.

Cross-validated accuracy spreads wider than independent guesses do, so it is judged against refits of the
same classifier on the same items with keys drawn anew within each item.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.quality.gates.grams import Floats, Ints, Options

FOLDS: Final = 10
SMOOTHING: Final = 1.0
SEED: Final = 20_240_601
REFITS: Final = 100
REFITS_OF_MANY: Final = 20
MANY: Final = 10_000
"""From so many items on fewer refits must do, and can: each takes as long as all those of a small set."""
RESAMPLES: Final = 1000
_TIED: Final = 1e-7


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
    scores, leads = classifier.guess(options.keys)
    refits = REFITS if len(options.keys) < MANY else REFITS_OF_MANY
    by_chance = [classifier.guess(keys)[0].mean() for keys in _draws(options, generator, refits)]
    low, high = bootstrap(scores, options.stories, generator)
    expected, spread = float(np.mean(by_chance)), float(np.std(by_chance, ddof=1))
    return Guessed(scores, leads, low, high, expected, spread)


def _folds(options: Options, generator: np.random.Generator) -> Ints | None:
    """The fold of each item: whole stories, drawn."""
    stories = int(options.stories.max()) + 1 if len(options.stories) else 0
    if stories < 2:
        return None
    places = generator.permutation(stories) % min(FOLDS, stories)
    return places.astype(np.int64)[options.stories]


def _draws(options: Options, generator: np.random.Generator, refits: int) -> Iterator[Ints]:
    for _refit in range(refits):
        yield (generator.random(len(options.sizes)) * options.sizes).astype(np.int64)


class _Classifier:
    """The counts that stay the same whatever the keys are, sorted by fold."""

    def __init__(self, options: Options, folds: Ints) -> None:
        self.options = options
        self.folds = folds
        self.number = int(folds.max()) + 1
        self.of_row = folds[options.items]
        self.parts = [np.flatnonzero(self.of_row == fold) for fold in range(self.number)]
        self.rows = [options.rows[part] for part in self.parts]
        self.said = self._sum(np.arange(options.rows.shape[0]), self.of_row)

    def guess(self, keys: Ints) -> tuple[Floats, Floats]:
        """The score of each item, and by how much its key leads the best other option."""
        weights = self._weights(keys)
        found = np.empty(self.options.rows.shape[0])
        for part, rows, weight in zip(self.parts, self.rows, weights, strict=True):
            found[part] = rows @ weight
        return _score(found, self.options, keys)

    def _weights(self, keys: Ints) -> Iterator[Floats]:
        """For each fold what a character says for a key, learned from all other folds."""
        in_keys = self._sum(self.options.starts + keys, self.folds)
        right, all_said = in_keys.sum(axis=0), self.said.sum(axis=0)
        for fold in range(self.number):
            key = right - in_keys[fold]
            wrong = all_said - self.said[fold] - key
            yield _log_shares(key) - _log_shares(wrong)

    def _sum(self, rows: Ints, folds: Ints) -> Floats:
        """The counts of these rows, added up by fold."""
        chosen = scipy.sparse.csr_matrix(
            (np.ones(len(rows), dtype=np.float32), (folds, rows)),
            shape=(self.number, self.options.rows.shape[0]),
        )
        return np.asarray((chosen @ self.options.rows).toarray(), dtype=np.float64)


def _log_shares(counts: Floats) -> Floats:
    smoothed = counts + SMOOTHING
    shares: Floats = np.log(smoothed) - np.log(smoothed.sum())
    return shares


def _score(found: Floats, options: Options, keys: Ints) -> tuple[Floats, Floats]:
    best = np.maximum.reduceat(found, options.starts)
    key_rows = options.starts + keys
    tied = np.add.reduceat((found >= np.repeat(best, options.sizes) - _TIED).astype(float), options.starts)
    mine = found[key_rows]
    others = found.copy()
    others[key_rows] = -np.inf
    next_best = np.maximum.reduceat(others, options.starts)
    return np.where(mine >= best - _TIED, 1 / tied, 0.0), mine - next_best


def bootstrap(scores: Floats, stories: Ints, generator: np.random.Generator) -> tuple[float, float]:
    """The 95 % interval of the mean score when whole stories are drawn again."""
    sums = np.bincount(stories, weights=scores)
    counts = np.bincount(stories).astype(float)
    means = np.empty(RESAMPLES)
    for place in range(RESAMPLES):
        drawn = generator.integers(len(sums), size=len(sums))
        means[place] = sums[drawn].sum() / counts[drawn].sum()
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
