"""Agreement between reviewers: raw agreement, Krippendorff's alpha, Gwet's AC2, Cohen's weighted kappa.

`FIGURES` lists the statistics of the agreement page, its export and the data card. To add a statistic, write
its function and an entry.

Units are items, each rated by some of the raters on an ordered scale of q categories. Counts have the shape
(units, q): how many raters gave unit i the category k. Confidence intervals treat each story as one case: the
interval of raw agreement is that of a clustered share (`results.clusters`), those of coefficients come from
the jackknife. An undefined coefficient has a reason code instead of a value, never NaN. A coefficient is
computed from sums over units, so that the jackknife needs no second look at them.

Sources: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); Gwet, Handbook of Inter-Rater
Reliability (4th ed., 2014), chapters 2, 3 and 5; Cohen, Weighted kappa (1968).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from parable.psychometrics.jackknife import jackknife_interval
from parable.psychometrics.results import clusters as by_story
from parable.sentences import gettext_noop

Counts = npt.NDArray[np.int64]
Table = npt.NDArray[np.float64]
Weighting = Literal["identity", "linear", "quadratic", "ordinal"]

LEAST_UNITS: Final = 50
"""The fewest units rated twice for which a coefficient is computed; with fewer, it is mostly chance."""

NOT_COUNTED: Final = gettext_noop("not counted yet")
"""Displayed instead of a statistic that was added after the table was stored."""
NOT_TWICE: Final = "nothing_rated_twice"
TOO_FEW: Final = "too_few_rated_twice"
NO_VARIANCE: Final = "all_ratings_equal"
_AFTER_COMMA: Final = 12  # values that differ by rounding only have no variance


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its 95 % interval and number of units; if `value` is None, `reason` is a code.

    There is no interval if there is only one story, or if the coefficient is the same without any one story.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """All statistics of agreement for a set of units.

    `rated_twice` is the number of units with at least two ratings; `shares` has the proportion of each
    category among all ratings; `figures` has an estimate for each entry of `FIGURES`, by code.
    """

    units: int
    ratings: int
    rated_twice: int
    shares: tuple[float, ...]
    figures: Mapping[str, Estimate]


def agreement(
    counts: npt.ArrayLike,
    clusters: Sequence[int],
    *,
    least: int = LEAST_UNITS,
) -> Agreement:
    """Compute every statistic of `FIGURES` for units rated by any number of raters.

    `counts`: shape (units, q); `clusters`: the story of each unit. A share is computed from one unit with two
    ratings on, a coefficient from `least` such units on.
    """
    table = np.asarray(counts, dtype=np.int64)
    twice = table.sum(axis=1) >= 2
    n = int(twice.sum())
    stories = np.asarray(clusters)

    def estimate(figure: AgreementFigure) -> Estimate:
        units = table.sum(axis=1) >= figure.least_ratings
        parts = figure.parts(table[units])
        if figure.of is None:
            return _share(parts, stories[units])
        return _coefficient(parts, figure.of, stories[units], n, least)

    total = int(table.sum())
    return Agreement(
        units=int((table.sum(axis=1) >= 1).sum()),
        ratings=int(table.sum()),
        rated_twice=n,
        shares=tuple(float(share) for share in table.sum(axis=0) / total) if total else (),
        figures={figure.code: estimate(figure) for figure in FIGURES},
    )


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two raters on the units that both rated."""

    n: int
    raw: Estimate
    kappa: Estimate


def pair_agreement(
    first: Sequence[int],
    second: Sequence[int],
    clusters: Sequence[int],
    *,
    categories: int,
    weights: Weighting = "quadratic",
    least: int = LEAST_UNITS,
) -> PairAgreement:
    """Return the raw agreement and weighted kappa of two raters, over the units that both rated.

    `first` and `second` are category numbers from 0, in the same order of units; `clusters` is the story of
    each unit.
    """
    one, other = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    weight = weight_matrix(categories, weights)
    stories = np.asarray(clusters)
    return PairAgreement(
        n=int(one.size),
        raw=_share((one == other).astype(np.float64), stories),
        kappa=_coefficient(
            np.eye(categories * categories)[one * categories + other],
            lambda sums: _kappas(sums, weight),
            stories,
            one.size,
            least,
        ),
    )


