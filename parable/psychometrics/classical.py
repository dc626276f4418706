"""Classical item analysis: item statistics, reliability, distractors, suspect keys, dependence in stories.

Choices are option numbers from 0, shape (examinees, items), and -1 if no option was chosen.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.responses import (
    Array,
    Mask,
    ResponseMatrix,
    item_rest_correlation,
    proportion_correct,
)

Choices = npt.NDArray[np.int64]

NOT_CHOSEN: Final = -1
_LEAST_VARIANCE: Final = 1e-12
_DIFFICULTY_SPREAD: Final = 1.2
_DIFFICULTIES: Final = np.linspace(-4.0, 4.0, 17)
_BELL: Final = np.exp(-((_DIFFICULTIES / _DIFFICULTY_SPREAD) ** 2) / 2) / np.sqrt(2 * np.pi)
_DIFFICULTY_WEIGHTS: Final = _BELL / _DIFFICULTY_SPREAD / 2
"""Prior weights of `_DIFFICULTIES`, which are logits relative to the middle item."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemStatistics:
    """Classical statistics of each item, shape (items,).

    `everybody` and `nobody` are masks of the items to which all answers are right, or wrong. The correlation
    of such an item is undefined (NaN), so reports count these items separately.
    """

    answered: npt.NDArray[np.int64]
    proportion_correct: Array
    item_rest_correlation: Array
    everybody: Mask
    nobody: Mask


def item_statistics(matrix: ResponseMatrix) -> ItemStatistics:
    """Return the proportion correct and the item-rest correlation of each item."""
    share = proportion_correct(matrix)
    everybody, nobody = np.asarray(share == 1.0), np.asarray(share == 0.0)
    correlation = np.where(everybody | nobody, np.nan, item_rest_correlation(matrix))
    return ItemStatistics(matrix.answered.sum(axis=0), share, correlation, everybody, nobody)


@dataclass(frozen=True, slots=True)
class Reliability:
    """KR-20 with its 95 % interval and number of examinees; `value` is None if undefined."""

    value: float | None
    low: float | None
    high: float | None
    examinees: int


def kr20(matrix: ResponseMatrix, *, level: float = LEVEL) -> Reliability:
    """Return KR-20 (Kuder and Richardson's formula 20) of the examinees who answered every item.

    It is undefined for fewer than two such examinees or items, and if all scores are equal. The interval
    follows Feldt, The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty
    (1965).
    """
    cells = matrix.cells[matrix.answered.all(axis=1)]
    examinees, items = cells.shape
    if examinees < 2 or items < 2 or float(cells.sum(axis=1).var(ddof=1)) < _LEAST_VARIANCE:
        return Reliability(None, None, None, examinees)
    within = float(cells.var(axis=0, ddof=1).sum())
    value = items / (items - 1) * (1 - within / float(cells.sum(axis=1).var(ddof=1)))
    freedom = examinees - 1, (examinees - 1) * (items - 1)
    low, high = (
        1 - (1 - value) * float(scipy.stats.f.ppf(q, *freedom)) for q in ((1 + level) / 2, (1 - level) / 2)
    )
    return Reliability(value, low, high, examinees)


