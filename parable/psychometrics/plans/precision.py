"""The precision of a design: standard errors of accuracies and differences, and detectable differences.

Stories are treated as a sample: accuracies vary with the sample of stories, the items within stories, and the
repeats. On the same items of a release, only repeats vary. Two models answer the same items, so effects
common to both cancel in their difference. Differences are tested by story means: t with the number of stories
minus one as degrees of freedom.

Sources: Brennan, Generalizability Theory (2001); Miller, Adding Error Bars to Evals (2024); power by the
noncentral t distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.plans.components import Components

ALPHA: Final = 0.05
POWER: Final = 0.8
MOST_STORIES: Final = 1_000_000
_LEAST: Final = 1e-12
_NODES, _LENGTHS = np.polynomial.legendre.leggauss(200)
_POINTS: Final = (_NODES + 1) / 2
_WEIGHTS: Final = _LENGTHS / 2
"""Weights of Gauss-Legendre quadrature from 0 to 1, used to average probabilities."""

TYPICAL: Final = Components(
    model=0.030, story=0.010, item=0.040, model_story=0.010, model_item=0.100, repeat=0.040
)
"""Typical variance components, used if there are no answers yet; docs/measuring.md names their sources."""


@dataclass(frozen=True, slots=True)
class Design:
    """The design of an evaluation: the number of stories, the number of items in total, and of repeats.

    `evenness` is the effective number of stories divided by the number of stories: 1 if all stories have
    equally many items, else less.
    """

    stories: int
    items: int
    repeats: int = 1
    evenness: float = 1.0

    def with_stories(self, stories: int) -> Design:
        """Change the number of stories, with the same mean number of items per story."""
        return replace(self, stories=stories, items=max(1, round(stories * self.items / self.stories)))


def design_of(sizes: Sequence[int], repeats: int) -> Design:
    """Return the design of an evaluation from the number of items of each story."""
    items = sum(sizes)
    squares = sum(size * size for size in sizes)
    return Design(len(sizes), items, repeats, items * items / squares / len(sizes) if squares else 1.0)


def difference_error(of: Components, design: Design) -> float:
    """Return the standard error of the difference of two models' accuracies, over sampled stories."""
    return math.sqrt(2 * _own(of, design))


def accuracy_error(of: Components, design: Design) -> float:
    """Return the standard error of one model's accuracy, over sampled stories."""
    common = of.story / (design.stories * design.evenness) + of.item / design.items
    return math.sqrt(common + _own(of, design))


def repeat_error(of: Components, design: Design) -> float | None:
    """Return the standard error of an accuracy on the same items; None if no item was repeated."""
    return None if of.repeat is None else math.sqrt(of.repeat / (design.items * design.repeats))


def generalizability(of: Components, design: Design) -> float | None:
    """Return the share of the variance of models' accuracies that would remain on other stories.

    Return None if there is no variance.
    """
    whole = of.model + _own(of, design)
    return of.model / whole if whole > _LEAST else None


def _own(of: Components, design: Design) -> float:
    """Return the variance of one model's accuracy due to interactions with stories and items, and repeats."""
    by_story = of.model_story / (design.stories * design.evenness)
    return by_story + (of.model_item + (of.repeat or 0.0) / design.repeats) / design.items


def power(difference: float, error: float, stories: int) -> float:
    """Return the power of a two-sided test at 5 % to detect a true difference with this standard error."""
    if stories < 2:
        return 0.0
    if error < _LEAST:
        return 1.0 if abs(difference) > _LEAST else ALPHA
    freedom, apart = stories - 1, abs(difference) / error
    bound = float(scipy.special.stdtrit(freedom, 1 - ALPHA / 2))
    # T is (Z + apart) / S: averaged over S, since the noncentral t of SciPy has gaps.
    spread = np.sqrt(2 * scipy.special.gammaincinv(freedom / 2, _POINTS) / freedom)
    outside = scipy.special.ndtr(apart - bound * spread) + scipy.special.ndtr(-apart - bound * spread)
    return float(_WEIGHTS @ outside)


def least_difference(of: Components, design: Design, *, wanted: float = POWER) -> float | None:
    """Return the smallest difference that is detected with power `wanted`; None if 1 is not detected."""
    error = difference_error(of, design)
    if power(1.0, error, design.stories) < wanted:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle, error, design.stories) >= wanted else (middle, high)
    return high


def stories_needed(of: Components, design: Design, difference: float, *, wanted: float = POWER) -> int | None:
    """Return the number of stories needed to detect a difference with power `wanted`.

    Each story has as many items as now. Return None for a difference of zero, or if more than `MOST_STORIES`
    would be needed.
    """

    def is_enough(stories: int) -> bool:
        tried = design.with_stories(stories)
        return power(difference, difference_error(of, tried), stories) >= wanted

    if abs(difference) < _LEAST or not is_enough(MOST_STORIES):
        return None
    low, high = 1, MOST_STORIES
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
