"""Agreement between reviewers: raw agreement, Krippendorff's alpha, Gwet's AC2, Cohen's weighted kappa.

`FIGURES` lists the statistics of the agreement page, its export and the data card. To add a statistic, write
its function and an entry.

Units are items, each rated by some of the raters on an ordered scale of q categories. Counts have the shape
(units, q): how many raters gave unit i the category k. Confidence intervals treat each story as one case: the
interval of raw agreement is that of a clustered share (`results.clusters`), those of coefficients come from
the jackknife. An undefined coefficient has a reason code instead of a value, never NaN.

Sources: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); Gwet, Handbook of Inter-Rater
Reliability (4th ed., 2014), chapters 2, 3 and 5; Cohen, Weighted kappa (1968).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from parable.extras import require
from parable.psychometrics.bootstrap import Rows
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
        rows, of_story = table[units], stories[units]
        if not figure.is_coefficient:
            return _share(np.asarray(figure.of(rows)), of_story)
        return _coefficient(lambda kept: float(figure.of(rows[kept])), of_story, n, least)

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
            lambda rows: cohen_kappa(contingency(one[rows], other[rows], categories), weight),
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
    statistic: Callable[[Rows], float], stories: npt.NDArray[np.int64], n: int, least: int
) -> Estimate:
    """Return a coefficient with its interval, or a reason if fewer than `least` units are rated twice."""
    if n < least:
        return Estimate(None, n=n, reason=TOO_FEW if n else NOT_TWICE)
    value = statistic(np.arange(stories.size))
    if not np.isfinite(value):
        return Estimate(None, n=n, reason=NO_VARIANCE)
    low, high = jackknife_interval(statistic, stories) or (None, None)
    return Estimate(value, low, high, n)


def raw_agreement(counts: Counts) -> float:
    """Return the share of agreeing pairs of ratings, averaged over units rated twice or more."""
    return _observed(counts, np.eye(counts.shape[1]))


def ordinal_alpha(counts: Counts) -> float:
    """Return Krippendorff's alpha for an ordered scale; NaN if all pairable ratings are equal.

    Raise PackageMissingError if the extra `agreement` is not installed.
    """
    require("agreement")
    import krippendorff

    paired = counts[counts.sum(axis=1) >= 2]
    if np.count_nonzero(paired.sum(axis=0)) < 2:
        return float("nan")
    return float(
        krippendorff.alpha(
            value_counts=paired, value_domain=range(counts.shape[1]), level_of_measurement="ordinal"
        )
    )


def gwet_ac2(counts: Counts, weights: Weighting = "ordinal") -> float:
    """Return Gwet's AC2 (AC1 with identity weights) for any number of raters and missing ratings."""
    q = counts.shape[1]
    weight = weight_matrix(q, weights)
    rated = counts[counts.sum(axis=1) >= 1]
    shares = np.mean(rated / rated.sum(axis=1, keepdims=True), axis=0)
    by_chance = float(weight.sum() / (q * (q - 1)) * np.sum(shares * (1 - shares)))
    return _beyond_chance(_observed(rated, weight), by_chance)


def _observed(counts: Counts, weight: Table) -> float:
    """Return the weighted agreement within a unit, averaged over units with at least two ratings."""
    paired = counts[counts.sum(axis=1) >= 2]
    return float(np.mean(_agreeing(paired, weight))) if paired.size else float("nan")


def _agreeing(paired: Counts, weight: Table) -> Table:
    """Return each unit's weighted share of agreeing pairs of ratings, shape (units,)."""
    ratings = paired.sum(axis=1)
    agreeing = np.sum(paired * (paired @ weight - 1), axis=1)
    return np.asarray(agreeing / (ratings * (ratings - 1)))


def cohen_kappa(table: Table, weight: Table) -> float:
    """Return weighted kappa of a contingency table (q, q); NaN if chance agreement is 1."""
    joint = table / table.sum()
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return _beyond_chance(float(np.sum(joint * weight)), float(np.sum(expected * weight)))


def contingency(
    first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], categories: int
) -> npt.NDArray[np.float64]:
    """Return how many units got category i from the first rater and j from the second, shape (q, q)."""
    flat = np.bincount(first * categories + second, minlength=categories * categories)
    return flat.reshape(categories, categories).astype(np.float64)


def _beyond_chance(observed: float, by_chance: float) -> float:
    room = 1 - by_chance
    return (observed - by_chance) / room if round(room, _AFTER_COMMA) > 0 else float("nan")


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
    """A statistic of agreement: its code in stored tables, its name, and the function that computes it.

    The function `of` receives the counts of the units with at least `least_ratings` ratings. For a
    coefficient it returns one value, from -1 to 1; for a share, one value per unit, whose mean is the
    statistic. `is_on_card` is False for statistics that data cards do not contain: the layout of a released
    card never changes.
    """

    code: str
    name: str
    of: Callable[[Counts], float | Table]
    is_coefficient: bool = True
    least_ratings: int = 2
    is_on_card: bool = True


FIGURES: Final = (
    AgreementFigure(
        "raw",
        gettext_noop("raw agreement"),
        lambda counts: _agreeing(counts, np.eye(counts.shape[1])),
        is_coefficient=False,
        is_on_card=False,
    ),
    AgreementFigure("alpha", gettext_noop("Krippendorff α"), ordinal_alpha),
    AgreementFigure("ac2", gettext_noop("Gwet AC2"), gwet_ac2, least_ratings=1),
)
