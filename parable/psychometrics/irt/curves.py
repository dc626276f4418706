"""Item response curves of the three IRT models, with derivatives and information.

P(theta) = c + (1 - c) / (1 + exp(-(a theta + d))) in the logistic metric (no 1.7), difficulty b = -d / a.
Parameters have the shape (items, 3), columns SLOPE (a, of either sign), INTERCEPT (d) and GUESSING (c).
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import scipy

Array = npt.NDArray[np.float64]
Model = Literal["1pl", "2pl", "3pl"]

SLOPE: Final = 0
INTERCEPT: Final = 1
GUESSING: Final = 2

MOST_SLOPE: Final = 12.0
MOST_INTERCEPT: Final = 30.0
MOST_GUESSING: Final = 1 / 3
"""Bounds of the parameters; beyond the bounds, curves hardly change over the range of abilities."""
_LEAST_PROBABILITY: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Curves:
    """Values of the item curves at points of ability; each has the shape (items, points).

    `right` is P. `log_odds` is log P - log (1 - P) and `log_wrong` is log (1 - P), so that the log likelihood
    of a right answer is log_odds + log_wrong. `knowing` is P without guessing.
    """

    right: Array
    log_odds: Array
    log_wrong: Array
    knowing: Array


def curves(parameters: Array, points: Array) -> Curves:
    """Compute the item curves at each point of ability; `points` has the shape (points,)."""
    logit = parameters[:, [SLOPE]] * points + parameters[:, [INTERCEPT]]
    guessing = parameters[:, [GUESSING]]
    log_wrong = scipy.special.log_expit(-logit)
    knowing = np.exp(logit + log_wrong)
    if not guessing.any():
        return Curves(knowing, logit, log_wrong, knowing)
    right = guessing + (1 - guessing) * knowing
    log_wrong += np.log1p(-guessing)
    log_odds = np.log(np.maximum(right, _LEAST_PROBABILITY)) - log_wrong
    return Curves(right, log_odds, log_wrong, knowing)


def information(parameters: Array, points: Array) -> Array:
    """Return each item's Fisher information about ability at each point, shape (items, points).

    Source: Lord, Applications of Item Response Theory (1980), 5.4.
    """
    at = curves(parameters, points)
    share = at.knowing / np.maximum(at.right, _LEAST_PROBABILITY)
    return np.square(parameters[:, [SLOPE]] * share) * at.right * (1 - at.right)


def multipliers(parameters: Array, at: Curves, columns: int) -> tuple[Array, Array | None]:
    """Return the factors that convert residuals (answer minus P) to scores of logit and of guessing.

    Each has the shape (items, points); the second is None for models without guessing. The score of the slope
    is that of the logit times theta.
    """
    if columns <= GUESSING:
        return np.ones_like(at.right), None
    right = np.maximum(at.right, _LEAST_PROBABILITY)
    return at.knowing / right, 1 / (right * (1 - parameters[:, [GUESSING]]))
