"""Rules that choose options by their form: accuracy, and its probability by chance.

A rule chooses some of an item's options; if several, each counts as a fraction. If a rule would choose none
or all of the options, it makes no choice, and the item counts as answered by chance. A rule depends on the
options only, never on the key.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import lcm, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.formats.records import ItemRecord
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.decision_rule import Trial, share_test
from parable.quality.gates.grams import Floats, Ints

FEWEST: Final = 5
"""The fewest items whose options must differ in a feature, so that the feature's rule is tested."""
MOST_EXACT: Final = 2000
"""The most items for which the probability is exact; for more, the normal approximation suffices."""
NOTABLE: Final = 0.01
"""The exact probability is computed if the approximation is at most this value."""

_FINEST: Final = 60
"""The largest denominator of an item's fraction; rules with larger denominators are computed
approximately."""
_LEAST: Final = 1e-15
_DIGITS: Final = 9
_NEARLY: Final = 2e-9
"""Values that differ by less than this may be equal after rounding."""

LACKS: Final = "no "
"""The prefix of the name of a rule that chooses the options without a feature."""

Flags = npt.NDArray[np.bool_]
Cell = tuple[int, int]
"""The number of options of an item, and the number of options that a rule chooses."""


class Tally:
    """Counts of the items in which one rule makes a choice, and of those in which it chooses the key."""

    def __init__(self) -> None:
        self.cells: Counter[Cell] = Counter()
        self.right: Counter[Cell] = Counter()
        self._hits: list[tuple[int, int]] = []

    def add(self, place: int, options: int, chosen: int, *, is_right: bool) -> None:
        """Count the item at position `place`, unless the rule chooses none or all of its options.

        `is_right` is whether the key is among the chosen options.
        """
        if not 0 < chosen < options:
            return
        self.cells[options, chosen] += 1
        if is_right:
            self.right[options, chosen] += 1
            self._hits.append((chosen, place))

    @classmethod
    def of(cls, options: Ints, chosen: Ints, is_right: Flags) -> "Tally":
        """Return the tally of items, given by arrays of shape (items,).

        `options` and `chosen` are numbers of options; `is_right` is whether the key is among the chosen
        options.
        """
        tally = cls()
        places = np.flatnonzero((chosen > 0) & (chosen < options))
        right = places[is_right[places]]
        for counts, those in ((tally.cells, places), (tally.right, right)):
            counts.update(zip(options[those].tolist(), chosen[those].tolist(), strict=True))
        tally._hits = [*zip(chosen[right].tolist(), right.tolist(), strict=True)]
        return tally

    @property
    def differ(self) -> int:
        """The number of items in which the rule chooses only some of the options."""
        return self.cells.total()

    def trial(self, rule: str, items: Sequence[ItemRecord], chance: float) -> Trial:
        """Return the trial of the rule over all these items, including items in which it makes no choice.

        `chance`: the expected number of these items answered right by chance.
        """
        n = len(items)
        right = chance + sum(count / chosen for (_, chosen), count in self.right.items())
        right -= sum(count / options for (options, _), count in self.cells.items())
        variance = sum(
            count * (1 / (options * chosen) - 1 / options**2)
            for (options, chosen), count in self.cells.items()
        )
        low, high = wilson_interval(right, n)
        worst = tuple(items[place].id for _chosen, place in sorted(self._hits))
        found = Trial(rule, right / n, low, high, chance / n, chance / n, sqrt(variance) / n, worst,
                      differ=self.differ, hits=self.right.total())  # fmt: skip
        if self.differ > MOST_EXACT or found.p > NOTABLE:
            return found
        return replace(found, own_p=exact_p(self.cells, self.right))


