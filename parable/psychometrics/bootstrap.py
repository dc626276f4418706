"""Confidence intervals: the cluster bootstrap, Wilson's interval and Fisher's interval.

The bootstrap resamples whole stories, because ratings of items of one story are correlated.
"""

from __future__ import annotations  # evaluating the annotations would import numpy.random

import math
from collections.abc import Callable, Iterable
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.intp]

RESAMPLES: Final = 1000
LEVEL: Final = 0.95
# With more undefined resamples there is no interval: it would hide how often the statistic is undefined.
_MOST_UNDEFINED: Final = 0.05


def cluster_interval(
    statistic: Callable[[Rows], float],
    clusters: npt.ArrayLike,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[float, float] | None:
    """Return a percentile bootstrap interval that resamples whole clusters; None if it is undefined.

    `clusters`: shape (rows,), the cluster of each row. `statistic` receives row numbers, which may repeat,
    and returns a number, or NaN if undefined. The interval is undefined for fewer than two clusters, or if
    more than one resample in twenty is undefined.
    """
    members = rows_by_cluster(clusters)
    if len(members) < 2:
        return None
    generator = np.random.default_rng(seed)
    draws = (generator.integers(len(members), size=len(members)) for _ in range(resamples))
    values = np.array([statistic(np.concatenate([members[number] for number in drawn])) for drawn in draws])
    defined = values[np.isfinite(values)]
    if defined.size < (1 - _MOST_UNDEFINED) * resamples:
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def rows_by_cluster(clusters: npt.ArrayLike) -> list[Rows]:
    """Return one array of row numbers for each cluster."""
    labels = np.asarray(clusters)
    if not labels.size:
        return []
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(labels[order][1:] != labels[order][:-1]) + 1
    return list(np.split(order, starts))


def wilson_interval(right: float, n: float, *, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's interval of a proportion of independent cases; `n` may be an effective sample size.

    `right` is the number of successes among the `n` cases. Source: Wilson, Probable inference, the law of
    succession, and statistical inference (1927).
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, widened = right / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / widened
    half = z / widened * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def combined_interval(parts: Iterable[tuple[float, float, float, float]]) -> tuple[float, float]:
    """Return the interval of a weighted sum of independent shares, from the interval of each.

    A part is (weight, share, low, high), with a weight of at least 0. Of a single share with the weight 1 it
    is that share's own. Source: Zou and Donner, Construction of confidence limits about effect measures
    (2008), which recovers the variance of each share from its limits.
    """
    found = list(parts)
    middle = sum(weight * share for weight, share, _low, _high in found)
    below = math.hypot(*(weight * (share - low) for weight, share, low, _high in found))
    above = math.hypot(*(weight * (high - share) for weight, share, _low, high in found))
    return middle - below, middle + above


def correlation_interval(value: float, n: int, *, level: float = LEVEL) -> tuple[float, float] | None:
    """Return Fisher's interval of a correlation of `n` independent cases; None if n < 4 or |value| is 1.

    Source: Fisher, On the probable error of a coefficient of correlation (1921).
    """
    if n < 4 or abs(value) >= 1:
        return None
    half = NormalDist().inv_cdf((1 + level) / 2) / math.sqrt(n - 3)
    middle = math.atanh(value)
    return math.tanh(middle - half), math.tanh(middle + half)