def _share(agreeing: Table, stories: npt.NDArray[np.int64]) -> Estimate:
    """Return the mean of the units' agreement, shape (units,), with its interval."""
    found = by_story.share(agreeing, stories)
    reason = NOT_TWICE if found.value is None else ""
    return Estimate(found.value, found.low, found.high, len(agreeing), reason)


def _coefficient(
    parts: Table, of: Callable[[Table], Table], stories: npt.NDArray[np.int64], n: int, least: int
) -> Estimate:
    """Return a coefficient with its interval, or a reason if fewer than `least` units are rated twice.

    `of` computes it from sums of the units' `parts`.
    """
    if n < least:
        return Estimate(None, n=n, reason=TOO_FEW if n else NOT_TWICE)
    (value,) = of(parts.sum(axis=0)[None])
    if not np.isfinite(value):
        return Estimate(None, n=n, reason=NO_VARIANCE)
    low, high = jackknife_interval(parts, of, stories) or (None, None)
    return Estimate(float(value), low, high, n)


def raw_agreement(counts: Counts) -> float:
    """Return the share of agreeing pairs of ratings, averaged over units rated twice or more."""
    paired = counts[counts.sum(axis=1) >= 2]
    return float(np.mean(_agreeing(paired, np.eye(counts.shape[1])))) if paired.size else float("nan")


def ordinal_alpha(counts: Counts) -> float:
    """Return Krippendorff's alpha for an ordered scale; NaN if all pairable ratings are equal."""
    return float(_alphas(_coincidences(counts).sum(axis=0)[None])[0])


def _coincidences(counts: Counts) -> Table:
    """Return each unit's coincidences of categories, shape (units, q * q); a unit rated once has none."""
    q = counts.shape[1]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(q)
    return np.asarray(pairs.reshape(-1, q * q) / np.maximum(counts.sum(axis=1) - 1, 1)[:, None])


def _alphas(sums: Table) -> Table:
    """Return ordinal alpha of each sum of coincidences, shape (n,).

    The distance of two categories is the number of ratings between their middles, squared.
    """
    q = math.isqrt(sums.shape[1])
    observed = sums.reshape(-1, q, q)
    ratings = observed.sum(axis=2)
    middles = ratings.cumsum(axis=1) - ratings / 2
    distance = np.square(middles[:, :, None] - middles[:, None, :])
    disagreeing = np.sum(observed * distance, axis=(1, 2))
    by_chance = np.sum(ratings[:, :, None] * ratings[:, None, :] * distance, axis=(1, 2))
    has_pairs = (ratings.round(_AFTER_COMMA) > 0).sum(axis=1) > 1
    share = np.full(len(sums), np.nan)
    np.divide(disagreeing * (ratings.sum(axis=1) - 1), by_chance, out=share, where=has_pairs)
    return 1 - share


def gwet_ac2(counts: Counts, weights: Weighting = "ordinal") -> float:
    """Return Gwet's AC2 (AC1 with identity weights) for any number of raters and missing ratings."""
    weight = weight_matrix(counts.shape[1], weights)
    rated = counts[counts.sum(axis=1) >= 1]
    return float(_ac2s(_ac2_parts(rated, weight).sum(axis=0)[None], weight)[0])


def _ac2_parts(rated: Counts, weight: Table) -> Table:
    """Return for each unit, shape (units, q + 3): 1; shares of categories; 1 if paired; its agreement."""
    ratings = rated.sum(axis=1)
    paired = ratings >= 2
    agreeing = np.zeros(len(rated))
    agreeing[paired] = _agreeing(rated[paired], weight)
    return np.column_stack([np.ones(len(rated)), rated / ratings[:, None], paired, agreeing])


