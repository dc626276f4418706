"""Forecast of the day when all items of a project will be verified, and quantiles.

Pure: no database, no clock.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PACE_DAYS: Final = 14
"""The number of whole days over which the pace is averaged: two weeks, so that each weekday counts twice."""
LEAST_ITEMS: Final = 20
LEAST_DAYS: Final = 5
"""A forecast needs at least `LEAST_ITEMS` verified items, on at least `LEAST_DAYS` days."""
MOST_DAYS: Final = 730
"""If the latest day of completion is further away than this number of days, there is no forecast."""
_Z: Final = 1.2816
"""The quantile of the normal distribution for a two-sided interval with probability 0.8."""

IN_PROGRESS: Final = ("in_review", "returned", "in_verification", "in_adjudication")


class Unknown(StrEnum):
    """The reason why there is no forecast."""

    DONE = "done"
    TOO_LITTLE = "too_little"
    TOO_UNEVEN = "too_uneven"


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast: the earliest and the latest day of completion, as numbers of days from today, and the pace.

    `pace` is the average number of items verified a day.
    """

    pace: float
    earliest: int
    latest: int


def items_left(planned: int, counted: Mapping[str, int]) -> int:
    """Return how many items must still be verified to complete the plan.

    This is the plan without the verified items, or the number of items in progress if that is larger.
    `counted` is the number of items by state. Rejected, withdrawn and retired items do not count, so they
    must be replaced.
    """
    under_way = sum(counted[state] for state in IN_PROGRESS)
    return max(planned - counted["verified"], under_way)


def forecast(verified: Sequence[int], left: int) -> Forecast | Unknown:
    """Return the forecast for `left` more items, or the reason why there is none.

    `verified` has the number of items verified on each of the last `PACE_DAYS` days. After t days, about pace
    × t items are verified, with variance s² (t + t² / n): s² t for t future days, and s² t² / n for the pace,
    observed for n days. The interval ends where `left` is a quantile of this distribution. The variance of a
    day, s², is at least that of independent events. Raise `ValueError` unless `verified` has `PACE_DAYS`
    numbers.
    """
    if len(verified) != PACE_DAYS:
        raise ValueError(len(verified))
    if not left:
        return Unknown.DONE
    if sum(verified) < LEAST_ITEMS or sum(map(bool, verified)) < LEAST_DAYS:
        return Unknown.TOO_LITTLE
    pace = sum(verified) / PACE_DAYS
    spread = _Z**2 * max(sum((count - pace) ** 2 for count in verified) / (PACE_DAYS - 1), pace)
    squared = pace**2 - spread / PACE_DAYS
    if squared <= 0:
        return Unknown.TOO_UNEVEN
    half = pace * left + spread / 2
    width = math.sqrt(half**2 - squared * left**2)
    latest = math.ceil((half + width) / squared)
    if latest > MOST_DAYS:
        return Unknown.TOO_UNEVEN
    return Forecast(pace, max(math.ceil((half - width) / squared), 1), latest)


def quantile(values: Collection[float], share: float) -> float:
    """Return the quantile of `values` at `share` (0 to 1), with linear interpolation between two values.

    Raise `ValueError` if there are no values.
    """
    if not values:
        raise ValueError(share)
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
