"""The M step of EM: one step of Fisher scoring for all items, from expected counts.

If a step would lower an item's expected log likelihood (with its prior), it is shortened, and dropped if that
does not help. Each call therefore leaves the objective equal or better, which is all that EM requires.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from parable.psychometrics.irt.curves import (
    GUESSING,
    INTERCEPT,
    MOST_GUESSING,
    MOST_INTERCEPT,
    MOST_SLOPE,
    SLOPE,
    Array,
    Curves,
    curves,
    multipliers,
)
from parable.psychometrics.irt.priors import Priors
from parable.psychometrics.irt.quadrature import Counts
from parable.psychometrics.responses import Mask

_HALVINGS: Final = 8
_RIDGE: Final = 1e-9
LOWEST: Final = np.array([-MOST_SLOPE, -MOST_INTERCEPT, 0.0])
_SUMS: Final = np.array([[0, 1], [1, 2]])
"""Indexes into the sums over (theta squared, theta, 1) that form the information of slope and intercept."""
HIGHEST: Final = np.array([MOST_SLOPE, MOST_INTERCEPT, MOST_GUESSING])


@dataclass(frozen=True, slots=True)
class Slopes:
    """Gradient (items, columns) and information (items, columns, columns) of the expected log likelihood."""

    gradient: Array
    information: Array


def improve(parameters: Array, counts: Counts, priors: Priors | None, columns: int, *, shared: bool) -> Array:
    """Make one M step: return parameters that do not lower the objective for these counts.

    With `shared`, all items have the same slope.
    """
    aim = Aim(counts, priors, columns, shared)
    here = _stand(aim, parameters)
    found = derivatives(aim, here.parameters, here.at)
    return _guarded(
        aim, here, _shared_step(found) if aim.shared else _own_step(here.parameters, found)
    ).parameters


@dataclass(frozen=True, slots=True)
class Aim:
    """The objective of the M step: the expected log likelihood of the counts, with the priors."""

    counts: Counts
    priors: Priors | None
    columns: int
    shared: bool


@dataclass(frozen=True, slots=True)
class _Standing:
    """Parameters with their item curves and the value of the objective, shape (items,)."""

    parameters: Array
    at: Curves
    value: Array


def _stand(aim: Aim, parameters: Array) -> _Standing:
    counts = aim.counts
    at = curves(parameters, counts.points)
    value = np.einsum("jq,jq->j", counts.right, at.log_odds)
    value += np.einsum("jq,jq->j", counts.asked, at.log_wrong)
    if aim.priors is not None:
        value += aim.priors.log_density(parameters, aim.columns)
    return _Standing(parameters, at, value)


def derivatives(aim: Aim, parameters: Array, at: Curves) -> Slopes:
    """Return the gradient and Fisher information of each item's expected log likelihood, with its prior."""
    counts, columns = aim.counts, aim.columns
    residuals = counts.right - counts.asked * at.right
    spread = counts.asked * at.right * (1 - at.right)
    powers = np.stack([np.square(counts.points), counts.points, np.ones_like(counts.points)], axis=1)
    by_logit, by_guessing = multipliers(parameters, at, columns)
    gradient = np.empty((len(parameters), columns))
    fisher = np.empty((len(parameters), columns, columns))
    gradient[:, :GUESSING] = (residuals * by_logit) @ powers[:, 1:]
    fisher[:, :GUESSING, :GUESSING] = ((spread * by_logit**2) @ powers)[:, _SUMS]
    if by_guessing is not None:
        gradient[:, GUESSING] = np.einsum("jq,jq->j", residuals, by_guessing)
        crossed = (spread * by_logit * by_guessing) @ powers[:, 1:]
        fisher[:, GUESSING, :GUESSING] = fisher[:, :GUESSING, GUESSING] = crossed
        fisher[:, GUESSING, GUESSING] = np.einsum("jq,jq->j", spread, by_guessing**2)
    if aim.priors is not None:
        gradient += aim.priors.gradient(parameters, columns)
        diagonal = np.arange(columns)
        fisher[:, diagonal, diagonal] += aim.priors.information(parameters, columns)
    return Slopes(gradient, fisher)


def at_bound(parameters: Array, gradient: Array) -> Mask:
    """Return a mask of the parameters at a bound whose gradient points outwards, shape of `gradient`."""
    columns = gradient.shape[1]
    low = (parameters[:, :columns] <= LOWEST[:columns]) & (gradient <= 0)
    high = (parameters[:, :columns] >= HIGHEST[:columns]) & (gradient >= 0)
    return np.asarray(low | high)


def _own_step(parameters: Array, found: Slopes) -> Array:
    """Return a Fisher step of each item, leaving parameters at a bound unchanged."""
    held = at_bound(parameters, found.gradient)
    gradient = np.where(held, 0.0, found.gradient)
    fisher = np.where(held[:, :, None] | held[:, None, :], 0.0, found.information)
    diagonal = np.arange(gradient.shape[1])
    scale = np.abs(fisher[:, diagonal, diagonal])
    fisher[:, diagonal, diagonal] += np.where(held, 1.0, _RIDGE * (1 + scale))
    return np.linalg.solve(fisher, gradient[:, :, None])[:, :, 0]


def _shared_step(found: Slopes) -> Array:
    """Return a Fisher step if all items share one slope, solved by eliminating the intercepts."""
    cross, own = found.information[:, SLOPE, INTERCEPT], found.information[:, INTERCEPT, INTERCEPT] + _RIDGE
    schur = np.sum(found.information[:, SLOPE, SLOPE] - cross**2 / own)
    slope = np.sum(found.gradient[:, SLOPE] - cross / own * found.gradient[:, INTERCEPT]) / (schur + _RIDGE)
    intercepts = (found.gradient[:, INTERCEPT] - cross * slope) / own
    return np.column_stack([np.full_like(intercepts, slope), intercepts])


def _guarded(aim: Aim, here: _Standing, step: Array) -> _Standing:
    """Move by the step, shortened until it does not lower the objective.

    The step is shortened for each item, or for all items together if they share the slope.
    """
    lengths = np.ones(len(step))
    for _ in range(_HALVINGS):
        tried = _stand(aim, moved_by(here.parameters, step * lengths[:, None]))
        worse = ~(tried.value >= here.value)
        if aim.shared:
            worse[:] = not float(tried.value.sum()) >= float(here.value.sum())
        if not worse.any():
            return tried
        lengths[worse] /= 4
    return _stand(aim, np.where(worse[:, None], here.parameters, tried.parameters))


def moved_by(parameters: Array, step: Array) -> Array:
    """Add a step to parameters and clip the result to the bounds."""
    moved = parameters.copy()
    moved[:, : step.shape[1]] += step
    return np.clip(moved, LOWEST, HIGHEST)
