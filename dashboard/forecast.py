"""Forecast of when a project's items will all be verified, and quantiles of times. Pure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PACE_DAYS: Final = 14
"""The pace is the mean of this many whole days: two weeks, so that every weekday counts twice."""
LEAST_ITEMS: Final = 20
LEAST_DAYS: Final = 5
"""Minimum numbers of days with verified items, and of verified items in all."""
MOST_DAYS: Final = 730
"""A later end than this is no forecast."""
_Z: Final = 1.2816
"""Quantile of the normal distribution for an interval with probability 0.8."""

IN_PROGRESS: Final = ("in_review", "returned", "in_verification", "in_adjudication")


class Unknown(StrEnum):
    """The reason why there is no forecast."""

    DONE = "done"
    TOO_LITTLE = "too_little"
    TOO_UNEVEN = "too_uneven"


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast: the earliest and latest day of completion, counted from today, at `pace` items a day."""

    pace: float
    earliest: int
    latest: int


def items_left(planned: int, counted: Mapping[str, int]) -> int:
    """Return how many items are left to verify: those missing from the plan, or in progress if more.

    `counted`: the number of items by state; rejected, withdrawn and retired ones must be replaced.
    """
    under_way = sum(counted[state] for state in IN_PROGRESS)
    return max(planned - counted["verified"], under_way)


def forecast(verified: Sequence[int], left: int) -> Forecast | Unknown:
    """Return in how many days `left` items will be verified, by the numbers on the last `PACE_DAYS` days.

    After t days about pace × t items are verified, with variance s² (t + t² / n): that of t future days, plus
    that of a pace observed for n days. The interval ends where `left` is a quantile of this distribution. The
    variance of days is at least that of independent events. Raises `ValueError` for another number of days.
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
    """Return the quantile of the values at this share, interpolated linearly.

    Raises `ValueError` if there are no values.
    """
    if not values:
        raise ValueError(share)
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
