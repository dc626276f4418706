"""Severity of raters by the many-facet Rasch model, with errors and fit.

The rating scale model of Linacre, Many-Facet Rasch Measurement (1989), with units, raters and thresholds.
Estimated by conditional likelihood (Andersen 1973): given a unit's total its quality drops out, so nothing is
assumed of how qualities are spread, and two ratings a unit suffice; joint estimation, as in the program
FACETS, doubles severities there. Errors take stories as units (Huber 1967, Liang and Zeger 1986). Infit and
outfit are conditional as well (Mueller 2020): 1 is expected however few the ratings of a unit.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import scipy

from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.raters.conditional import Array, Block, blocks, conditional
from parable.psychometrics.raters.ratings import Numbers, Ratings, incomparable

LEAST_RATINGS: Final = 10
"""With fewer ratings of common units, a rater's severity is mostly chance, and is not given."""
TOO_FEW: Final = "too_few_ratings"
THRESHOLD_SPREAD: Final = 5.0
"""The sums of thresholds are believed to lie within plus and minus twice this; it keeps them finite."""
_STEP: Final = 1e-5


@dataclass(frozen=True, slots=True)
class Severity:
    """What the model says of one rater. Severity is in logits: 0 is the mean, above it rates lower.

    `n`: ratings of units that others rated, too. Without a severity, `reason` is a code. Infit and outfit
    are 1 where ratings vary as the model says; `infit_low` to `infit_high` holds 95 of 100 such raters.
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
    """All raters, and what they were estimated from.

    `sums`: the sums of thresholds, shape (categories,), infinite where nobody gave the rating. `p_equal`:
    the chance of severities so far apart if all were equal. `reliability`: the share of the spread of
    severities that is not error.
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
    """The ratings that count, and how free parameters become severities and sums of thresholds.

    Severities are `basis` times the first parameters, so that their mean is 0; of the sums those of the
    ratings between the lowest and the highest that were given are free.
    """

    blocks: list[Block]
    raters: Numbers
    basis: Array
    given: Numbers
    categories: int
    everybody: int

    @property
    def free(self) -> Numbers:
        return self.given[1:-1]

    @property
    def size(self) -> int:
        return int(self.basis.shape[1]) + len(self.free)

    def unfold(self, parameters: Array) -> tuple[Array, Array]:
        """Severities, shape (everybody,), and sums of thresholds, shape (categories,)."""
        severity, sums = np.zeros(self.everybody), np.full(self.categories, np.inf)
        severity[self.raters] = self.basis @ parameters[: self.basis.shape[1]]
        sums[self.given] = 0.0
        sums[self.free] = parameters[self.basis.shape[1] :]
        return severity, sums


def severities(
    ratings: Ratings, stories: Mapping[Any, Hashable] | None = None, *, least: int = LEAST_RATINGS
) -> Facets:
    """The severity of each rater; `stories`: the story of each unit, else each is one by itself."""
    counted, reasons = _counted(ratings, least)
    n = np.bincount(ratings.rater[ratings.together()], minlength=len(ratings.raters))
    silent = [
        Severity(name, int(n[row]), reason=reasons.get(row, "")) for row, name in enumerate(ratings.raters)
    ]
    if not len(counted.unit):
        return Facets(tuple(silent), np.full(ratings.categories, np.inf), 0, 0, 0, None, None)
    design = _design(counted)
    parameters = _estimate(design)
    of_story = _labels(counted, stories)
    covariance, clusters = _covariance(design, parameters, of_story)
    severity, sums = design.unfold(parameters)
    basis = design.basis
    of_raters = covariance[: basis.shape[1], : basis.shape[1]]
    errors = np.sqrt(np.einsum("ij,jk,ik->i", basis, of_raters, basis))
    quantile = float(scipy.stats.t.ppf((1 + LEVEL) / 2, max(clusters - 1, 1)))
    fits = _fit(design, parameters)
    found = list(silent)
    for place, row in enumerate(design.raters):
        value, error = float(severity[row]), float(errors[place])
        found[row] = Severity(
            ratings.raters[row], int(n[row]), value, error, value - quantile * error,
            value + quantile * error, *fits[row],
        )  # fmt: skip
    return Facets(
        raters=tuple(found),
        sums=sums,
        units=len(np.unique(counted.unit)),
        ratings=len(counted.unit),
        stories=clusters,
        p_equal=_p_equal(parameters[: basis.shape[1]], of_raters),
        reliability=_reliability(severity[design.raters], errors),
        estimates={ratings.raters[row]: float(severity[row]) for row in design.raters},
    )


def _counted(ratings: Ratings, least: int) -> tuple[Ratings, dict[int, str]]:
    """The ratings that say something of severities, and why the other raters have none."""
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
    raters = np.unique(counted.rater)
    return _Design(
        blocks=blocks(counted),
        raters=raters,
        basis=scipy.linalg.null_space(np.ones((1, len(raters)))),
        given=np.unique(counted.value),
        categories=counted.categories,
        everybody=len(counted.raters),
    )


