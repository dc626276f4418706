"""A statistic with its interval.

This module imports none of the code that computes it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its 95 % interval.

    `value` is None if there is nothing to count; there is no interval if there is one story or no variance.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
