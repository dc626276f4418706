"""All fit statistics of a calibration, as one value and as JSON."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from parable.psychometrics.fit.models import Criteria, borne_model, compare_models
from parable.psychometrics.fit.pairs import PairFit, pair_fit
from parable.psychometrics.fit.people import PersonFit, person_fit
from parable.psychometrics.fit.scores import ScoreFit, score_fit
from parable.psychometrics.irt import Calibration
from parable.psychometrics.irt.curves import Array
from parable.psychometrics.responses import ResponseMatrix

CERTAIN: Final = 0.05
"""The significance level of p-values, which are adjusted for all items or examinees."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class WholeFit:
    """All fit statistics of a calibration; None (or [] for `models`) if a method does not apply."""

    models: list[Criteria]
    pairs: PairFit | None
    items: ScoreFit | None
    people: PersonFit | None

    def as_json(self) -> Json:
        """Return the fit statistics of the whole set as JSON; null for a method that does not apply."""
        models = [
            {
                "model": one.model,
                "parameters": one.parameters,
                "log_likelihood": one.log_likelihood,
                "aic": one.aic,
                "bic": one.bic,
                "examinees": one.examinees,
            }
            for one in self.models
        ]
        pairs: Json | None = None
        if (found := self.pairs) is not None:
            pairs = {
                "m2": found.m2,
                "df": found.freedom,
                "p_value": found.p_value,
                "rmsea": found.rmsea,
                "low": found.low,
                "high": found.high,
                "examinees": found.examinees,
            }
        return {
            "models": models,
            "borne": borne_model(self.models),
            "pairs": pairs,
            "items": None if (of := self.items) is None else _misfits(of.adjusted, of.examinees),
            "people": None if (who := self.people) is None else _misfits(who.adjusted, len(who.adjusted)),
        }

    def of_item(self, item: int) -> Json:
        """Return the fit of one item as JSON; {} if S-X² does not apply to this set."""
        if (found := self.items) is None:
            return {}
        return {
            "s_x2": number(found.chi_square[item]),
            "s_x2_df": number(found.freedom[item]),
            "s_x2_p": number(found.p_value[item]),
            "s_x2_p_adjusted": number(found.adjusted[item]),
        }

    def of_examinee(self, row: int) -> Json:
        """Return the fit of one examinee as JSON; {} if l_z* does not apply to this set."""
        if (found := self.people) is None:
            return {}
        return {
            "lz": number(found.lz[row]),
            "lz_star": number(found.lz_star[row]),
            "lz_p": number(found.p_value[row]),
            "lz_p_adjusted": number(found.adjusted[row]),
        }


def whole_fit(
    matrix: ResponseMatrix, found: Calibration, *, report: Callable[[int], object] | None = None
) -> WholeFit:
    """Compute all fit statistics; `report` is called with the number of EM cycles of each further model."""
    return WholeFit(
        models=compare_models(matrix, found, report=report),
        pairs=pair_fit(matrix, found),
        items=score_fit(matrix, found),
        people=person_fit(matrix, found),
    )


def _misfits(adjusted: Array, examinees: int) -> Json:
    """Return as JSON how many tests there are, and how many have an adjusted p-value below 0.05."""
    return {
        "examinees": examinees,
        "tested": int((~np.isnan(adjusted)).sum()),
        "misfits": int((adjusted < CERTAIN).sum()),
    }


def number(value: float | None) -> float | None:
    """Round a number to six decimals for JSON; None if it is not finite."""
    return None if value is None or not math.isfinite(value) else round(float(value), 6)
