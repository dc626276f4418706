"""A statistic with its interval, without the code that computes it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its 95 % interval.

    No figure where there is nothing to count; no interval where one story says it all or nothing varies.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
