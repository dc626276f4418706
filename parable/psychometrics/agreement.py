"""Agreement between reviewers: raw, Krippendorff's alpha, Gwet's AC2, Cohen's weighted kappa.

Units are items, each rated by some of the raters on an ordered scale of q categories. Counts have the
shape (units, q): how many raters gave unit i the category k. Intervals are bootstrapped by story. A
coefficient that is undefined has no value but a code that says why, never NaN.

Sources: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); Gwet, Handbook of Inter-Rater
Reliability (4th ed., 2014), chapters 2, 3 and 5; Cohen, Weighted kappa (1968).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import krippendorff
import numpy as np
import numpy.typing as npt

from parable.psychometrics.bootstrap import (
    RESAMPLES,
    Rows,
    cluster_interval,
    is_point,
    share_interval,
)

Counts = npt.NDArray[np.int64]
Table = npt.NDArray[np.float64]
Weighting = Literal["identity", "linear", "quadratic", "ordinal"]

LEAST_UNITS: Final = 50
"""With fewer units rated twice, a coefficient says more about chance than about the reviewers."""

NOT_TWICE: Final = "nothing_rated_twice"
TOO_FEW: Final = "too_few_rated_twice"
NO_VARIANCE: Final = "all_ratings_equal"
_AFTER_COMMA: Final = 12  # what is equal but for rounding has no variance either


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval and the units behind it; without a value, `reason` is a code.

    No interval where there is one story, or where no drawing of stories changes a coefficient.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the raters of a set of units agree; `shares` are of all ratings, by category."""

    units: int
    ratings: int
    rated_twice: int
    shares: tuple[float, ...]
    raw: Estimate
    alpha: Estimate
    ac2: Estimate


def agreement(
    counts: npt.ArrayLike,
    clusters: Sequence[int],
    *,
    seed: int,
    least: int = LEAST_UNITS,
    resamples: int = RESAMPLES,
) -> Agreement:
    """Raw agreement, ordinal alpha and ordinal AC2 of units rated by any number of raters.

    `counts`: shape (units, q); `clusters`: the story of each unit. Raw agreement needs one unit that was
    rated twice, the coefficients `least` of them.
    """
    table = np.asarray(counts, dtype=np.int64)
    twice = table.sum(axis=1) >= 2
    n = int(twice.sum())
    stories = np.asarray(clusters)

    def estimate(
        function: Callable[[Counts], float], units: npt.NDArray[np.bool_], least: int | None
    ) -> Estimate:
        rows = table[units]
        return _estimate(lambda drawn: function(rows[drawn]), stories[units], n, least, seed, resamples)

    everything = table.sum(axis=1) >= 1
    return Agreement(
        units=int(everything.sum()),
        ratings=int(table.sum()),
        rated_twice=n,
        shares=_shares(table),
        raw=estimate(raw_agreement, twice, None),
        alpha=estimate(ordinal_alpha, twice, least),
        ac2=estimate(gwet_ac2, everything, least),
    )


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two raters agree on the units both rated."""

    n: int
    raw: Estimate
    kappa: Estimate


def pair_agreement(
    first: Sequence[int],
    second: Sequence[int],
    clusters: Sequence[int],
    *,
    categories: int,
    seed: int,
    weights: Weighting = "quadratic",
    least: int = LEAST_UNITS,
    resamples: int = RESAMPLES,
) -> PairAgreement:
    """Raw agreement and weighted kappa of two raters; ratings are category numbers from 0, in unit order."""
    one, other = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    weight = weight_matrix(categories, weights)

    def estimate(function: Callable[[Rows], float], least: int | None) -> Estimate:
        return _estimate(function, np.asarray(clusters), one.size, least, seed, resamples)

    return PairAgreement(
        n=int(one.size),
        raw=estimate(lambda rows: float(np.mean(one[rows] == other[rows])), None),
        kappa=estimate(
            lambda rows: cohen_kappa(contingency(one[rows], other[rows], categories), weight), least
        ),
    )


def _estimate(
    statistic: Callable[[Rows], float],
    clusters: npt.NDArray[np.int64],
    n: int,
    least: int | None,
    seed: int,
    resamples: int,
) -> Estimate:
    """Of a coefficient, which needs `least` units; of a share where that is None."""
    interval = share_interval if least is None else _spread_interval
    least = least or 1
    if n < least:
        return Estimate(None, n=n, reason=TOO_FEW if n else NOT_TWICE)
    value = statistic(np.arange(clusters.size))
    if not np.isfinite(value):
        return Estimate(None, n=n, reason=NO_VARIANCE)
    low, high = interval(statistic, clusters, seed=seed, resamples=resamples) or (None, None)
    return Estimate(value, low, high, n)


def _spread_interval(
    statistic: Callable[[Rows], float], clusters: npt.NDArray[np.int64], *, seed: int, resamples: int
) -> tuple[float, float] | None:
    """The interval of a coefficient; None where no drawing differs."""
    ends = cluster_interval(statistic, clusters, seed=seed, resamples=resamples)
    return None if ends is None or is_point(ends) else ends


def _shares(table: Counts) -> tuple[float, ...]:
    total = int(table.sum())
    return tuple(float(share) for share in table.sum(axis=0) / total) if total else ()


def raw_agreement(counts: Counts) -> float:
    """The share of agreeing pairs of ratings within a unit, averaged over units rated at least twice."""
    return _observed(counts, np.eye(counts.shape[1]))


def ordinal_alpha(counts: Counts) -> float:
    """Krippendorff's alpha for an ordered scale; NaN where all ratings that can be paired are equal."""
    paired = counts[counts.sum(axis=1) >= 2]
    if np.count_nonzero(paired.sum(axis=0)) < 2:
        return float("nan")
    return float(
        krippendorff.alpha(
            value_counts=paired, value_domain=range(counts.shape[1]), level_of_measurement="ordinal"
        )
    )


