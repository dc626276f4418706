"""Severity of raters by the many-facet Rasch model, with standard errors and fit.

The rating scale model of Linacre, Many-Facet Rasch Measurement (1989), with units, raters and thresholds. It
is estimated by conditional likelihood (Andersen 1973): given a unit's total, its quality cancels, so that the
distribution of qualities does not matter and two ratings per unit suffice. With two ratings per unit, joint
estimation, as in the program FACETS, doubles severities. Standard errors and the test of equal severities
(Kline and Santos 2012) take stories as units (Huber 1967, Liang and Zeger 1986). Infit and outfit are
conditional as well (Mueller 2020): their expectation is 1, however few ratings a unit has.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import scipy

from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.raters.conditional import Array, Block, blocks, conditional
from parable.psychometrics.raters.ratings import Numbers, Ratings, in_parts, incomparable

LEAST_RATINGS: Final = 10
"""The fewest ratings of units that others rated, too, for which a rater's severity is estimated."""
TOO_FEW: Final = "too_few_ratings"
THRESHOLD_SPREAD: Final = 5.0
"""The standard deviation of the prior of the threshold sums; the prior prevents infinite estimates."""
MOST_TOGETHER: Final = 30
"""The most raters per unit; units with more raters are split into parts, each with its own total.

The run time then grows with the number of ratings, not with the square of the raters of a unit. About one
thirtieth of the information about severities is lost.
"""
FLIPS: Final = 4096
"""The most sign flips in the test of equal severities; if there are more, random flips are drawn."""
_STEP: Final = 1e-5
_ROUNDING: Final = 1e-9

