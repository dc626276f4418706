"""Marginal maximum likelihood by EM, for a standard normal population.

Each cycle computes the examinees' posteriors (quadrature), improves all items (maximisation), rescales the
items to the estimated mean and standard deviation of the population (parameter expansion), and extrapolates
the last two moves. A step that decreases the objective is undone, so the objective never decreases.

Sources: Bock and Aitkin, Marginal maximum likelihood estimation of item parameters (1981); Liu, Rubin and Wu,
Parameter expansion to accelerate EM: the PX-EM algorithm (1998); Varadhan and Roland, Simple and globally
convergent methods for accelerating any EM algorithm (2008).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from parable.psychometrics.irt.curves import (
    GUESSING,
    INTERCEPT,
    MOST_GUESSING,
    MOST_INTERCEPT,
    SLOPE,
    Array,
    Model,
)
from parable.psychometrics.irt.maximisation import HIGHEST, LOWEST, improve, moved_by
from parable.psychometrics.irt.priors import Priors
from parable.psychometrics.irt.quadrature import (
    Answers,
    Grid,
    Posterior,
    expected_counts,
    fitting_grid,
    make_answers,
    make_grid,
    population,
    posterior,
)
from parable.psychometrics.responses import (
    ResponseMatrix,
    item_rest_correlation,
    proportion_correct,
)

TOLERANCE: Final = 1e-5
"""EM has converged if all parameters change by less than this in one plain cycle."""
MOST_CYCLES: Final = 1000
_FIRST_GUESSING: Final = 0.15
_LONGEST_LEAP: Final = 32.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """The result of EM: parameters (items, 3), the posterior, and the objective after each cycle.

    The objective is the marginal log likelihood, plus the log priors if there are priors. `converged` is
    False if EM reached its maximum number of cycles.
    """

    parameters: Array
    posterior: Posterior
    grid: Grid
    objective: tuple[float, ...]
    converged: bool


@dataclass(frozen=True, slots=True)
class Task:
    """The input of an estimation: answers, priors, and the form of the IRT model.

    `columns` is the number of parameters per item, 3 with guessing, else 2; `shared`: whether all items have
    one slope.
    """

    answers: Answers
    priors: Priors | None
    columns: int
    shared: bool

    def objective(self, parameters: Array, found: Posterior) -> float:
        """Return the log likelihood of all answers plus the log density of the priors."""
        if self.priors is None:
            return found.log_likelihood
        return found.log_likelihood + float(self.priors.log_density(parameters, self.columns).sum())


def make_task(matrix: ResponseMatrix, model: Model, priors: Priors | None) -> Task:
    """Return the estimation task for a matrix; in the 1PL, the prior of the shared slope counts only once."""
    shared = model == "1pl"
    if priors is not None and shared:
        mean, spread = priors.slope
        priors = replace(priors, slope=(mean, spread * len(matrix.items) ** 0.5))
    return Task(make_answers(matrix), priors, columns=3 if model == "3pl" else 2, shared=shared)


def maximise(
    task: Task,
    start: Array,
    *,
    tolerance: float = TOLERANCE,
    most_cycles: int = MOST_CYCLES,
    report: Callable[[int], object] | None = None,
) -> Estimate:
    """Run EM from the start values until it converges; `report` is called with the number of cycles."""
    grid = fitting_grid(start, make_grid())
    here = _stand(task, start, grid)
    reached, converged = [here.objective], False
    while not converged and len(reached) <= most_cycles:
        here, converged = _leaping_cycle(task, here, grid, tolerance)
        finer = fitting_grid(here.parameters, grid)
        if finer is not grid:
            grid, here = finer, _stand(task, here.parameters, finer)
        reached.append(here.objective)
        if report is not None:
            report(len(reached) - 1)
    return Estimate(here.parameters, here.posterior, grid, tuple(reached), converged)


@dataclass(frozen=True, slots=True)
class _Standing:
    """Parameters with their posterior and objective."""

    parameters: Array
    posterior: Posterior
    objective: float


def _stand(task: Task, parameters: Array, grid: Grid) -> _Standing:
    found = posterior(parameters, task.answers, grid)
    return _Standing(parameters, found, task.objective(parameters, found))


def _leaping_cycle(task: Task, start: _Standing, grid: Grid, tolerance: float) -> tuple[_Standing, bool]:
    """Run two plain cycles and extrapolate, unless this lowers the objective.

    Also return whether EM has converged.
    """
    first = _plain_cycle(task, start, grid)
    if np.max(np.abs(first.parameters - start.parameters), initial=0.0) < tolerance:
        return first, True
    improved = _improved(task, first, grid)
    second = _expanded(task, improved, first, grid)
    leapt = _stand(task, _leap(start.parameters, first.parameters, second), grid)
    return (
        leapt if leapt.objective >= first.objective else _better(task, second, improved, first, grid)
    ), False


def _plain_cycle(task: Task, here: _Standing, grid: Grid) -> _Standing:
    """Run one cycle of EM and rescale the items, unless rescaling lowers the objective."""
    improved = _improved(task, here, grid)
    return _better(task, _expanded(task, improved, here, grid), improved, here, grid)


def _better(task: Task, expanded: Array, improved: Array, here: _Standing, grid: Grid) -> _Standing:
    """Return the state for `expanded`, or for `improved` if rescaling lowered the objective.

    Rescaling can lower the objective because of bounds or the grid.
    """
    found = _stand(task, expanded, grid)
    if found.objective >= here.objective or expanded is improved:
        return found
    return _stand(task, improved, grid)


def _improved(task: Task, here: _Standing, grid: Grid) -> Array:
    counts = expected_counts(here.posterior, task.answers, grid)
    return improve(here.parameters, counts, task.priors, task.columns, shared=task.shared)


def _expanded(task: Task, improved: Array, here: _Standing, grid: Grid) -> Array:
    """Rescale the items so that the estimated population has mean 0 and standard deviation 1.

    With many items, abilities are precise, and plain EM is slowest in shifting or stretching all items
    together. With priors, or with guessing, the items are returned unchanged: priors determine the scale, and
    with guessing other directions are the slow ones.
    """
    if task.priors is not None or task.columns > GUESSING:
        return improved
    mean, spread = population(here.posterior, grid)
    moved = improved.copy()
    moved[:, INTERCEPT] += mean * moved[:, SLOPE]
    moved[:, SLOPE] *= spread
    return np.clip(moved, LOWEST, HIGHEST)


def _leap(start: Array, first: Array, second: Array) -> Array:
    """Extrapolate the last two moves (scheme S3 of Varadhan and Roland)."""
    move = first - start
    bend = (second - first) - move
    curvature = float(np.linalg.norm(bend))
    length = float(np.linalg.norm(move)) / curvature if curvature else 1.0
    length = float(np.clip(length, 1.0, _LONGEST_LEAP))
    leapt = moved_by(start, 2 * length * move + length**2 * bend)
    # Guessing can often not leave its bound again, so only a plain cycle may move it there.
    leapt[:, GUESSING] = np.clip(
        leapt[:, GUESSING], second[:, GUESSING] / 2, (second[:, GUESSING] + MOST_GUESSING) / 2
    )
    return leapt


def first_guess(matrix: ResponseMatrix, model: Model) -> Array:
    """Compute EM's start values from proportion correct and item-rest correlation, shape (items, 3)."""
    correlation = np.clip(np.nan_to_num(item_rest_correlation(matrix), nan=0.3), -0.6, 0.6)
    asked = matrix.answered.sum(axis=0)
    share = (np.nan_to_num(proportion_correct(matrix), nan=0.5) * asked + 0.5) / (asked + 1)
    found = np.zeros((len(matrix.items), 3))
    found[:, SLOPE] = 1.7 * correlation / np.sqrt(1 - correlation**2)
    if model == "3pl":
        found[:, GUESSING] = np.minimum(_FIRST_GUESSING, share / 2)
        share = (share - found[:, GUESSING]) / (1 - found[:, GUESSING])
    if model == "1pl":
        found[:, SLOPE] = max(float(found[:, SLOPE].mean()), 0.3)
    logit = np.log(share / (1 - share)) * np.sqrt(1 + found[:, SLOPE] ** 2 / 2.9)
    found[:, INTERCEPT] = np.clip(logit, -MOST_INTERCEPT, MOST_INTERCEPT)
    return found
