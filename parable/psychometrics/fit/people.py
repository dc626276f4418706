"""Person fit by l_z*: test whether an examinee's answers follow the item curves.

l_z* is the log likelihood of the answers minus its mean, divided by its standard deviation; mean and standard
deviation are corrected, as the ability is estimated from the same answers. The ability is Warm's (1989)
weighted likelihood estimate, which is finite even if all answers are right. Values far below 0 mean that the
examinee missed easy items and solved hard ones.

Sources: Snijders, Asymptotic null distribution of person fit statistics with estimated person parameter
(2001); Drasgow, Levine and Williams, Appropriateness measurement with polychotomous item response models and
standardized indices (1985), for l_z.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.irt import FEW_EXAMINEES, Calibration
from parable.psychometrics.irt.curves import SLOPE, Array, curves
from parable.psychometrics.responses import ResponseMatrix
from parable.psychometrics.results.differences import holm

REACH: Final = 6.0
LEAST_ITEMS: Final = 10
_POINTS: Final = np.linspace(-REACH, REACH, 61)
_HALVINGS: Final = 40
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class PersonFit:
    """l_z and l_z* of each examinee, shape (examinees,); NaN for fewer than 10 answered items.

    `p_value` is one-sided: the probability of a smaller l_z*. `adjusted` is the p-value with Holm's
    adjustment for all examinees. `answered` is the number of answered items.
    """

    lz: Array
    lz_star: Array
    p_value: Array
    adjusted: Array
    answered: Array


def person_fit(matrix: ResponseMatrix, found: Calibration) -> PersonFit | None:
    """Return the person fit of all examinees; None for fewer than 30, as item estimates are too imprecise."""
    if len(matrix.examinees) < FEW_EXAMINEES:
        return None
    included = ~found.left_out
    parameters = found.slope_intercept[included]
    figures = np.full((2, len(matrix.examinees)), np.nan)
    answered = matrix.answered[:, included].sum(axis=1)
    for row, cells in enumerate(matrix.cells[:, included]):
        known = ~np.isnan(cells)
        if known.sum() >= LEAST_ITEMS:
            figures[:, row] = lz_star(parameters[known], cells[known])
    p_value = scipy.stats.norm.cdf(figures[1])
    adjusted = np.full(len(p_value), np.nan)
    shown = ~np.isnan(p_value)
    adjusted[shown] = holm(p_value[shown].tolist())
    return PersonFit(figures[0], figures[1], p_value, adjusted, answered)


def lz_star(parameters: Array, answers: Array) -> tuple[float, float]:
    """Return l_z and l_z* of one examinee; `answers` has the shape (items,). Both are NaN if undefined."""
    at = _at(parameters, np.array([weighted_ability(parameters, answers)]))
    right, slope, weight = at.right[:, 0], at.slope[:, 0], at.weight[:, 0]
    log_odds, variance = np.log(right) - np.log1p(-right), right * (1 - right)
    apart = float((answers - right) @ log_odds)
    taken = float(slope @ log_odds) / float(slope @ weight)
    spread, own = (
        float(np.square(log_odds - taken * weight) @ variance),
        float(np.square(log_odds) @ variance),
    )
    if min(spread, own) < _LEAST:
        return np.nan, np.nan
    return apart / own**0.5, (apart + taken * float(_bias(at)[0])) / spread**0.5


@dataclass(frozen=True, slots=True, eq=False)
class _At:
    """Item curves at some abilities: probability, first and second derivative, weight in the ability score.

    Each has the shape (items, abilities).
    """

    right: Array
    slope: Array
    bend: Array
    weight: Array


def _at(parameters: Array, abilities: Array) -> _At:
    at = curves(parameters, abilities)
    a = parameters[:, [SLOPE]]
    right = np.clip(at.right, _LEAST, 1 - _LEAST)
    rest = (1 - right) / np.maximum(1 - at.knowing, _LEAST)
    slope = a * rest * at.knowing * (1 - at.knowing)
    return _At(right, slope, a * slope * (1 - 2 * at.knowing), slope / (right * (1 - right)))


def _bias(at: _At) -> Array:
    """Return the term that Warm's method adds to the score of ability, shape (abilities,)."""
    with_bend = (at.bend * at.weight).sum(axis=0)
    return np.asarray(with_bend / (2 * np.maximum((at.slope * at.weight).sum(axis=0), _LEAST)))


def weighted_ability(parameters: Array, answers: Array) -> float:
    """Return Warm's weighted likelihood estimate of one examinee's ability, between -6 and 6.

    Source: Warm, Weighted likelihood estimation of ability in item response theory (1989).
    """

    def score(abilities: Array) -> Array:
        at = _at(parameters, abilities)
        return np.asarray(((answers[:, None] - at.right) * at.weight).sum(axis=0) + _bias(at))

    values = score(_POINTS)
    falls = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0))
    if not len(falls):
        return float(_POINTS[0] if values[0] <= 0 else _POINTS[-1])
    low, high = _POINTS[falls], _POINTS[falls + 1]
    for _halving in range(_HALVINGS):
        middle = (low + high) / 2
        falling = score(middle) > 0
        low, high = np.where(falling, middle, low), np.where(falling, high, middle)
    chance = np.clip(curves(parameters, low).right, _LEAST, 1 - _LEAST)
    likelihood = answers @ np.log(chance) + (1 - answers) @ np.log1p(-chance)
    return float(low[int(np.argmax(likelihood))])
