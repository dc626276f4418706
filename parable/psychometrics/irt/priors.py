"""Priors of item parameters, for small numbers of examinees.

Slope, which may be negative, and intercept have normal priors; guessing has a beta prior.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from parable.psychometrics.defaults import ENOUGH_EXAMINEES
from parable.psychometrics.irt.curves import GUESSING, INTERCEPT, SLOPE, Array

PriorChoice = Literal["auto", "none", "weak"]


@dataclass(frozen=True, slots=True)
class Priors:
    """Normal priors of slope and intercept (mean, standard deviation), and a beta prior of guessing."""

    slope: tuple[float, float]
    intercept: tuple[float, float]
    guessing: tuple[float, float]

    def log_density(self, parameters: Array, columns: int) -> Array:
        """Return the log density of each item's parameters, up to a constant, shape (items,)."""
        found = _normal(parameters[:, SLOPE], self.slope) + _normal(parameters[:, INTERCEPT], self.intercept)
        if columns > GUESSING:
            c = parameters[:, GUESSING]
            first, second = self.guessing
            with np.errstate(divide="ignore"):
                found = found + (first - 1) * np.log(c) + (second - 1) * np.log1p(-c)
        return found

    def gradient(self, parameters: Array, columns: int) -> Array:
        """Return the derivatives of the log density, shape (items, columns)."""
        found = np.zeros((len(parameters), columns))
        for column, (mean, spread) in ((SLOPE, self.slope), (INTERCEPT, self.intercept)):
            found[:, column] = (mean - parameters[:, column]) / spread**2
        if columns > GUESSING:
            c, (first, second) = parameters[:, GUESSING], self.guessing
            found[:, GUESSING] = (first - 1) / np.maximum(c, 1e-9) - (second - 1) / (1 - c)
        return found

    def information(self, parameters: Array, columns: int) -> Array:
        """Return the negative second derivatives of the log density, shape (items, columns)."""
        found = np.empty((len(parameters), columns))
        found[:, SLOPE] = self.slope[1] ** -2
        found[:, INTERCEPT] = self.intercept[1] ** -2
        if columns > GUESSING:
            c, (first, second) = parameters[:, GUESSING], self.guessing
            found[:, GUESSING] = (first - 1) / np.maximum(c, 1e-4) ** 2 + (second - 1) / (1 - c) ** 2
        return found


WEAK: Final = Priors(slope=(1.0, 0.5), intercept=(0.0, 1.2), guessing=(3.0, 9.0))


def choose_priors(choice: PriorChoice, examinees: int) -> Priors | None:
    """Return the priors for this choice and number of examinees; None for plain maximum likelihood."""
    if choice == "auto":
        return WEAK if examinees < ENOUGH_EXAMINEES else None
    return WEAK if choice == "weak" else None


def _normal(values: Array, prior: tuple[float, float]) -> Array:
    mean, spread = prior
    return -0.5 * np.square((values - mean) / spread)
