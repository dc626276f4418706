"""Link the ability scale of one calibration to that of another by their common items.

Two calibrations of the same items differ by a linear transformation: ability_before = A ability_after + B, so
that a_before = a_after / A and b_before = A b_after + B. Mean-sigma (Marco 1977) computes A and B from mean
and standard deviation of the difficulties; Stocking and Lord (1983) choose A and B so that the expected
scores on the common items agree best over the abilities of the earlier population. Standard errors come from
the jackknife, which leaves out the common items of one story at a time.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.irt.curves import GUESSING, INTERCEPT, SLOPE, Array, curves

Method = Literal["mean_sigma", "stocking_lord"]

LEAST_ITEMS: Final = 5
"""The fewest common items for which a link is computed."""
LEAST_SLOPE: Final = 0.1
"""The lowest slope of items used by mean-sigma; flatter items tell almost nothing about difficulty."""
POINTS: Final = np.linspace(-4.0, 4.0, 41)
"""Abilities at which curves are compared, weighted by the standard normal distribution."""
WEIGHTS: Final = np.exp(-0.5 * np.square(POINTS)) / np.exp(-0.5 * np.square(POINTS)).sum()
_STRETCH: Final = 0.1, 10.0
_SHIFT: Final = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """The items that two calibrations have in common, with their parameters in both, and their stories.

    Parameters have the shape (items, 3), columns as in `irt.curves`; `stories` has one entry per item.
    """

    names: tuple[str, ...]
    before: Array
    after: Array
    stories: tuple[Hashable, ...]

    def selected(self, rows: npt.NDArray[np.bool_]) -> "Common":
        """Return the common items that a mask, shape (items,), selects."""
        picked = np.flatnonzero(rows)
        return Common(
            tuple(self.names[row] for row in picked),
            self.before[rows],
            self.after[rows],
            tuple(self.stories[row] for row in picked),
        )


@dataclass(frozen=True, slots=True)
class Link:
    """The transformation ability_before = `stretch` * ability_after + `shift`, with its covariance.

    `variance` is None if it cannot be estimated, for example if all common items are of one story.
    """

    method: Method
    stretch: float
    shift: float
    items: int
    stories: int
    variance: tuple[float, float, float] | None
    """Variance of stretch, variance of shift, and their covariance."""

    def ability(self, value: float) -> float:
        """Convert an ability of the later calibration to the earlier scale."""
        return self.stretch * value + self.shift

    def error(self, value: float, error: float) -> float:
        """Return the standard error of a converted ability, including the error of the link."""
        of_stretch, of_shift, both = self.variance or (0.0, 0.0, 0.0)
        of_link = value * value * of_stretch + of_shift + 2 * value * both
        return math.sqrt(max((self.stretch * error) ** 2 + of_link, 0.0))

    def parameters(self, after: Array) -> Array:
        """Convert slopes, intercepts and guessing to the earlier scale, shape (items, 3)."""
        found = np.array(after, dtype=np.float64)
        found[:, SLOPE] = after[:, SLOPE] / self.stretch
        found[:, INTERCEPT] = after[:, INTERCEPT] - found[:, SLOPE] * self.shift
        return found


def link(common: Common, method: Method = "stocking_lord") -> Link | None:
    """Compute the linear link between two scales; None for fewer than `LEAST_ITEMS` usable common items."""
    function = _METHODS[method]
    found = function(common.before, common.after)
    if found is None:
        return None
    return Link(method, *found, len(common.names), len(set(common.stories)), _variance(common, function))


def _variance(common: Common, function: "_Line") -> tuple[float, float, float] | None:
    """Return the jackknife variance of the link over stories (Haberman, Lee and Qian 2009), or None."""
    stories = list(dict.fromkeys(common.stories))
    rows = np.array([stories.index(one) for one in common.stories]) if stories else np.zeros(0)
    without = [function(common.before[rows != one], common.after[rows != one]) for one in range(len(stories))]
    lines = np.array([line for line in without if line is not None])
    n = len(lines)
    if n < 2 or n < len(stories):
        return None
    apart = lines - lines.mean(axis=0)
    spread = (n - 1) / n * (apart.T @ apart)
    return float(spread[0, 0]), float(spread[1, 1]), float(spread[0, 1])


def mean_sigma(before: Array, after: Array) -> tuple[float, float] | None:
    """Return stretch and shift, computed from the difficulties of sufficiently steep items.

    Return None if there are too few such items or their difficulties do not vary.
    """
    informative = (before[:, SLOPE] >= LEAST_SLOPE) & (after[:, SLOPE] >= LEAST_SLOPE)
    if informative.sum() < LEAST_ITEMS:
        return None
    old, new = (-of[informative, INTERCEPT] / of[informative, SLOPE] for of in (before, after))
    spread = float(new.std())
    if spread < 1e-9:
        return None
    stretch = float(np.clip(old.std() / spread, *_STRETCH))
    return stretch, float(old.mean() - stretch * new.mean())


def stocking_lord(before: Array, after: Array) -> tuple[float, float] | None:
    """Return the stretch and shift that make expected scores on the common items agree best.

    Return None if there are too few items.
    """
    if len(before) < LEAST_ITEMS:
        return None
    wanted = curves(before, POINTS).right.sum(axis=0)
    weights = np.sqrt(WEIGHTS)

    def apart(line: Array) -> Array:
        here = curves(after, (POINTS - line[1]) / line[0]).right.sum(axis=0)
        return np.asarray(weights * (wanted - here))

    low, high = _STRETCH
    found = scipy.optimize.least_squares(apart, [1.0, 0.0], bounds=([low, -_SHIFT], [high, _SHIFT]))
    return float(found.x[0]), float(found.x[1])


_Line = Callable[[Array, Array], tuple[float, float] | None]
_METHODS: Final[dict[Method, _Line]] = {"mean_sigma": mean_sigma, "stocking_lord": stocking_lord}


def common_items(
    before: tuple[Sequence[str], Array],
    after: tuple[Sequence[str], Array],
    stories: dict[str, Hashable] | None = None,
) -> Common:
    """Return the items that have finite parameters in both calibrations, in the earlier order.

    `before` and `after` are (names, parameters); `stories` is by item name.
    """
    of = {name: row for name, row in zip(*after, strict=True) if np.isfinite(row).all()}
    shared = [(name, row) for name, row in zip(*before, strict=True) if name in of and np.isfinite(row).all()]
    known = stories or {}
    shape = (-1, GUESSING + 1)
    return Common(
        tuple(name for name, _ in shared),
        np.array([row for _, row in shared], dtype=np.float64).reshape(shape),
        np.array([of[name] for name, _ in shared], dtype=np.float64).reshape(shape),
        tuple(known.get(name, ("item", name)) for name, _ in shared),
    )


def linked_parts(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[int, int]:
    """Return the two parts, one of each calibration, that share most items.

    Return (0, 0) if no parts share an item. `before` and `after` map items to parts. Parts have no common
    scale, so only one pair can be linked.
    """
    shared = Counter((part, after[name]) for name, part in before.items() if name in after)
    return shared.most_common(1)[0][0] if shared else (0, 0)


def score(parameters: Array, ability: float) -> float:
    """Return the expected proportion of right answers to these items at an ability."""
    return float(curves(parameters, np.array([ability])).right.mean())