def _weights(design: _Design, parameters: Array) -> Array:
    """How each rater weighs each rating, shape (raters, categories); 0 for ratings that nobody gave."""
    severity, sums = design.unfold(parameters)
    logit = -np.outer(severity, np.arange(design.categories)) - sums
    return np.asarray(np.exp(logit - logit[:, design.given].mean(axis=1, keepdims=True)))


def _scores(design: _Design, parameters: Array) -> tuple[float, list[Array]]:
    """The log likelihood, and the slope of each unit's part of it, by block, shape (units, parameters)."""
    weights = _weights(design, parameters)
    place = np.zeros(design.everybody, dtype=np.intp)
    place[design.raters] = np.arange(len(design.raters))
    numbers = np.arange(design.categories)
    total, slopes = 0.0, []
    for block in design.blocks:
        chances, likelihood = conditional(block, weights)
        total += float(likelihood.sum())
        low = chances @ numbers - block.value  # a severe rater gives less than expected
        of_raters = np.einsum("ur,urp->up", low, design.basis[place[block.rater]])
        seen = block.value[:, :, None] == design.free
        of_sums = (chances[:, :, design.free] - seen).sum(axis=1)
        slopes.append(np.concatenate([of_raters, of_sums], axis=1))
    return total, slopes


def _objective(parameters: Array, design: _Design) -> tuple[float, Array]:
    value, slopes = _scores(design, parameters)
    sums = parameters[design.basis.shape[1] :] / THRESHOLD_SPREAD
    slope = np.sum([part.sum(axis=0) for part in slopes], axis=0)
    slope[design.basis.shape[1] :] -= sums / THRESHOLD_SPREAD
    return 0.5 * float(sums @ sums) - value, -slope


def _estimate(design: _Design) -> Array:
    found = scipy.optimize.minimize(
        _objective, np.zeros(design.size), args=(design,), jac=True, method="BFGS", options={"gtol": 1e-6}
    )
    return np.asarray(found.x)


def _information(design: _Design, parameters: Array) -> Array:
    """The curvature of the objective, by central differences of its slope."""
    columns = []
    for place in range(design.size):
        step = np.zeros(design.size)
        step[place] = _STEP
        up, down = (_objective(parameters + sign * step, design)[1] for sign in (1, -1))
        columns.append((up - down) / (2 * _STEP))
    found = np.array(columns)
    return (found + found.T) / 2


def _labels(counted: Ratings, stories: Mapping[Any, Hashable] | None) -> Numbers:
    """The number of each unit's story, shape (units,)."""
    named = [unit if stories is None else stories.get(unit, ("unit", unit)) for unit in counted.units]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(named))}
    return np.array([numbers[name] for name in named], dtype=np.intp)


def _covariance(design: _Design, parameters: Array, of_story: Numbers) -> tuple[Array, int]:
    """The covariance of the parameters with stories as units, and how many stories there are."""
    bread = np.asarray(np.linalg.pinv(_information(design, parameters), hermitian=True), dtype=np.float64)
    _, slopes = _scores(design, parameters)
    labels = np.concatenate([of_story[block.unit] for block in design.blocks])
    used, where = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(used), design.size))
    np.add.at(sums, where, np.concatenate(slopes))
    n = len(used)
    if n < 2:
        return bread, n
    meat = sums.T @ sums * n / (n - 1)
    return np.asarray(bread @ meat @ bread), n


def _fit(design: _Design, parameters: Array) -> dict[int, tuple[float, float, float, float]]:
    """Infit, where it lies for 95 of 100 raters who fit, and outfit, by the number of the rater."""
    weights, numbers = _weights(design, parameters), np.arange(design.categories)
    totals = np.zeros((5, design.everybody))
    for block in design.blocks:
        chances, _ = conditional(block, weights)
        expected = (chances @ numbers)[:, :, None]
        variance = (chances * np.square(numbers - expected)).sum(axis=2)
        fourth = (chances * (numbers - expected) ** 4).sum(axis=2)
        open_ = variance > 1e-9  # where the total leaves a choice
        square = np.square(block.value - expected[:, :, 0])
        ratio = np.divide(square, variance, out=np.zeros_like(square), where=open_)
        for row, part in enumerate((square, variance, fourth - np.square(variance), ratio, open_)):
            totals[row] += np.bincount(
                block.rater[open_], weights=part[open_].astype(np.float64), minlength=design.everybody
            )
    found = {}
    for rater in design.raters:
        squares, sum_, spread, ratios, n = totals[:, rater].tolist()
        half = float(scipy.stats.norm.ppf((1 + LEVEL) / 2)) * math.sqrt(max(spread, 0.0)) / sum_
        found[int(rater)] = (squares / sum_, max(0.0, 1 - half), 1 + half, ratios / n)
    return found


def _p_equal(parameters: Array, covariance: Array) -> float | None:
    """Wald's test that all severities are equal."""
    if not len(parameters):
        return None
    chi = float(parameters @ np.linalg.pinv(covariance, hermitian=True) @ parameters)
    return float(scipy.stats.chi2.sf(chi, len(parameters)))


def _reliability(values: Array, errors: Array) -> float | None:
    spread = float(np.var(values, ddof=1)) if len(values) > 1 else 0.0
    return max(0.0, 1 - float(np.mean(np.square(errors))) / spread) if spread > 0 else None
