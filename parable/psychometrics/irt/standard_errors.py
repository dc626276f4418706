"""Standard errors: the complete-data information minus the information missing because abilities are unknown.

The complete-data information is Fisher's. A parameter at its bound is treated as known. Source: Louis,
Finding the observed information matrix when using the EM algorithm (1982).
"""

from typing import Final

import numpy as np

from parable.psychometrics.irt.curves import INTERCEPT, SLOPE, Array, curves, multipliers
from parable.psychometrics.irt.estimation import Estimate, Task
from parable.psychometrics.irt.maximisation import Aim, at_bound, derivatives
from parable.psychometrics.irt.quadrature import expected_counts
from parable.psychometrics.responses import Mask

_MOST_WORK: Final = 2e10
"""The most multiplications for the joint matrix of all items; above this, items are inverted one by one."""
_CHUNK_CELLS: Final = 4_000_000


def covariances(task: Task, found: Estimate) -> Array:
    """Return the covariance of each item's parameters, shape (items, c, c); NaN if it cannot be estimated.

    c is the number of parameters per item. Up to about 150 items and 1,000 examinees, the information of all
    items is inverted together. Larger sets are inverted item by item, a close approximation, which ignores
    that all items share one sample of examinees.
    """
    aim = Aim(
        expected_counts(found.posterior, task.answers, found.grid), task.priors, task.columns, task.shared
    )
    complete = derivatives(aim, found.parameters, curves(found.parameters, aim.counts.points))
    held = at_bound(found.parameters, complete.gradient)
    peopled = np.isin(found.grid.points, aim.counts.points)
    weights = found.posterior.weights[:, peopled]
    size = complete.gradient.size
    if weights.size * size**2 <= _MOST_WORK or task.shared:
        if task.shared:
            return _shared_covariances(task, found, complete.information, weights, aim.counts.points)
        return _joint_covariances(task, found, complete.information, held, weights, aim.counts.points)
    missing = _missing_by_item(task, found, weights, aim.counts.points)
    return _inverted(complete.information - missing, held)


def _scores(task: Task, found: Estimate, points: Array) -> tuple[Array, Array]:
    """Return factors f and g, shape (points, items, columns); the score of an answer x is x f - g."""
    at = curves(found.parameters, points)
    by_logit, by_guessing = multipliers(found.parameters, at, task.columns)
    parts = [by_logit * points, by_logit] + ([] if by_guessing is None else [by_guessing])
    factors = np.stack(parts, axis=-1).transpose(1, 0, 2)
    return factors, factors * at.right.T[:, :, None]


def _missing(task: Task, found: Estimate, weights: Array, points: Array) -> Array:
    """Return the missing information of all parameters: the posterior covariance of the score, (size, size).

    A score is a residual times a factor of item and point, so products of residuals are computed once per
    point.
    """
    factors, expected = _scores(task, found, points)
    right, asked = task.answers.right, task.answers.asked
    _, items, columns = factors.shape
    probability = curves(found.parameters, points).right
    square = np.zeros((columns, columns, items, items))
    for q in range(len(points)):
        residual = right - asked * probability[:, q]
        together = (residual * weights[:, [q]]).T @ residual
        for k in range(columns):
            weighed = factors[q, :, k, None] * together
            for m in range(k + 1):
                square[k, m] += weighed * factors[q, :, m]
    for k in range(columns):
        for m in range(k):
            square[m, k] = square[k, m].T
    mean = _mean_score(task, factors, expected, weights)
    size = items * columns
    return np.asarray(square.transpose(2, 0, 3, 1).reshape(size, size) - mean.T @ mean)


def _mean_score(task: Task, factors: Array, expected: Array, weights: Array) -> Array:
    """Return the posterior mean of each examinee's score, shape (examinees, size)."""
    size = factors.shape[1] * factors.shape[2]
    shape = (len(weights), *factors.shape[1:])
    right = (weights @ factors.reshape(len(factors), size)).reshape(shape)
    asked = (weights @ expected.reshape(len(factors), size)).reshape(shape)
    mean = task.answers.right[:, :, None] * right - task.answers.asked[:, :, None] * asked
    return np.asarray(mean.reshape(len(weights), size))


def _joint_covariances(
    task: Task, found: Estimate, complete: Array, held: Mask, weights: Array, points: Array
) -> Array:
    """Invert the information of all items together; return each item's block of the inverse."""
    items, columns = held.shape
    missing = _missing(task, found, weights, points)
    whole = -missing
    for item in range(items):
        place = slice(item * columns, (item + 1) * columns)
        whole[place, place] += complete[item]
    free = ~held.ravel()
    inverse = np.full(whole.shape, np.nan)
    inverse[np.ix_(free, free)] = _safe_inverse(whole[np.ix_(free, free)])
    blocks = inverse.reshape(items, columns, items, columns)
    found_blocks = np.einsum("jkjl->jkl", blocks).copy()
    return _with_known(found_blocks, held)


def _shared_covariances(task: Task, found: Estimate, complete: Array, weights: Array, points: Array) -> Array:
    """Return each item's covariance if all items share one slope.

    The information of the slope is summed over items before inverting.
    """
    items = len(complete)
    missing = _missing_shared(task, found, weights, points)
    whole = -missing
    whole[0, 0] += complete[:, SLOPE, SLOPE].sum()
    own = np.arange(1, items + 1)
    whole[0, own] += complete[:, SLOPE, INTERCEPT]
    whole[own, 0] += complete[:, SLOPE, INTERCEPT]
    whole[own, own] += complete[:, INTERCEPT, INTERCEPT]
    inverse = _safe_inverse(whole)
    blocks = np.empty((items, 2, 2))
    blocks[:, SLOPE, SLOPE] = inverse[0, 0]
    blocks[:, SLOPE, INTERCEPT] = blocks[:, INTERCEPT, SLOPE] = inverse[0, own]
    blocks[:, INTERCEPT, INTERCEPT] = inverse[own, own]
    return blocks


