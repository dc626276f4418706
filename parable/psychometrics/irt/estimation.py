"""Marginal maximum likelihood by EM, for a standard normal population.

Each cycle averages over the examinees' posteriors (quadrature), improves all items (maximisation) and
leaps ahead along the last two moves where that makes the objective no smaller, so it never falls.
Sources: Bock and Aitkin, Marginal maximum likelihood estimation of item parameters (1981); Varadhan and
Roland, Simple and globally convergent methods for accelerating any EM algorithm (2008).
"""

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
from parable.psychometrics.irt.maximisation import improve, moved_by
from parable.psychometrics.irt.priors import Priors
from parable.psychometrics.irt.quadrature import (
    Answers,
    Grid,
    Posterior,
    expected_counts,
    fitting_grid,
    make_grid,
    posterior,
)
from parable.psychometrics.responses import (
    ResponseMatrix,
    item_rest_correlation,
    proportion_correct,
)

TOLERANCE: Final = 1e-5
"""EM has settled when no parameter moves further than this in one plain cycle."""
MOST_CYCLES: Final = 1000
_FIRST_GUESSING: Final = 0.15
_LONGEST_LEAP: Final = 32.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """Where EM came to rest: parameters (items, 3), the posterior there, and the objective of each cycle.

    The objective is the marginal log likelihood, plus the log priors where they act. `settled` is false
    where EM was still moving after the cycles it was given.
    """

    parameters: Array
    posterior: Posterior
    grid: Grid
    objective: tuple[float, ...]
    settled: bool


@dataclass(frozen=True, slots=True)
class Task:
    """What is fitted to what: one model to one set of answers."""

    answers: Answers
    priors: Priors | None
    columns: int
    shared: bool

    def objective(self, parameters: Array, found: Posterior) -> float:
        """The log likelihood of all answers, with the log priors."""
        if self.priors is None:
            return found.log_likelihood
        return found.log_likelihood + float(self.priors.log_density(parameters, self.columns).sum())


def make_task(matrix: ResponseMatrix, model: Model, priors: Priors | None) -> Task:
    """The matrix as ones in two arrays; a slope that all items share has its prior once, not for each."""
    shared = model == "1pl"
    if priors is not None and shared:
        mean, spread = priors.slope
        priors = replace(priors, slope=(mean, spread * len(matrix.items) ** 0.5))
    answers = Answers(matrix.right.astype(np.float64), matrix.answered.astype(np.float64))
    return Task(answers, priors, columns=3 if model == "3pl" else 2, shared=shared)


def maximise(
    task: Task, start: Array, *, tolerance: float = TOLERANCE, most_cycles: int = MOST_CYCLES
) -> Estimate:
    """Climb from the start until EM has settled."""
    parameters, grid = start, fitting_grid(start, make_grid())
    found = posterior(parameters, task.answers, grid)
    reached = [task.objective(parameters, found)]
    settled = False
    while not settled and len(reached) <= most_cycles:
        parameters, found, settled = _leaping_cycle(task, parameters, found, grid, tolerance)
        finer = fitting_grid(parameters, grid)
        if finer is not grid:
            grid, found = finer, posterior(parameters, task.answers, finer)
        reached.append(task.objective(parameters, found))
    return Estimate(parameters, found, grid, tuple(reached), settled)


def _leaping_cycle(
    task: Task, start: Array, found: Posterior, grid: Grid, tolerance: float
) -> tuple[Array, Posterior, bool]:
    """Two plain cycles and a leap past them, taken back where it makes the objective smaller."""
    first = _plain_cycle(task, start, found, grid)
    after_first = posterior(first, task.answers, grid)
    if np.max(np.abs(first - start), initial=0.0) < tolerance:
        return first, after_first, True
    second = _plain_cycle(task, first, after_first, grid)
    leapt = _leap(start, first, second)
    after_leap = posterior(leapt, task.answers, grid)
    if task.objective(leapt, after_leap) >= task.objective(first, after_first):
        return leapt, after_leap, False
    return second, posterior(second, task.answers, grid), False


def _plain_cycle(task: Task, parameters: Array, found: Posterior, grid: Grid) -> Array:
    counts = expected_counts(found, task.answers, grid)
    return improve(parameters, counts, task.priors, task.columns, shared=task.shared)


def _leap(start: Array, first: Array, second: Array) -> Array:
    """The point that the last two moves are heading for (scheme S3 of Varadhan and Roland)."""
    move = first - start
    bend = (second - first) - move
    curvature = float(np.linalg.norm(bend))
    length = float(np.linalg.norm(move)) / curvature if curvature else 1.0
    length = float(np.clip(length, 1.0, _LONGEST_LEAP))
    leapt = moved_by(start, 2 * length * move + length**2 * bend)
    # From a bound of guessing there is often no way back: only a plain cycle may go there.
    leapt[:, GUESSING] = np.clip(
        leapt[:, GUESSING], second[:, GUESSING] / 2, (second[:, GUESSING] + MOST_GUESSING) / 2
    )
    return leapt


def first_guess(matrix: ResponseMatrix, model: Model) -> Array:
    """Where EM starts: from the share right and the item-rest correlation, shape (items, 3)."""
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
