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
    """The precision of a design: half-width of an accuracy's 95 % interval, and least detectable difference.

    `here` is the half-width if only repeats of the same items vary; None if the variance of repeats is
    unknown.
    """

    design: Design
    half_width: float | None
    here: float | None
    least: float | None
    generalizability: float | None

    @property
    def calls(self) -> int:
        """The number of prompts to one model: items times repeats."""
        return self.design.items * self.design.repeats


def prospect(of: Components, design: Design) -> Prospect:
    """Compute the precision of a design from variance components."""
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
    """Return the precision of a design and of variants with twice the repeats, items or stories, by code.

    The variant with more repeats is left out if the variance of repeats is unknown.
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
    """Return variance components from their stored form, the inverse of `Components.as_json`."""
    return Components(**MappingProxyType(dict(stored)))
