"""Scales of axes: their ends, and ticks at round numbers."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_ROUND: Final = (1, 2, 2.5, 5, 10)
_TICKS: Final = 4
"""Maximum number of ticks of an axis, not counting the first."""

Ticks = tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from `low` to `high`, with its name, and ticks with labels."""

    low: float
    high: float
    name: str = ""
    ticks: Ticks = ()

    def along(self, value: float, start: float, end: float) -> float:
        """Return the position of a value between two ends; values outside the scale are clipped."""
        kept = min(max(value, self.low), self.high)
        return start + (end - start) * (kept - self.low) / (self.high - self.low)


def numbers(low: float, high: float, name: str = "", most: int = 8) -> Scale:
    """Return a scale from `low` to `high`, with at most `most` steps between ticks."""
    return Scale(low, high, name, tuple((tick, f"{tick:g}") for tick in _steps(low, high, most)))


def counts(most: float, name: str = "") -> Scale:
    """Return a scale of whole numbers from 0 to `most`."""
    ticks = tuple((tick, f"{tick:g}") for tick in _steps(0, max(most, 1), _TICKS) if tick == int(tick))
    return Scale(0, max(most, 1), name, ticks)


def shares(language: str, most: float = 1.0, name: str = "") -> Scale:
    """Return a scale of shares from 0 to `most`, in percent; Chinese has no space before the sign."""
    sign = "%" if language.startswith("zh") else " %"
    ticks = tuple((tick, f"{100 * tick:g}{sign}") for tick in _steps(0, most, _TICKS))
    return Scale(0.0, most, name, ticks)


def around(values: Iterable[float], name: str = "") -> Scale:
    """Return a scale that includes all values, with a margin at both ends."""
    found = [*values] or [0.0]
    low, high = min(found), max(found)
    room = max(0.15 * (high - low), 0.5)
    return numbers(low - room, high + room, name)


def _steps(low: float, high: float, most: int) -> list[float]:
    """Return round numbers from `low` to `high`, in at most `most` equal steps."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * by for by in _ROUND if power * by > rough * 0.999)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [round(number * step, 9) + 0.0 for number in range(first, last + 1)]
