"""Output of `calibrate --fit`: the supported IRT model, and misfitting items and examinees."""

from collections.abc import Iterator

import numpy as np

from parable.commands.results.numbers import figure
from parable.psychometrics.fit.models import MOST_CELLS, borne_model
from parable.psychometrics.fit.pairs import MOST_ITEMS
from parable.psychometrics.fit.people import PersonFit
from parable.psychometrics.fit.scores import ScoreFit
from parable.psychometrics.fit.whole import CERTAIN, WholeFit, number, whole_fit
from parable.psychometrics.irt import ENOUGH_EXAMINEES, FEW_EXAMINEES, Calibration
from parable.psychometrics.items.upper_lower import UpperLower, upper_lower
from parable.psychometrics.responses import ResponseMatrix, item_rest_correlation


class FitReport:
    """Fit statistics of a calibration, as printed lines and as JSON."""

    def __init__(self, matrix: ResponseMatrix, found: Calibration) -> None:
        self.matrix = matrix
        self.fit: WholeFit = whole_fit(matrix, found)
        self.tails: UpperLower | None = upper_lower(matrix)

    def as_json(self) -> dict[str, object]:
        """Return the value of `fit` in the JSON output; statistics that do not apply are null or missing."""
        rest = item_rest_correlation(self.matrix)
        return {
            **self.fit.as_json(),
            "group": None if self.tails is None else self.tails.size,
            "item_fit": [
                {"id": name, "item_rest": number(rest[row]), **self._tails(row), **self.fit.of_item(row)}
                for row, name in enumerate(self.matrix.items)
            ],
            "person_fit": [
                {"id": name, **self.fit.of_examinee(row)} for row, name in enumerate(self.matrix.examinees)
            ],
        }

    def _tails(self, row: int) -> dict[str, object]:
        if self.tails is None:
            return {}
        names = {"upper_lower": "difference", "upper_lower_low": "low", "upper_lower_high": "high"}
        return {name: number(getattr(self.tails, of)[row]) for name, of in names.items()}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report for people."""
        yield from self._models()
        yield from self._pairs()
        yield from _items(self.matrix, self.fit.items)
        yield from _people(self.matrix, self.fit.people)
        yield from _tails(self.matrix, self.tails)

    def _models(self) -> Iterator[str]:
        if not self.fit.models:
            yield (
                f"Models are not compared: that takes {ENOUGH_EXAMINEES} examinees, and at most"
                f" {MOST_CELLS:,} answers."
            )
            return
        yield f"Models, each without priors, of {self.fit.models[0].examinees} examinees:"
        for one in self.fit.models:
            yield (
                f"  {one.model}: {one.parameters} parameters, log likelihood {figure(one.log_likelihood)},"
                f" AIC {figure(one.aic)}, BIC {figure(one.bic)}"
            )
        by_aic = min(self.fit.models, key=lambda one: one.aic).model
        yield f"The answers bear the {borne_model(self.fit.models)} (lowest BIC; lowest AIC: {by_aic})."

    def _pairs(self) -> Iterator[str]:
        if (one := self.fit.pairs) is None:
            yield (
                f"M2: not applicable (needs {ENOUGH_EXAMINEES} examinees who answered every item, and at most"
                f" {MOST_ITEMS} items)."
            )
            return
        yield (
            f"M2 {figure(one.m2)}, {one.freedom} degrees of freedom, p {figure(one.p_value, '.3g')};"
            f" RMSEA2 {figure(one.rmsea, '.3f')}"
            f" (90 %: {figure(one.low, '.3f')} to {figure(one.high, '.3f')}), of {one.examinees} examinees."
        )


def _items(matrix: ResponseMatrix, found: ScoreFit | None) -> Iterator[str]:
    if found is None:
        yield f"S-X²: not applicable (needs {ENOUGH_EXAMINEES} examinees who answered every item)."
        return
    named = [int(row) for row in np.argsort(found.p_value) if found.adjusted[row] < CERTAIN]
    tested = int((~np.isnan(found.p_value)).sum())
    yield (
        f"S-X² of {found.examinees} examinees: {len(named)} of {tested} items do not fit"
        " (p adjusted over all items, Holm, below 0.05)."
    )
    for row in named:
        yield (
            f"  {matrix.items[row]}: {figure(found.chi_square[row])}, {figure(found.freedom[row], '.0f')}"
            f" degrees of freedom, p {figure(found.p_value[row], '.2g')},"
            f" adjusted {figure(found.adjusted[row], '.2g')}"
        )


def _people(matrix: ResponseMatrix, found: PersonFit | None) -> Iterator[str]:
    if found is None:
        yield f"Person fit (l_z*): not applicable (needs {FEW_EXAMINEES} examinees)."
        return
    named = [int(row) for row in np.argsort(found.p_value) if found.adjusted[row] < CERTAIN]
    tested = int((~np.isnan(found.p_value)).sum())
    yield (
        f"Person fit (l_z*): {len(named)} of {tested} examinees answer less regularly than the model expects"
        " (p adjusted over all examinees, Holm, below 0.05)."
    )
    for row in named:
        yield (
            f"  {matrix.examinees[row]}: {figure(found.lz_star[row])}, {found.answered[row]} answers,"
            f" adjusted p {figure(found.adjusted[row], '.2g')}"
        )


def _tails(matrix: ResponseMatrix, found: UpperLower | None) -> Iterator[str]:
    if found is None:
        return
    size = figure(found.size, ".1f")
    yield f"Lowest differences between the upper and the lower 27 % ({size} examinees each):"
    rest = item_rest_correlation(matrix)
    for row in np.argsort(np.nan_to_num(found.difference, nan=np.inf), kind="stable")[:10]:
        yield (
            f"  {matrix.items[row]}: {figure(found.difference[row])} ({figure(found.low[row])} to"
            f" {figure(found.high[row])}), item-rest {figure(rest[row])}"
        )