def gwet_ac2(counts: Counts, weights: Weighting = "ordinal") -> float:
    """Gwet's AC2 (AC1 with identity weights) for any number of raters and with gaps."""
    q = counts.shape[1]
    weight = weight_matrix(q, weights)
    rated = counts[counts.sum(axis=1) >= 1]
    shares = np.mean(rated / rated.sum(axis=1, keepdims=True), axis=0)
    by_chance = float(weight.sum() / (q * (q - 1)) * np.sum(shares * (1 - shares)))
    return _beyond_chance(_observed(rated, weight), by_chance)


def _observed(counts: Counts, weight: Table) -> float:
    """Weighted agreement within a unit, averaged over units rated at least twice."""
    paired = counts[counts.sum(axis=1) >= 2]
    if not paired.size:
        return float("nan")
    ratings = paired.sum(axis=1)
    agreeing = np.sum(paired * (paired @ weight - 1), axis=1)
    return float(np.mean(agreeing / (ratings * (ratings - 1))))


def cohen_kappa(table: Table, weight: Table) -> float:
    """Weighted kappa of a contingency table (q, q); NaN where chance alone would agree entirely."""
    joint = table / table.sum()
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return _beyond_chance(float(np.sum(joint * weight)), float(np.sum(expected * weight)))


def contingency(
    first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], categories: int
) -> npt.NDArray[np.float64]:
    """How often the first rater gave i where the second gave j, shape (categories, categories)."""
    flat = np.bincount(first * categories + second, minlength=categories * categories)
    return flat.reshape(categories, categories).astype(np.float64)


def _beyond_chance(observed: float, by_chance: float) -> float:
    room = 1 - by_chance
    return (observed - by_chance) / room if round(room, _AFTER_COMMA) > 0 else float("nan")


def weight_matrix(categories: int, weighting: Weighting) -> Table:
    """How far two categories count as agreeing, from 0 to 1, shape (categories, categories)."""
    numbers = np.arange(categories, dtype=np.float64)
    apart = np.abs(numbers[:, None] - numbers)
    widest = max(categories - 1, 1)
    weights: dict[Weighting, Table] = {
        "identity": np.eye(categories),
        "linear": 1 - apart / widest,
        "quadratic": 1 - np.square(apart / widest),
        "ordinal": 1 - apart * (apart + 1) / (widest * (widest + 1)),
    }
    return weights[weighting]
