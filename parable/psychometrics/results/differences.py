"""Pairs of examinees on the same items: who is right where the other is wrong, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.results.clusters import Part, combination, design_effect
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import Floats, Ints, Items, Mask, ResponseColumns

Z_ALPHA: Final = 1.96
Z_POWER: Final = 0.84
_LEAST: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """Two examinees on the items that both were asked.

    `difference` (first less second) is over all repeats, its interval clustered by story. The counts and
    `p_value` (McNemar, exact) are of each one's first asking of an item; `holm` is adjusted over the pairs.
    `needed`: how many items would show a difference as large as that of the first askings in 80
    of 100 trials; None where there is no difference.
    """

    first: str
    second: str
    items: int
    only_first: int
    only_second: int
    difference: Estimate
    p_value: float
    design_effect: float
    needed: int | None
    holm: float = 1.0


def paired_differences(sheets: Sequence[ResponseColumns], items: Items, chosen: Mask) -> list[Difference]:
    """Every pair of examinees that shares items, in the order given, with Holm's adjustment over them."""
    marks = {sheet.name: _marks(sheet, items, chosen) for sheet in sheets}
    found = [
        pair
        for one, two in combinations(sheets, 2)
        if (pair := _compare(one.name, two.name, marks[one.name], marks[two.name], items.story)) is not None
    ]
    adjusted = holm([pair.p_value for pair in found])
    return [replace(pair, holm=p) for pair, p in zip(found, adjusted, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _Marks:
    """By item: whether its first asking was right, and the mean over its askings; NaN where not asked."""

    first: Floats
    mean: Floats


def _marks(sheet: ResponseColumns, items: Items, chosen: Mask) -> _Marks:
    rows = np.flatnonzero(chosen[sheet.item])
    n = len(items.facts)
    of_items, right = sheet.item[rows], sheet.right[rows].astype(np.float64)
    counts = np.bincount(of_items, minlength=n)
    mean = np.full(n, np.nan)
    np.divide(np.bincount(of_items, weights=right, minlength=n), counts, out=mean, where=counts > 0)
    return _Marks(first_askings(sheet, items, chosen), mean)


def first_askings(sheet: ResponseColumns, items: Items, chosen: Mask) -> Floats:
    """Whether the first asking of each item was right, shape (items,): 1 or 0, NaN where not asked."""
    rows = np.flatnonzero(chosen[sheet.item])
    right = sheet.right[rows].astype(np.float64)
    first = np.full(len(items.facts), np.nan)
    latest_first = np.lexsort((np.arange(len(rows)), sheet.repeat[rows]))[::-1]
    first[sheet.item[rows][latest_first]] = right[latest_first]  # the last one written is the first asked
    return first


def _compare(first: str, second: str, one: _Marks, two: _Marks, stories: Ints) -> Difference | None:
    both = ~(np.isnan(one.mean) | np.isnan(two.mean))
    if not both.any():
        return None
    only_first = int(((one.first > two.first) & both).sum())
    only_second = int(((one.first < two.first) & both).sum())
    apart = one.first[both] - two.first[both]
    effect = design_effect(apart, stories[both])
    return Difference(
        first=first,
        second=second,
        items=int(both.sum()),
        only_first=only_first,
        only_second=only_second,
        difference=combination([Part(one.mean[both] - two.mean[both], stories[both])]),
        p_value=exact_mcnemar(only_first, only_second),
        design_effect=effect,
        needed=items_needed(
            (only_first + only_second) / len(apart), (only_first - only_second) / len(apart), effect
        ),
    )


def exact_mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of the discordant pairs under a fair coin."""
    n = only_first + only_second
    return float(scipy.stats.binomtest(only_first, n, 0.5).pvalue) if n else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given (Holm 1979)."""
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted


def items_needed(discordant: float, difference: float, effect: float = 1.0) -> int | None:
    """How many items distinguish two examinees at 5 % with a power of 80 %; None where they do not differ.

    (1.96 + 0.84)^2 (psi - delta^2) / delta^2 times the design effect, psi the share of items on which one
    is right and the other wrong. At least 1.
    """
    if abs(difference) < _LEAST:
        return None
    plain = (Z_ALPHA + Z_POWER) ** 2 * (discordant - difference**2) / difference**2
    return max(1, math.ceil(plain * effect - _LEAST))