def score(choices: Choices, keys: npt.NDArray[np.int64]) -> Array:
    """Convert choices to 1 (right), 0 (wrong) or NaN (missing); `keys` has the shape (items,).

    The result has the shape (examinees, items).
    """
    return np.where(choices == NOT_CHOSEN, np.nan, (choices == keys).astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class Distractors:
    """Statistics of each item's options, shape (items, options).

    `counts` is how many examinees chose the option. `correlation` is the correlation between choosing the
    option and the proportion correct on the other items: positive for a good key, negative for a good
    distractor; NaN if all or none chose the option.
    """

    counts: npt.NDArray[np.int64]
    correlation: Array


def distractors(choices: Choices, keys: npt.NDArray[np.int64], options: int) -> Distractors:
    """Count the choices of each option, and correlate them with the rest score."""
    rest = _share_right_elsewhere(score(choices, keys))
    counts = np.stack([(choices == option).sum(axis=0) for option in range(options)], axis=1)
    correlation = np.full(counts.shape, np.nan)
    for item in range(choices.shape[1]):
        known = (choices[:, item] != NOT_CHOSEN) & ~np.isnan(rest[:, item])
        chosen = choices[known, item][:, None] == np.arange(options)
        columns = chosen.astype(np.float64)
        values = rest[known, item]
        apart, away = columns - columns.mean(axis=0), values - values.mean() if len(values) else values
        spread = np.sqrt(np.square(apart).sum(axis=0) * np.square(away).sum())
        found = np.full(spread.shape, np.nan)
        np.divide(away @ apart, spread, out=found, where=spread > _LEAST_VARIANCE)
        correlation[item] = found
    return Distractors(counts, correlation)


def weighted_vote(choices: Choices, keys: npt.NDArray[np.int64], options: int) -> Array:
    """Return the lead of the key over the best distractor in ability-weighted votes, shape (items,).

    The vote for an option is the log likelihood of all choices if this option were the key. In the model, the
    probability that an examinee chooses the key increases with the proportion correct on the other items and
    decreases with the item's difficulty, over which the likelihood is averaged; examinees who miss the key
    choose one of the other options at random. A negative lead means that able examinees prefer a distractor:
    the key is suspect. NaN for items without answers.

    Source, for items of one difficulty: Nitzan and Paroush, Optimal decision rules in uncertain dichotomous
    choice situations (1982).
    """
    votes = option_votes(choices, keys, options)
    places = np.arange(len(keys))
    of_key = votes[places, keys].copy()
    votes[places, keys] = -np.inf
    lead = of_key - votes.max(axis=1)
    return np.where((choices != NOT_CHOSEN).any(axis=0), lead, np.nan)


def option_votes(choices: Choices, keys: npt.NDArray[np.int64], options: int) -> Array:
    """Return the log likelihood of an item's choices if each option were the key, shape (items, options)."""
    cells = score(choices, keys)
    answered = (~np.isnan(cells)).sum(axis=1, keepdims=True)
    rest = np.nan_to_num(_share_right_elsewhere(cells), nan=1 / options)
    kept_from_certainty = (rest * answered + 1) / (answered + options)
    ability = np.log(kept_from_certainty / (1 - kept_from_certainty))
    known = choices != NOT_CHOSEN
    levels = np.empty((len(_DIFFICULTIES), len(keys), options))
    for level, difficulty in enumerate(_DIFFICULTIES):
        logit = ability - difficulty
        missed = np.where(known, -np.logaddexp(0, logit) - np.log(options - 1), 0.0)
        found = logit + np.log(options - 1)
        for option in range(options):
            levels[level, :, option] = (missed + (choices == option) * found).sum(axis=0)
    return np.asarray(scipy.special.logsumexp(levels, axis=0, b=_DIFFICULTY_WEIGHTS[:, None, None]))


def _share_right_elsewhere(cells: Array) -> Array:
    """Return the proportion correct on all other items, shape (examinees, items); NaN without answers."""
    answered = (~np.isnan(cells)).astype(np.float64)
    right = np.nan_to_num(cells)
    others = answered.sum(axis=1, keepdims=True) - answered
    found = np.full(cells.shape, np.nan)
    np.divide(right.sum(axis=1, keepdims=True) - right, others, out=found, where=others > 0)
    return found


@dataclass(frozen=True, slots=True)
class Dependence:
    """The mean correlation of residuals within stories (Q3), and its p-value from a permutation test.

    `expected` is the mean correlation of all pairs of items; `pairs` is the number of pairs within stories.
    """

    q3: float
    expected: float
    p_value: float
    pairs: int


def story_dependence(
    residuals: Array, stories: npt.ArrayLike, *, seed: int, permutations: int = 999
) -> Dependence | None:
    """Test whether the answers to items of one story are correlated, given the ability.

    `residuals`: answers minus their probabilities, shape (examinees, items), NaN if missing; missing
    residuals count as the item's mean. `stories`: the story of each item. The p-value comes from shuffling
    the stories of items. Return None if no story has two items with variance. Source: Yen, Effects of local
    item dependence (1984).
    """
    varied, labels = _unit_columns(residuals), np.unique(np.asarray(stories), return_inverse=True)[1]
    kept = np.square(varied).sum(axis=0) > 0.5  # columns have length 1, or 0 without variance
    varied, labels = varied[:, kept], labels[kept]
    sizes = np.bincount(labels) if len(labels) else np.zeros(1, dtype=np.int64)
    pairs = int((sizes * (sizes - 1) // 2).sum())
    if not pairs:
        return None
    found = _pooled(varied, labels, pairs)
    generator = np.random.default_rng(seed)
    drawn = [_pooled(varied, generator.permutation(labels), pairs) for _ in range(permutations)]
    n = len(labels)
    return Dependence(
        q3=found,
        expected=_pooled(varied, np.zeros(n, dtype=np.int64), n * (n - 1) // 2),
        p_value=(1 + sum(value >= found for value in drawn)) / (permutations + 1),
        pairs=pairs,
    )


def _unit_columns(residuals: Array) -> Array:
    known = ~np.isnan(residuals)
    mean = np.nan_to_num(residuals).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    apart = np.where(known, residuals - mean, 0.0)
    length = np.sqrt(np.square(apart).sum(axis=0))
    found = np.zeros_like(apart)
    np.divide(apart, length, out=found, where=length > _LEAST_VARIANCE)
    return found


def _pooled(varied: Array, labels: npt.NDArray[np.int64], pairs: int) -> float:
    """Return the mean correlation of pairs of columns with equal labels; the columns have length 1."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sums = np.add.reduceat(varied[:, order], starts, axis=1)
    return float((np.square(sums).sum() - varied.shape[1]) / (2 * pairs))
