"""Proportions and their differences, with intervals that allow for correlated answers about one story.

Variances are linearised ratios over clusters (Cochran, Sampling Techniques, 1977). The interval of a
proportion is Wilson's with the effective number of answers, which is at most the actual number (Korn and
Graubard, Confidence intervals for proportions with small expected number of positive counts, 1998).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.bootstrap import LEVEL, wilson_interval
from parable.psychometrics.results.estimates import Estimate

Values = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

_LEAST: Final = 1e-12
_ALIKE: Final = 2 / 3
"""A design effect up to this quantile of its distribution by chance counts as 1 (independent answers)."""


@dataclass(frozen=True, slots=True)
class Part:
    """A term of a sum of means: its weight, its values, and the story of each value."""

    values: Values
    stories: Labels
    weight: float = 1.0


def share(values: Values, stories: Labels, items: Labels | None = None) -> Estimate:
    """Return the mean of values from 0 to 1 with its interval, clustered by story.

    `stories` is the story of each value; `items` the item of each value, if items were repeated; None if each
    value has its own item.
    """
    if not len(values):
        return Estimate(None)
    mean, clusters = float(values.mean()), len(np.unique(stories))
    if clusters < 2:
        return Estimate(mean)
    independent = _independent(values, items)
    if not _LEAST < mean < 1 - _LEAST:
        # If all answers are right, or all wrong, their correlation within stories cannot be estimated.
        return Estimate(mean, *wilson_interval(mean * clusters, clusters, level=_level(clusters)))
    effect = variance([Part(values, stories)]) * independent / (mean * (1 - mean))
    if effect <= _chance(clusters):
        return Estimate(mean, *wilson_interval(mean * independent, independent))
    effective = independent / max(effect, 1.0)
    return Estimate(mean, *wilson_interval(mean * effective, effective, level=_level(clusters)))


def _independent(values: Values, items: Labels | None) -> float:
    """Return the effective number of independent answers if items were repeated; stories are ignored."""
    mean = float(values.mean())
    if items is None:
        return float(len(values))
    sums = np.bincount(np.unique(items, return_inverse=True)[1], weights=values - mean) / len(values)
    spread = float(np.square(sums).sum())
    return min(mean * (1 - mean) / spread, len(values)) if spread > _LEAST else float(len(values))


def combination(parts: Sequence[Part], *, least: float = -1.0) -> Estimate:
    """Return a weighted sum of means, such as a difference, with its interval clustered by story.

    The interval is clipped to `least` and 1. There is no value if a part is empty, and no interval if there
    is only one story or no variance.
    """
    if not all(len(part.values) for part in parts):
        return Estimate(None)
    value = sum(part.weight * float(part.values.mean()) for part in parts)
    clusters = len(np.unique(np.concatenate([part.stories for part in parts])))
    error = math.sqrt(variance(parts)) if clusters > 1 else 0.0
    if error < _LEAST:
        return Estimate(value)
    half = _quantile(clusters) * error
    return Estimate(value, max(least, value - half), min(1.0, value + half))


def variance(parts: Sequence[Part]) -> float:
    """Return the variance of a weighted sum of means over sampled stories.

    It requires two stories.
    """
    labels, where = np.unique(np.concatenate([part.stories for part in parts]), return_inverse=True)
    pull = np.concatenate(
        [part.weight * (part.values - part.values.mean()) / len(part.values) for part in parts]
    )
    sums = np.bincount(where, weights=pull, minlength=len(labels))
    return float(np.square(sums).sum() * len(labels) / (len(labels) - 1))


def design_effect(values: Values, stories: Labels) -> float:
    """Return the factor by which clustering by story increases the variance of a mean; at least 1."""
    if len(values) < 2 or len(np.unique(stories)) < 2:
        return 1.0
    alone = float(values.var(ddof=1)) / len(values)
    return max(1.0, variance([Part(values, stories)]) / alone) if alone > _LEAST else 1.0


@cache
def _chance(clusters: int) -> float:
    """Return the two-thirds quantile of the design effect for this many stories and independent answers."""
    freedom = clusters - 1
    return float(2 * scipy.special.gammaincinv(freedom / 2, _ALIKE)) / freedom  # of chi-square


@cache
def _quantile(clusters: int) -> float:
    return float(scipy.special.stdtrit(clusters - 1, (1 + LEVEL) / 2))  # without scipy.stats, slow to import


def _level(clusters: int) -> float:
    """Return the confidence level whose normal quantile is the t quantile for this many stories."""
    return 2 * NormalDist().cdf(min(_quantile(clusters), 8.0)) - 1