def _missing_shared(task: Task, found: Estimate, weights: Array, points: Array) -> Array:
    """Return the missing information of one slope and all intercepts, shape (1 + items, 1 + items).

    Given ability, the score of an intercept is x - P; only its P and the slope's theta vary with ability.
    """
    at = curves(found.parameters, points)
    right, asked = task.answers.right, task.answers.asked
    items = right.shape[1]
    square, mean = np.zeros((items + 1, items + 1)), np.zeros((len(right), items + 1))
    for q, point in enumerate(points):
        residual = right - asked * at.right[:, q]
        score = np.column_stack([point * residual.sum(axis=1), residual])
        weighted = score * weights[:, [q]]
        square += weighted.T @ score
        mean += weighted
    return np.asarray(square - mean.T @ mean)


def _missing_by_item(task: Task, found: Estimate, weights: Array, points: Array) -> Array:
    """Return the missing information of each item's own parameters, shape (items, columns, columns)."""
    factors, expected = _scores(task, found, points)
    _, items, columns = factors.shape
    right_at, asked_at = task.answers.right.T @ weights, task.answers.asked_at(weights)
    lost = np.empty((items, columns, columns))
    for k in range(columns):
        for m in range(k + 1):
            both = (factors[:, :, k] - expected[:, :, k]) * (factors[:, :, m] - expected[:, :, m])
            neither = expected[:, :, k] * expected[:, :, m]
            square = np.einsum("jq,qj->j", right_at, both - neither)
            lost[:, k, m] = lost[:, m, k] = square + np.einsum("jq,qj->j", asked_at, neither)
    width = max(1, _CHUNK_CELLS // len(weights))
    for first in range(0, items, width):
        part = slice(first, first + width)
        lost[part] -= _mean_squares(task, factors[:, part], expected[:, part], weights, part)
    return lost


def _mean_squares(task: Task, factors: Array, expected: Array, weights: Array, part: slice) -> Array:
    """Return products of the mean scores of the items in `part`, summed over examinees, (items, c, c)."""
    right, asked = task.answers.right[:, part], task.answers.asked[:, part]
    columns = range(factors.shape[2])
    means = [right * (weights @ factors[:, :, k]) - asked * (weights @ expected[:, :, k]) for k in columns]
    rows = [np.stack([np.einsum("ij,ij->j", means[k], means[m]) for m in columns]) for k in columns]
    return np.asarray(np.stack(rows).transpose(2, 0, 1))


def _inverted(information: Array, held: Mask) -> Array:
    filled = np.where(held[:, :, None] | held[:, None, :], 0.0, information)
    filled += np.eye(held.shape[1]) * held[:, None, :]
    found = np.full_like(filled, np.nan)
    sound = np.linalg.eigvalsh(filled)[:, 0] > 1e-9  # the information of a maximum
    found[sound] = np.linalg.inv(filled[sound])
    return _with_known(found, held)


def _safe_inverse(information: Array) -> Array:
    """Invert a positive definite matrix; return NaN for other matrices, which too few answers produce."""
    values, vectors = np.linalg.eigh((information + information.T) / 2)
    if values[0] <= 1e-9 * max(values[-1], 1.0):
        return np.full_like(information, np.nan)
    return np.asarray((vectors / values) @ vectors.T)


def _with_known(blocks: Array, held: Mask) -> Array:
    blocks[held[:, :, None] | held[:, None, :]] = 0.0
    return blocks


def ability_variance_from_items(
    task: Task, parameters: Array, item_covariances: Array, ability: Array, width: Array
) -> Array:
    """Return the variance that imprecise item parameters add to each ability, shape (examinees,).

    This is a first-order approximation. `width` is the standard deviation of the ability's posterior. With
    few examinees this variance is noticeable.
    """
    added = np.empty(len(ability))
    covariance = np.nan_to_num(item_covariances)
    rows = max(1, _CHUNK_CELLS // max(len(parameters), 1))
    for first in range(0, len(ability), rows):
        part = slice(first, first + rows)
        spread = _score_variance(task, parameters, covariance, ability, part)
        added[part] = width[part] ** 4 * spread
    return added


def _score_variance(task: Task, parameters: Array, covariance: Array, ability: Array, part: slice) -> Array:
    """Return the variance that imprecise item parameters add to the ability scores of examinees in `part`."""
    asked, right = task.answers.asked[part], task.answers.right[part]
    at = curves(parameters, ability[part])
    slope, theta = parameters[:, SLOPE], ability[part][:, None]
    by_intercept = -(slope[:, None] * at.knowing * (1 - at.knowing)).T * asked
    by_slope = right - asked * at.right.T + by_intercept * theta
    return np.asarray(
        np.square(by_slope) @ covariance[:, SLOPE, SLOPE]
        + 2 * (by_slope * by_intercept) @ covariance[:, SLOPE, INTERCEPT]
        + np.square(by_intercept) @ covariance[:, INTERCEPT, INTERCEPT]
    )
