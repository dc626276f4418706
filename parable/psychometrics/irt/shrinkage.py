"""Item difficulty with few examinees: posterior means under empirical Bayes priors.

With ten answers per item, the most probable slope and intercept tell little about the difficulty, which is
their quotient. Therefore combinations of slope, difficulty and guessing on a grid are weighted by the
likelihood of the answers and by priors: slope and guessing have their usual prior; the prior of difficulties
is normal, with mean and standard deviation estimated from all items (empirical Bayes). Source: Morris,
Parametric empirical Bayes inference (1983).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.irt.curves import GUESSING, MOST_GUESSING, Array
from parable.psychometrics.irt.estimation import Task
from parable.psychometrics.irt.priors import Priors
from parable.psychometrics.irt.quadrature import Grid, Posterior

MOST_DIFFICULTY: Final = 4.0
_DIFFICULTIES: Final = np.linspace(-MOST_DIFFICULTY, MOST_DIFFICULTY, 41)
_SLOPE_REACH: Final = 2.5
_SLOPES: Final = 11
_GUESSINGS: Final = np.linspace(0.0, MOST_GUESSING, 11)[1:-1]
_POPULATION_CYCLES: Final = 30
_BELIEF: Final = 5.0
"""The weight, in items, of the prior that difficulties are standard normal."""
_LEAST: Final = 1e-12


@dataclass(frozen=True, slots=True)
class _Kinds:
    """The grid of item parameters, shape (grid points,); the difficulty varies fastest.

    `weight` is the prior of slope and guessing.
    """

    slope: Array
    difficulty: Array
    guessing: Array
    weight: Array


def expected_difficulty(task: Task, priors: Priors, found: Posterior, grid: Grid) -> tuple[Array, Array]:
    """Return the posterior mean and standard deviation of each item's difficulty, shape (items,) each.

    Use it only for tasks with priors in which each item has its own slope.
    """
    kinds = _kinds(priors, has_guessing=task.columns > GUESSING)
    density = _likelihoods(task, kinds, found, grid) * kinds.weight
    by_difficulty = density.reshape(len(density), -1, len(_DIFFICULTIES)).sum(axis=1)
    after = by_difficulty * _population(by_difficulty)
    after /= after.sum(axis=1, keepdims=True)
    mean = after @ _DIFFICULTIES
    return mean, np.sqrt(np.maximum(after @ np.square(_DIFFICULTIES) - np.square(mean), 0.0))


def _kinds(priors: Priors, *, has_guessing: bool) -> _Kinds:
    middle, spread = priors.slope
    apart = np.linspace(-_SLOPE_REACH, _SLOPE_REACH, _SLOPES)
    levels = _GUESSINGS if has_guessing else np.zeros(1)
    guessing, steps, difficulty = (
        axis.ravel() for axis in np.meshgrid(levels, apart, _DIFFICULTIES, indexing="ij")
    )
    first, second = priors.guessing
    weight = np.exp(-0.5 * np.square(steps))
    if has_guessing:
        weight = weight * guessing ** (first - 1) * (1 - guessing) ** (second - 1)
    return _Kinds(middle + spread * steps, difficulty, guessing, weight)


def _likelihoods(task: Task, kinds: _Kinds, found: Posterior, grid: Grid) -> Array:
    """Return the marginal likelihood of each item at each grid point, scaled, shape (items, grid points)."""
    kept = found.weights.max(axis=0) > _LEAST
    weights, points = found.weights[:, kept], grid.points[kept]
    logit = kinds.slope[:, None] * (points - kinds.difficulty[:, None])
    guessing = kinds.guessing[:, None]
    right = guessing + (1 - guessing) * (scipy.special.expit(logit) @ weights.T)
    log_wrong = np.log(np.maximum(1 - right, _LEAST))
    log_odds = np.log(np.maximum(right, _LEAST)) - log_wrong
    likelihood = task.answers.right.T @ log_odds.T + task.answers.asked.T @ log_wrong.T
    likelihood -= likelihood.max(axis=1, keepdims=True)
    return np.asarray(np.exp(likelihood, out=likelihood))


def _population(by_difficulty: Array) -> Array:
    """Return the prior weights of the grid's difficulties: a normal distribution estimated from all items."""
    mean, variance = 0.0, 1.0
    weights = _normal(mean, variance)
    for _ in range(_POPULATION_CYCLES):
        after = by_difficulty * weights
        after /= after.sum(axis=1, keepdims=True)
        total = len(after) + _BELIEF
        mean = float((after @ _DIFFICULTIES).sum() / total)
        square = float((after @ np.square(_DIFFICULTIES - mean)).sum())
        variance = (square + _BELIEF * (1 + mean**2)) / total
        weights = _normal(mean, variance)
    return weights


def _normal(mean: float, variance: float) -> Array:
    weights = np.exp(-0.5 * np.square(_DIFFICULTIES - mean) / variance)
    return np.asarray(weights / weights.sum())
