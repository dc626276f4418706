"""Compare the IRT models by the information criteria AIC and BIC.

Sources: Akaike, A new look at the statistical model identification (1974); Schwarz, Estimating the dimension
of a model (1978).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from parable.psychometrics.irt import ENOUGH_EXAMINEES, Calibration, Model, calibrate
from parable.psychometrics.responses import ResponseMatrix

MOST_CELLS: Final = 2_000_000
"""The largest response matrix, in cells, for which the models are compared."""
CLOSE: Final = 2.0
"""Models whose BIC differ by at most this value are equally good (Raftery 1995)."""
PARAMETERS: Final[dict[Model, int]] = {"1pl": 1, "2pl": 2, "3pl": 3}
"""The number of parameters per item, by model; the 1PL also has one slope, shared by all items."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """The information criteria of one IRT model; lower AIC and BIC are better."""

    model: Model
    parameters: int
    log_likelihood: float
    examinees: int

    @property
    def aic(self) -> float:
        """Akaike's criterion: 2 × number of parameters - 2 × log likelihood."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian criterion: log(examinees) × number of parameters - 2 × log likelihood."""
        return math.log(self.examinees) * self.parameters - 2 * self.log_likelihood


def criteria(found: Calibration) -> Criteria:
    """Return the information criteria of a calibration.

    Raise ValueError if the calibration was estimated with priors.
    """
    if found.priors != "none":
        raise ValueError("AIC and BIC are of the highest likelihood, and priors move away from it.")
    items = int((~found.left_out).sum())
    count = PARAMETERS[found.model] * items + (found.model == "1pl")
    return Criteria(found.model, count, found.log_likelihood, len(found.examinees))


def compare_models(
    matrix: ResponseMatrix, found: Calibration, *, report: Callable[[int], object] | None = None
) -> list[Criteria]:
    """Return the criteria of all three IRT models, estimated without priors; [] for an unsuitable matrix.

    A matrix is unsuitable if it has fewer than 200 examinees, as a few answers would then determine several
    parameters per item, or more than 2,000,000 cells. `report` is called with the number of EM cycles.
    """
    if len(matrix.examinees) < ENOUGH_EXAMINEES or matrix.cells.size > MOST_CELLS:
        return []
    compared = []
    for model in get_args(Model):
        is_it = found.model == model and found.priors == "none"
        compared.append(criteria(found if is_it else calibrate(matrix, model, priors="none", report=report)))
    return compared


def borne_model(compared: Sequence[Criteria]) -> Model | None:
    """Return the simplest model with a BIC at most `CLOSE` above the lowest; None if `compared` is empty."""
    if not compared:
        return None
    lowest = min(one.bic for one in compared)
    return min((one for one in compared if one.bic <= lowest + CLOSE), key=lambda one: one.parameters).model
