"""Numbers the units of texts (`words.units`), for gates that compare texts as arrays."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

import numpy as np

from parable.quality.gates.grams import Array, Ints
from parable.quality.item import words
from parable.quality.resemblance import code_points

_FIRST: Final = 1 << 21
"""The first number given to units other than Chinese characters; higher than all code points."""


class UnitNumbers(dict[str, int]):
    """The number of each unit: the code point of a Chinese character, else the next unused number."""

    def __init__(self) -> None:
        super().__init__()
        self.width = _FIRST
        """The lowest unused number; all numbers are below it."""

    def _learn(self, units: Iterable[str]) -> None:
        """Give a number to each unit that has none yet."""
        for unit in dict.fromkeys(units):
            if unit not in self:
                if len(unit) == 1 and words.is_han(unit):
                    self[unit] = ord(unit)
                else:
                    self[unit] = self.width
                    self.width += 1

    def of(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the numbers of the units of all texts in order, and the index of each unit's text."""
        folded = words.fold_all(texts)
        are_worded = words.has_other_units("".join(folded))
        worded = [place for place, text in enumerate(folded) if are_worded and words.has_other_units(text)]
        units = [words.units_of_folded(folded[place]) for place in worded]
        said = [*chain.from_iterable(units)]
        self._learn(said)
        numbers = np.fromiter(map(self.__getitem__, said), np.int64, len(said))
        owners = np.repeat(np.array(worded, dtype=np.int64), [*map(len, units)])
        if len(worded) == len(texts):
            return numbers, owners
        for place in worded:
            folded[place] = ""
        points, of_text = code_points(folded)
        are_said = _are_han(points)
        numbers = np.concatenate([numbers, points[are_said].astype(np.int64)])
        owners = np.concatenate([owners, of_text[are_said]])
        if worded:
            order = np.argsort(owners, kind="stable")
            numbers, owners = numbers[order], owners[order]
        return numbers, owners


def pair_up(numbers: Ints, owners: Ints, width: int) -> tuple[Ints, Ints]:
    """Return the pairs of adjacent units of each text as numbers, and the index of each pair's text."""
    inside = owners[1:] == owners[:-1]
    return (numbers[:-1] * width + numbers[1:])[inside], owners[:-1][inside]


def _are_han(points: Array) -> Array:
    """Return a mask of the code points that are Chinese characters (`words.HAN`)."""
    found: Array = (
        ((points >= 0x4E00) & (points <= 0x9FFF))
        | ((points >= 0x3400) & (points <= 0x4DBF))
        | ((points >= 0x20000) & (points <= 0x3FFFF))
        | (points == 0x3005)
        | (points == 0x3007)
    )
    return found
