"""The grid of abilities for numerical integration, and the examinees' posteriors on the grid.

The error of the trapezoid rule with step h is about exp(-2 pi^2 s^2 / h^2) for a posterior of standard
deviation s, so a step below s is exact for our purposes: the step is chosen for the narrowest posterior
possible. Source: Trefethen and Weideman, The exponentially convergent trapezoidal rule (2014).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.irt.curves import Array, curves, information
from parable.psychometrics.responses import ResponseMatrix

REACH: Final = 6.0
"""The largest ability on the grid; only two in a thousand million people are outside -6 to 6."""
_WIDEST_STEP: Final = 0.25
_LEAST_STEP: Final = 0.015
_STEP_PER_WIDTH: Final = 0.95
_LEAST_MASS: Final = 1e-14
_NOTICEABLE: Final = 0.9


@dataclass(frozen=True, slots=True)
class Grid:
    """Points of ability, and the log weight of each in a standard normal population, shape (points,)."""

    points: Array
    log_weights: Array
    step: float


@dataclass(frozen=True, slots=True)
class Posterior:
    """The examinees' posteriors; each row of `weights`, shape (examinees, points), adds up to 1.

    `log_likelihood` is the marginal log likelihood of all answers.
    """

    weights: Array
    log_likelihood: float


@dataclass(frozen=True)
class Answers:
    """Arrays of 0 and 1, shape (examinees, items): `right` marks right answers, `asked` given answers."""

    right: Array
    asked: Array

    @cached_property
    def complete(self) -> bool:
        """Whether no answer is missing, which halves the arithmetic."""
        return bool(self.asked.all())

    def asked_at(self, weights: Array) -> Array:
        """Return the total weight of the examinees who answered each item, shape (items, points)."""
        if self.complete:
            return np.broadcast_to(weights.sum(axis=0), (self.asked.shape[1], weights.shape[1]))
        return np.asarray(self.asked.T @ weights)


def make_answers(matrix: ResponseMatrix) -> Answers:
    """Return the answers of a matrix; if no answer is missing, `asked` is a broadcast 1, to save memory."""
    right, answered = matrix.right.astype(np.float64), matrix.answered
    asked = np.broadcast_to(np.ones(1), right.shape) if answered.all() else answered.astype(np.float64)
    return Answers(right, asked)


def make_grid(step: float = _WIDEST_STEP) -> Grid:
    """Return a grid with equal steps over the range of abilities, -6 to 6."""
    half = int(np.ceil(REACH / step))
    points = np.linspace(-REACH, REACH, 2 * half + 1)
    log_density = -0.5 * np.square(points)
    return Grid(points, log_density - scipy.special.logsumexp(log_density), step)


def fitting_grid(parameters: Array, grid: Grid) -> Grid:
    """Return this grid, or a finer or coarser one if the precision of the test requires another step."""
    sharpest = float(information(parameters, grid.points).sum(axis=0).max())
    wanted = float(np.clip(_STEP_PER_WIDTH / np.sqrt(1 + sharpest), _LEAST_STEP, _WIDEST_STEP))
    if wanted < grid.step * _NOTICEABLE or wanted > 2 * grid.step:
        return make_grid(wanted * _NOTICEABLE)
    return grid


def posterior(parameters: Array, answers: Answers, grid: Grid) -> Posterior:
    """Compute the examinees' posteriors on the grid, and the marginal log likelihood of all answers."""
    at = curves(parameters, grid.points)
    joint = answers.right @ at.log_odds
    joint += at.log_wrong.sum(axis=0) if answers.complete else answers.asked @ at.log_wrong
    joint += grid.log_weights
    highest = joint.max(axis=1, keepdims=True)
    joint -= highest
    np.exp(joint, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    joint /= total
    return Posterior(joint, float(np.sum(highest + np.log(total))))


@dataclass(frozen=True, slots=True)
class Counts:
    """Expected numbers of right answers and of answers, shape (items, points).

    `points` are the grid points with posterior weight.
    """

    points: Array
    right: Array
    asked: Array


def expected_counts(found: Posterior, answers: Answers, grid: Grid) -> Counts:
    """Return the expected numbers of right answers and of answers at each grid point.

    Points without posterior weight are left out.
    """
    peopled = found.weights.sum(axis=0) > _LEAST_MASS
    weights = found.weights if peopled.all() else found.weights[:, peopled]
    return Counts(grid.points[peopled], answers.right.T @ weights, answers.asked_at(weights))


def moments(found: Posterior, grid: Grid) -> tuple[Array, Array]:
    """Return the mean and standard deviation of each examinee's posterior, shape (examinees,) each."""
    mean = found.weights @ grid.points
    apart = grid.points - mean[:, None]
    return mean, np.sqrt(np.einsum("ij,ij,ij->i", found.weights, apart, apart))


def population(found: Posterior, grid: Grid) -> tuple[float, float]:
    """Return the mean and standard deviation of ability over all examinees, from their posteriors."""
    shares = found.weights.mean(axis=0)
    mean = float(shares @ grid.points)
    return mean, float(np.sqrt(shares @ np.square(grid.points - mean)))
