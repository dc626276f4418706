"""The precision of a design, compared with that of designs with more repeats, items or stories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import scipy

from parable.psychometrics.plans.components import Components
from parable.psychometrics.plans.precision import (
    ALPHA,
    Design,
    accuracy_error,
    generalizability,
    least_difference,
    repeat_error,
)

NOW: Final = "now"
MORE_REPEATS: Final = "more_repeats"
MORE_ITEMS: Final = "more_items"
MORE_STORIES: Final = "more_stories"
TIMES: Final = 2


@dataclass(frozen=True, slots=True)
class Prospect:
    """A design's precision: half-width of the 95 % interval of an accuracy, least detectable difference.

    `here` is the half-width if the same items were asked again; None if the variance of repeats is unknown.
    """

    design: Design
    half_width: float | None
    here: float | None
    least: float | None
    generalizability: float | None

    @property
    def calls(self) -> int:
        """The number of questions to one model."""
        return self.design.items * self.design.repeats


def prospect(of: Components, design: Design) -> Prospect:
    """Return the precision of a design: half-width, least detectable difference, generalizability."""
    again = repeat_error(of, design)
    half = None
    if design.stories > 1:
        quantile = float(scipy.special.stdtrit(design.stories - 1, 1 - ALPHA / 2))
        half = min(1.0, quantile * accuracy_error(of, design))
    return Prospect(
        design,
        half_width=half,
        here=None if again is None else float(scipy.special.ndtri(1 - ALPHA / 2)) * again,
        least=least_difference(of, design),
        generalizability=generalizability(of, design),
    )


def prospects(of: Components, design: Design) -> dict[str, Prospect]:
    """Return the precision of the design, and of variants with twice the repeats, items or stories, by code.

    More repeats are left out if their variance is unknown.
    """
    more_repeats = {MORE_REPEATS: replace(design, repeats=TIMES * design.repeats)}
    designs = {
        NOW: design,
        **(more_repeats if of.repeat is not None else {}),
        MORE_ITEMS: replace(design, items=TIMES * design.items),
        MORE_STORIES: replace(design, stories=TIMES * design.stories, items=TIMES * design.items),
    }
    return {code: prospect(of, one) for code, one in designs.items()}


def components_from(stored: Mapping[str, Any]) -> Components:
    """Return variance components from their stored form."""
    return Components(**MappingProxyType(dict(stored)))