_FitOfRater = tuple[float | None, float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Severity:
    """The severity of one rater in logits; the mean is 0, and severe raters have positive values.

    `n` is the number of ratings of units that other people rated, too. If severity is None, `reason` is a
    code. Infit and outfit are 1 if ratings vary as the model expects; infit is between `infit_low` and
    `infit_high` for 95 % of raters who fit the model.
    """

    rater: Hashable
    n: int
    severity: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None
    infit: float | None = None
    infit_low: float | None = None
    infit_high: float | None = None
    outfit: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Facets:
    """The severities of all raters, and statistics of the estimation.

    `sums` has the sums of thresholds, shape (categories,), infinite for ratings never given. `p_equal` is the
    p-value of the hypothesis of equal severities, None for a single story. `reliability` is the proportion of
    the variance of severities that is not error, None if they do not vary. `estimates` has severities by
    rater.
    """

    raters: tuple[Severity, ...]
    sums: Array
    units: int
    ratings: int
    stories: int
    p_equal: float | None
    reliability: float | None
    estimates: Mapping[Any, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Design:
    """The ratings used, and the conversion of free parameters to severities and sums of thresholds.

    `raters` has the numbers of the raters with a severity; `places` has each rater's index in `raters`.
    Severities are `basis` times the first parameters, so that their mean is 0. The other parameters are the
    sums of thresholds, except those of the lowest and highest rating given.
    """

    blocks: list[Block]
    raters: Numbers
    places: Numbers
    basis: Array
    given: Numbers
    categories: int

    @property
    def free(self) -> Numbers:
        return self.given[1:-1]

    @property
    def apart(self) -> int:
        """The number of parameters that determine severities: the number of raters minus 1."""
        return int(self.basis.shape[1])

    def unfold(self, parameters: Array) -> tuple[Array, Array]:
        """Convert parameters to severities, shape (raters,), and sums of thresholds, shape (categories,)."""
        sums = np.full(self.categories, np.inf)
        sums[self.given] = 0.0
        sums[self.free] = parameters[self.apart :]
        return self.basis @ parameters[: self.apart], sums

    def fold(self, slopes: Array) -> Array:
        """Convert derivatives by severities and sums to derivatives by parameters, along the last axis."""
        raters = len(self.raters)
        return np.concatenate([slopes[..., :raters] @ self.basis, slopes[..., raters:]], axis=-1)


def severities(
    ratings: Ratings, stories: Mapping[Any, Hashable] | None = None, *, least: int = LEAST_RATINGS
) -> Facets:
    """Estimate the severity of each rater.

    `stories` is the story of each unit; by default each unit is a story of its own. `least` is the fewest
    ratings for an estimate.
    """
    counted, reasons = _counted(in_parts(ratings, MOST_TOGETHER), least)
    n = np.bincount(ratings.rater[ratings.together()], minlength=len(ratings.raters))
    found = [
        Severity(name, int(n[row]), reason=reasons.get(row, "")) for row, name in enumerate(ratings.raters)
    ]
    if not len(counted.unit):
        return Facets(tuple(found), np.full(ratings.categories, np.inf), 0, 0, 0, None, None)
    design = _design(counted)
    start = np.zeros(design.apart + len(design.free))
    parameters = _maximum(design, start, np.arange(len(start)))
    of_story = _labels(counted, stories)
    severity, sums = design.unfold(parameters)
    errors = _errors(design, parameters, of_story)
    clusters = int(of_story.max()) + 1
    quantile = float(scipy.stats.t.ppf((1 + LEVEL) / 2, max(clusters - 1, 1)))
    fits = _fit(design, parameters)
    for index, row in enumerate(design.raters):
        value, error = float(severity[index]), float(errors[index])
        found[row] = Severity(
            ratings.raters[row], int(n[row]), value, error, value - quantile * error,
            value + quantile * error, *fits[index],
        )  # fmt: skip
    return Facets(
        raters=tuple(found),
        sums=sums,
        units=len({counted.units[unit] for unit in counted.unit}),
        ratings=len(counted.unit),
        stories=clusters,
        p_equal=_p_equal(design, of_story),
        reliability=_reliability(severity, errors),
        estimates={
            ratings.raters[row]: float(value) for row, value in zip(design.raters, severity, strict=True)
        },
    )


def equal_severities(
    ratings: Ratings, stories: Mapping[Any, Hashable] | None = None, *, least: int = LEAST_RATINGS
) -> float | None:
    """Return the p-value of equal severities (`Facets.p_equal`) without estimating severities.

    Return None for a single story, or if no rater has enough ratings.
    """
    counted, _ = _counted(in_parts(ratings, MOST_TOGETHER), least)
    return _p_equal(_design(counted), _labels(counted, stories)) if len(counted.unit) else None


def _counted(ratings: Ratings, least: int) -> tuple[Ratings, dict[int, str]]:
    """Return the ratings that determine severities, and reason codes of raters without severity."""
    reasons: dict[int, str] = {}
    rows = np.ones(len(ratings.unit), dtype=np.bool_)
    while True:
        now = ratings.chosen(rows)
        now = now.chosen(now.together())
        if not len(now.unit):
            return now, dict.fromkeys(range(len(ratings.raters)), TOO_FEW) | reasons
        n = np.bincount(now.rater, minlength=len(ratings.raters))
        more = {row: TOO_FEW for row in range(len(ratings.raters)) if n[row] < least}
        more = {row: reason for row, reason in more.items() if row not in reasons}
        if not more:
            apart = incomparable(now)
            more = {row: reason for row, reason in apart.items() if row not in reasons}
        if not more:
            return now, reasons
        reasons |= more
        rows &= ~np.isin(ratings.rater, list(more))


def _design(counted: Ratings) -> _Design:
    raters, first = np.unique(counted.rater), np.zeros(len(counted.raters), dtype=np.intp)
    first[raters] = np.arange(len(raters))
    return _Design(
        blocks=blocks(counted),
        raters=raters,
        places=first,
        basis=scipy.linalg.null_space(np.ones((1, len(raters)))),
        given=np.unique(counted.value),
        categories=counted.categories,
    )


def _weights(design: _Design, parameters: Array) -> Array:
    """Return each rater's unnormalised probability of each rating, shape (raters, categories).

    Ratings that were never given have probability 0.
    """
    severity, sums = design.unfold(parameters)
    logit = -np.outer(severity, np.arange(design.categories)) - sums
    return np.asarray(np.exp(logit - logit[:, design.given].mean(axis=1, keepdims=True)))


def _of_units(design: _Design, block: Block, weights: Array) -> tuple[float, Array, Array]:
    """Return a block's log likelihood, and its derivatives by severities and by sums, (units, ...) each."""
    chances, likelihood = conditional(block, weights)
    low = chances @ np.arange(design.categories) - block.value  # a severe rater gives less than expected
    seen = block.value[:, :, None] == design.free
    return float(likelihood.sum()), low, (chances[:, :, design.free] - seen).sum(axis=1)


def _slopes(design: _Design, parameters: Array, labels: Numbers) -> tuple[float, Array]:
    """Return the log likelihood and its derivatives by group of units, shape (groups, parameters).

    `labels` has the group (such as the story) of each unit.
    """
    weights, raters = _weights(design, parameters), len(design.raters)
    slopes = np.zeros((int(labels.max()) + 1, raters + len(design.free)))
    total = 0.0
    for block in design.blocks:
        places, of = design.places[block.rater], labels[block.unit]
        likelihood, low, of_sums = _of_units(design, block, weights[places])
        total += likelihood
        np.add.at(slopes, (of[:, None], places), low)
        np.add.at(slopes[:, raters:], of, of_sums)
    return total, design.fold(slopes)


def _maximum(design: _Design, start: Array, free: Numbers) -> Array:
    """Maximise the likelihood over the parameters with indexes in `free`; the others stay at `start`."""
    together = np.zeros(1 + max(int(block.unit.max()) for block in design.blocks), dtype=np.intp)

    def unlikely(values: Array) -> tuple[float, Array]:
        parameters = start.copy()
        parameters[free] = values
        value, slopes = _slopes(design, parameters, together)
        sums = parameters[design.apart :] / THRESHOLD_SPREAD
        slope = slopes[0]
        slope[design.apart :] -= sums / THRESHOLD_SPREAD
        return 0.5 * float(sums @ sums) - value, -slope[free]

    parameters = start.copy()
    if len(free):
        parameters[free] = scipy.optimize.minimize(
            unlikely, start[free], jac=True, method="BFGS", options={"gtol": 1e-6}
        ).x
    return parameters


def _information(design: _Design, parameters: Array) -> Array:
    """Return the negative second derivatives of the objective, shape (parameters, parameters).

    They are central differences of each unit's derivatives: the severity of the first rater of every unit is
    changed at once, then that of the second, and so on.
    """
    weights, numbers = _weights(design, parameters), np.arange(design.categories)
    raters, free = len(design.raters), len(design.free)
    found = np.zeros((raters + free, raters + free))

    def moved(block: Block, weighed: Array, factor: Array) -> tuple[Array, Array]:
        up, down = (_of_units(design, block, weighed * factor**sign)[1:] for sign in (1, -1))
        return (down[0] - up[0]) / (2 * _STEP), (down[1] - up[1]) / (2 * _STEP)

    for block in design.blocks:
        places = design.places[block.rater]
        weighed = weights[places]
        for column in range(places.shape[1]):
            factor = np.ones((1, places.shape[1], design.categories))
            factor[0, column] = np.exp(-_STEP * numbers)
            of_raters, of_sums = moved(block, weighed, factor)
            np.add.at(found, (places[:, [column]], places), of_raters)
            np.add.at(found[:, raters:], places[:, column], of_sums)
        for column, rating in enumerate(design.free):
            factor = np.ones((1, 1, design.categories))
            factor[0, 0, rating] = np.exp(-_STEP)
            found[raters + column, raters:] += moved(block, weighed, factor)[1].sum(axis=0)
    found[raters:, :raters] = found[:raters, raters:].T
    found[range(raters, raters + free), range(raters, raters + free)] += THRESHOLD_SPREAD**-2
    folded = design.fold(design.fold(found).T)
    return (folded + folded.T) / 2


def _labels(counted: Ratings, stories: Mapping[Any, Hashable] | None) -> Numbers:
    """Return the number of each unit's story, from 0, shape (units,); -1 for units without used ratings."""
    names: dict[Hashable, int] = {}
    labels = np.full(len(counted.units), -1, dtype=np.intp)
    for row in np.unique(counted.unit).tolist():
        unit = counted.units[row]
        name = unit if stories is None else stories.get(unit, ("unit", unit))
        labels[row] = names.setdefault(name, len(names))
    return labels


def _errors(design: _Design, parameters: Array, of_story: Numbers) -> Array:
    """Return the standard error of each severity, with stories as units, shape (raters,).

    If there is one story, or if the error by stories is zero, use the error from the curvature.
    """
    bread = np.asarray(np.linalg.pinv(_information(design, parameters), hermitian=True), dtype=np.float64)
    slopes = _slopes(design, parameters, of_story)[1]
    n = len(slopes)

    def variance(covariance: Array) -> Array:
        of_raters = covariance[: design.apart, : design.apart]
        return np.asarray(((design.basis @ of_raters) * design.basis).sum(axis=1))

    curvature = variance(bread)
    clustered = variance(bread @ (slopes.T @ slopes * n / max(n - 1, 1)) @ bread)
    varied = (clustered > _ROUNDING * curvature) & (n > 1)
    return np.sqrt(np.maximum(np.where(varied, clustered, curvature), 0.0))


def _fit(design: _Design, parameters: Array) -> list[_FitOfRater]:
    """Return each rater's infit, its 95 % range for raters who fit, and outfit; None if undefined."""
    weights, numbers = _weights(design, parameters), np.arange(design.categories)
    totals = np.zeros((5, len(design.raters)))
    for block in design.blocks:
        places = design.places[block.rater]
        chances, _ = conditional(block, weights[places])
        expected = (chances @ numbers)[:, :, None]
        variance = (chances * np.square(numbers - expected)).sum(axis=2)
        fourth = (chances * (numbers - expected) ** 4).sum(axis=2)
        open_ = variance > _ROUNDING  # ratings that the total does not determine
        square = np.square(block.value - expected[:, :, 0])
        ratio = np.divide(square, variance, out=np.zeros_like(square), where=open_)
        for row, part in enumerate((square, variance, fourth - np.square(variance), ratio, open_)):
            totals[row] += np.bincount(
                places[open_], weights=part[open_].astype(np.float64), minlength=len(design.raters)
            )
    found: list[_FitOfRater] = []
    for squares, sum_, spread, ratios, n in totals.T.tolist():
        if not n:
            found.append((None, None, None, None))
            continue
        half = float(scipy.stats.norm.ppf((1 + LEVEL) / 2)) * math.sqrt(max(spread, 0.0)) / sum_
        found.append((squares / sum_, max(0.0, 1 - half), 1 + half, ratios / n))
    return found


def _p_equal(design: _Design, of_story: Numbers) -> float | None:
    """Return the p-value of equal severities from sign flips of stories; None for one story.

    The score statistic (Rao 1948) for equal severities, with thresholds estimated under this hypothesis and
    weighted by the curvature, is compared with its values when the signs of stories are flipped (Kline and
    Santos 2012); this needs neither many stories nor an estimated covariance. Return the mid-p-value over all
    flips, or over `FLIPS` random flips for 14 or more stories.
    """
    size, apart = design.apart + len(design.free), design.apart
    parameters = _maximum(design, np.zeros(size), np.arange(apart, size))
    slopes = _slopes(design, parameters, of_story)[1]
    if len(slopes) < 2:
        return None
    information = _information(design, parameters)
    explained = np.linalg.solve(information[apart:, apart:], information[apart:, :apart])
    own = slopes[:, :apart] - slopes[:, apart:] @ explained
    spreads, axes = np.linalg.eigh(information[:apart, :apart] - information[:apart, apart:] @ explained)
    known = spreads > _ROUNDING * spreads[-1]
    own = own @ axes[:, known] / np.sqrt(spreads[known])
    if float(np.square(own).sum()) < _ROUNDING:
        return 1.0
    far = np.square(_flipped(own)).sum(axis=1)
    level = float(np.square(own.sum(axis=0)).sum())
    # Equal sums of different flips may differ by rounding.
    equal = np.abs(far - level) <= _ROUNDING * far.max()
    return float(((far > level) & ~equal).mean() + equal.mean() / 2)


def _flipped(own: Array) -> Array:
    """Return the sums over stories under sign flips of all but the first, shape (flips, columns).

    Row 0 is the sum without flips.
    """
    if len(own) <= FLIPS.bit_length():
        found = own[:1]
        for story in own[1:]:
            found = np.concatenate([found + story, found - story])
        return found
    generator, found = np.random.default_rng(0), np.zeros((FLIPS - 1, own.shape[1]))
    for begin in range(0, len(own), 64):
        some = own[begin : begin + 64]
        found += (2.0 * generator.integers(0, 2, (FLIPS - 1, len(some))) - 1) @ some
    return np.concatenate([own.sum(axis=0, keepdims=True), found])


def _reliability(values: Array, errors: Array) -> float | None:
    spread = float(np.var(values, ddof=1)) if len(values) > 1 else 0.0
    error = float(np.mean(np.square(errors)))
    return max(0.0, 1 - error / spread) if spread > _ROUNDING * error else None
