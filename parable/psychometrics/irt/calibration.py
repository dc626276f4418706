"""Calibration: estimation of item parameters and abilities, with standard errors, from a response matrix."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from parable.psychometrics.irt.curves import GUESSING, INTERCEPT, SLOPE, Array, Model
from parable.psychometrics.irt.estimation import (
    MOST_CYCLES,
    TOLERANCE,
    Estimate,
    Task,
    first_guess,
    make_task,
    maximise,
)
from parable.psychometrics.irt.priors import PriorChoice, choose_priors
from parable.psychometrics.irt.quadrature import moments
from parable.psychometrics.irt.shrinkage import MOST_DIFFICULTY, expected_difficulty
from parable.psychometrics.irt.standard_errors import ability_variance_from_items, covariances
from parable.psychometrics.responses import (
    Mask,
    Parts,
    ResponseMatrix,
    connected_parts,
    undefined_items,
)

FEW_EXAMINEES: Final = 30
"""With fewer examinees, estimates depend heavily on the priors; reports contain a warning."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Item parameters and abilities of one IRT model; logistic metric, abilities standard normal.

    Arrays have the shape (items,) or (examinees,). `left_out` is a mask of the items that were not estimated:
    items without answers or, without priors, items with only right or only wrong answers; their parameters
    are NaN. A standard error is NaN if the answers do not determine the parameter, or if the parameter is at
    its bound.

    With priors and individual slopes, difficulty and its error are posterior mean and standard deviation
    (`shrinkage`); otherwise difficulty is -d / a. In the 3PL `difficulty_se` is NaN: difficulty and guessing
    trade off, and intervals made from the curvature cover the true difficulty in 70 to 92 of 100 cases
    instead of 95.

    `objective` has the log likelihood plus log priors after each cycle; `converged` is False if EM reached
    its maximum number of cycles. `parts` numbers the connected groups of examinees and items; groups that no
    answer connects have no common scale.
    """

    model: Model
    priors: str
    examinees: tuple[str, ...]
    items: tuple[str, ...]
    discrimination: Array
    intercept: Array
    difficulty: Array
    guessing: Array
    discrimination_se: Array
    difficulty_se: Array
    guessing_se: Array
    covariance: Array
    ability: Array
    ability_se: Array
    log_likelihood: float
    objective: tuple[float, ...]
    converged: bool
    left_out: Mask
    parts: Parts

    @property
    def slope_intercept(self) -> Array:
        """Slope, intercept and guessing of each item, shape (items, 3)."""
        return np.column_stack([self.discrimination, self.intercept, self.guessing])


def calibrate(
    matrix: ResponseMatrix,
    model: Model,
    *,
    priors: PriorChoice = "auto",
    tolerance: float = TOLERANCE,
    most_cycles: int = MOST_CYCLES,
    report: Callable[[int], object] | None = None,
) -> Calibration:
    """Estimate one IRT model by marginal maximum likelihood; `report` is called with the number of EM cycles.

    The sign of the slopes is chosen so that abilities increase with the proportion of right answers. Raise
    ValueError if every item has only right or only wrong answers, so that nothing can be estimated.
    """
    fitted = _fit(matrix, model, priors, tolerance, most_cycles, report)
    return _report(matrix, model, fitted)


def discriminations(
    matrix: ResponseMatrix, model: Model, *, priors: PriorChoice, tolerance: float, most_cycles: int
) -> Array:
    """Estimate only the discriminations, as `calibrate` does.

    The shape is (items,); excluded items have NaN. Standard errors, which take most of the time with
    hundreds of items, are not computed: simulations do not need them. Raise ValueError as `calibrate` does.
    """
    fitted = _fit(matrix, model, priors, tolerance, most_cycles, None)
    ability, _width = moments(fitted.found.posterior, fitted.found.grid)
    slopes = np.full(len(matrix.items), np.nan)
    slopes[~fitted.left_out] = fitted.found.parameters[:, SLOPE] * _sign_by_score(matrix, ability)
    return slopes


def abilities(matrix: ResponseMatrix, model: Model, *, priors: PriorChoice = "auto") -> Array:
    """Estimate only the abilities, as `calibrate` does, without standard errors.

    The shape is (examinees,). Raise ValueError as `calibrate` does.
    """
    fitted = _fit(matrix, model, priors, TOLERANCE, MOST_CYCLES, None)
    ability, _width = moments(fitted.found.posterior, fitted.found.grid)
    return ability * _sign_by_score(matrix, ability)


@dataclass(frozen=True, slots=True)
class _Fit:
    """The result of an estimation, with its input; `left_out` is the mask of excluded items."""

    task: Task
    found: Estimate
    left_out: Mask


def _fit(
    matrix: ResponseMatrix,
    model: Model,
    priors: PriorChoice,
    tolerance: float,
    most_cycles: int,
    report: Callable[[int], object] | None,
) -> _Fit:
    acting = choose_priors(priors, len(matrix.examinees))
    left_out = undefined_items(matrix)
    if left_out.all():
        raise ValueError(
            "Every item was answered rightly by everybody or by nobody: nothing can be estimated."
        )
    if acting is not None:
        left_out = np.logical_not(matrix.answered.any(axis=0))
    used = matrix.of_items(~left_out)

    def climb(to: Model, start: Array) -> Estimate:
        task = make_task(used, to, acting)
        return maximise(task, start, tolerance=tolerance, most_cycles=most_cycles, report=report)

    found = climb(model, first_guess(used, model))
    if model == "3pl" and acting is None:
        # The likelihood has several maxima; at the highest, guessing may be 0.
        without_guessing = climb("2pl", first_guess(used, "2pl")).parameters
        found = max(found, climb(model, without_guessing), key=lambda one: one.objective[-1])
    return _Fit(make_task(used, model, acting), found, left_out)


def _report(matrix: ResponseMatrix, model: Model, fitted: _Fit) -> Calibration:
    task, found, left_out = fitted.task, fitted.found, fitted.left_out
    covariance = covariances(task, found)
    ability, width = moments(found.posterior, found.grid)
    vague = ability_variance_from_items(task, found.parameters, covariance, ability, width)
    sign = _sign_by_score(matrix, ability)
    slope, intercept, guessing = found.parameters.T
    turned = slope * sign
    spread = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    spread = np.where(spread > 0, spread, np.nan)  # a parameter at its bound was not estimated
    if task.priors is None or task.shared:
        difficulty, difficulty_se = _difficulty(turned, intercept, _turn(covariance, sign))
        difficulty_se = np.where(np.isnan(spread[:, :GUESSING]).any(axis=1), np.nan, difficulty_se)
    else:
        difficulty, difficulty_se = expected_difficulty(task, task.priors, found.posterior, found.grid)
        difficulty = difficulty * sign
    has_guessing = task.columns > GUESSING
    if has_guessing:
        difficulty_se = np.full_like(difficulty_se, np.nan)
    guessing_se = spread[:, GUESSING] if has_guessing else np.full_like(guessing, np.nan)

    def whole(values: Array) -> Array:
        complete = np.full((len(matrix.items), *values.shape[1:]), np.nan)
        complete[~left_out] = values
        return complete

    return Calibration(
        model=model,
        priors="none" if task.priors is None else "weak",
        examinees=matrix.examinees,
        items=matrix.items,
        discrimination=whole(turned),
        intercept=whole(intercept),
        difficulty=whole(difficulty),
        guessing=whole(guessing),
        discrimination_se=whole(spread[:, SLOPE]),
        difficulty_se=whole(difficulty_se),
        guessing_se=whole(guessing_se),
        covariance=whole(_turn(covariance, sign)),
        ability=ability * sign,
        ability_se=np.sqrt(np.square(width) + vague),
        log_likelihood=found.posterior.log_likelihood,
        objective=found.objective,
        converged=found.converged,
        left_out=left_out,
        parts=connected_parts(matrix.answered & ~left_out),
    )


def _sign_by_score(matrix: ResponseMatrix, ability: Array) -> float:
    """Return -1 if abilities decrease as the proportion of right answers increases, else 1."""
    asked = matrix.answered.sum(axis=1)
    share = matrix.right.sum(axis=1) / np.maximum(asked, 1)
    apart = (share - share[asked > 0].mean()) * (asked > 0)
    return -1.0 if float(apart @ ability) < 0 else 1.0


def _turn(covariance: Array, sign: float) -> Array:
    turned = covariance.copy()
    turned[:, SLOPE, :] *= sign
    turned[:, :, SLOPE] *= sign
    return turned


def _difficulty(slope: Array, intercept: Array, covariance: Array) -> tuple[Array, Array]:
    """Return difficulties (-d / a) and their standard errors by the delta method, shape (items,) each.

    If the slope is near zero, the quotient may have any size. Difficulties are therefore clipped to the range
    in which there may be examinees; a standard error as large as this range is NaN.
    """
    safe = np.where(np.abs(slope) > 1e-9, slope, 1e-9)
    exact = -intercept / safe
    by_slope, by_intercept = -exact / safe, -1 / safe
    variance = (
        by_slope**2 * covariance[:, SLOPE, SLOPE]
        + 2 * by_slope * by_intercept * covariance[:, SLOPE, INTERCEPT]
        + by_intercept**2 * covariance[:, INTERCEPT, INTERCEPT]
    )
    error = np.sqrt(np.maximum(variance, 0.0))
    error = np.where(error > 2 * MOST_DIFFICULTY, np.nan, error)
    return np.clip(exact, -MOST_DIFFICULTY, MOST_DIFFICULTY), error