def _ac2s(sums: Table, weight: Table) -> Table:
    """Return AC2 of each sum of `_ac2_parts`, shape (n,)."""
    q = len(weight)
    shares = sums[:, 1:-2] / sums[:, :1]
    by_chance = weight.sum() / (q * (q - 1)) * np.sum(shares * (1 - shares), axis=1)
    observed = np.full(len(sums), np.nan)
    np.divide(sums[:, -1], sums[:, -2], out=observed, where=sums[:, -2] > 0)
    return _beyond_chance(observed, by_chance)


def _agreeing(paired: Counts, weight: Table) -> Table:
    """Return each unit's weighted share of agreeing pairs of ratings, shape (units,)."""
    ratings = paired.sum(axis=1)
    agreeing = np.sum(paired * (paired @ weight - 1), axis=1)
    return np.asarray(agreeing / (ratings * (ratings - 1)))


def cohen_kappa(table: Table, weight: Table) -> float:
    """Return weighted kappa of a contingency table (q, q); NaN if chance agreement is 1."""
    return float(_kappas(np.asarray(table, dtype=np.float64).reshape(1, -1), weight)[0])


def _kappas(sums: Table, weight: Table) -> Table:
    """Return weighted kappa of each contingency table, shape (n, q * q)."""
    joint = sums.reshape(-1, *weight.shape) / sums.sum(axis=1)[:, None, None]
    expected = joint.sum(axis=2)[:, :, None] * joint.sum(axis=1)[:, None, :]
    return _beyond_chance(np.sum(joint * weight, axis=(1, 2)), np.sum(expected * weight, axis=(1, 2)))


def contingency(
    first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], categories: int
) -> npt.NDArray[np.float64]:
    """Return how many units got category i from the first rater and j from the second, shape (q, q)."""
    flat = np.bincount(first * categories + second, minlength=categories * categories)
    return flat.reshape(categories, categories).astype(np.float64)


def _beyond_chance(observed: Table, by_chance: Table) -> Table:
    room = 1 - by_chance
    found = np.full_like(room, np.nan)
    np.divide(observed - by_chance, room, out=found, where=room.round(_AFTER_COMMA) > 0)
    return found


def weight_matrix(categories: int, weighting: Weighting) -> Table:
    """Return the agreement weights of all pairs of categories, from 0 to 1, shape (q, q)."""
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


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A statistic of agreement: its code in stored tables, its name, and the functions that compute it.

    `parts` receives the counts of the units with at least `least_ratings` ratings. For a share it returns one
    value per unit, whose mean is the statistic, and `of` is None. For a coefficient it returns what each unit
    adds to sums, shape (units, m); `of` maps sums, shape (n, m), to coefficients from -1 to 1, shape (n,).
    `is_on_card` is False for statistics that data cards do not contain: the layout of a released card never
    changes.
    """

    code: str
    name: str
    parts: Callable[[Counts], Table]
    of: Callable[[Table], Table] | None = None
    least_ratings: int = 2
    is_on_card: bool = True

    @property
    def is_coefficient(self) -> bool:
        """Return whether the statistic is a coefficient, not a share."""
        return self.of is not None


def _ordinal_ac2_parts(counts: Counts) -> Table:
    return _ac2_parts(counts, weight_matrix(counts.shape[1], "ordinal"))


def _ordinal_ac2s(sums: Table) -> Table:
    return _ac2s(sums, weight_matrix(sums.shape[1] - 3, "ordinal"))


FIGURES: Final = (
    AgreementFigure(
        "raw",
        gettext_noop("raw agreement"),
        lambda counts: _agreeing(counts, np.eye(counts.shape[1])),
        is_on_card=False,
    ),
    AgreementFigure("alpha", gettext_noop("Krippendorff α"), _coincidences, _alphas),
    AgreementFigure("ac2", gettext_noop("Gwet AC2"), _ordinal_ac2_parts, _ordinal_ac2s, least_ratings=1),
)