def exact_p(cells: Mapping[Cell, int], right: Mapping[Cell, int]) -> float:
    """Return the probability by chance of at least this weighted number of hits.

    A hit is weighted by 1 / number of chosen options. `cells` counts all items, `right` the items with a hit.
    """
    whole = lcm(*(chosen for _options, chosen in cells))
    scale = min(whole, _FINEST)
    weights = {cell: max(round(scale / cell[1]), 1) for cell in cells}
    most = sum(weights[cell] * count for cell, count in cells.items())
    size = 1 << most.bit_length()
    spectrum = np.ones(size // 2 + 1, dtype=np.complex128)
    for cell, count in cells.items():
        spectrum *= np.fft.rfft(_spread_out(cell, count, weights[cell], size))
    score = sum(weights[cell] * count for cell, count in right.items())
    chances = np.fft.irfft(spectrum, size)
    return float(np.clip(chances[score : most + 1].sum(), _LEAST, 1.0))


def _spread_out(
    cell: Cell, count: int, weight: int, size: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the binomial probabilities of 0 to `count` hits, at the multiples of `weight`.

    Other entries are 0. The array has length `size`.
    """
    options, chosen = cell
    hits = np.arange(count + 1)
    ways = scipy.special.gammaln(count + 1) - scipy.special.gammaln(hits + 1)
    ways -= scipy.special.gammaln(count - hits + 1)
    share = chosen / options
    found = np.zeros(size)
    found[: count * weight + 1 : weight] = np.exp(
        ways + hits * np.log(share) + (count - hits) * np.log1p(-share)
    )
    return found


def try_features(
    items: Sequence[ItemRecord], features: Iterable[Sequence[frozenset[str]]]
) -> dict[str, Tally]:
    """Return, for each feature, the tallies of choosing the options with it and those without it.

    Tallies are by rule: the name of the feature, and `no ` with this name. `features` has, for each item, the
    features of each option.
    """
    found: defaultdict[str, Tally] = defaultdict(Tally)
    for index, (item, own) in enumerate(zip(items, features, strict=True)):
        options, key = len(own), item.answer
        if own.count(own[0]) == options:
            continue  # the options do not differ
        counts = Counter(feature for one in own for feature in one)
        for feature, having in counts.items():
            if having == options:
                continue
            has = key is not None and feature in own[key]
            found[feature].add(index, options, having, is_right=has)
            found[LACKS + feature].add(index, options, options - having, is_right=not has)
    return found


def extremes(values: Sequence[float]) -> tuple[list[int], list[int]]:
    """Return the positions of the largest and of the smallest values, after rounding to nine digits."""
    rounded = [round(value, _DIGITS) for value in values]
    most, least = max(rounded), min(rounded)
    return (
        [index for index, value in enumerate(rounded) if value == most],
        [index for index, value in enumerate(rounded) if value == least],
    )


def try_extremes(values: Floats, sizes: Ints, keys: Ints) -> tuple[Tally, Tally]:
    """Return the tallies of choosing the options with the largest value, and with the smallest.

    `values` has the values of all options, item by item; `sizes` the number of options of each item; `keys`
    the position of each item's key.
    """
    starts = np.cumsum(sizes) - sizes
    rows = starts + keys
    found: list[Tally] = []
    for ends in (np.maximum, np.minimum):
        end = ends.reduceat(values, starts)
        apart = np.abs(values - np.repeat(end, sizes))
        is_chosen = apart == 0
        near = np.unique(np.repeat(np.arange(len(sizes)), sizes)[~is_chosen & (apart < _NEARLY)])
        for item in near.tolist():  # compare rounded values
            own = slice(starts[item], starts[item] + sizes[item])
            is_chosen[own] = False
            is_chosen[starts[item] + extremes(values[own].tolist())[len(found)]] = True
        found.append(Tally.of(sizes, np.add.reduceat(is_chosen, starts, dtype=np.int64), is_chosen[rows]))
    return found[0], found[1]


def trials(items: Sequence[ItemRecord], tallies: Mapping[str, Tally]) -> tuple[Trial, ...]:
    """Return the trials of all rules that apply to enough items, sorted by name.

    They share one test.
    """
    chance = sum(1 / len(item.choices) for item in items)
    return share_test(
        [
            tally.trial(rule, items, chance)
            for rule, tally in sorted(tallies.items())
            if tally.differ >= FEWEST
        ]
    )
