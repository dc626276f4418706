"""Paired differences between examinees on the same items, with tests clustered by story.

Differences between models vary from story to story by more than chance, so the tests take stories as units.
Sources: Fisher, The Design of Experiments (1935), 21, for sign flips; Lancaster (1961) for the mid-p-value,
without which the test is conservative; Durkalski, Palesch, Lipsitz and Rust, Analysis of clustered
matched-pair data (2003).
"""

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
_FINEST: Final = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference in accuracy of two examinees on the items that both answered.

    `difference` (first minus second, over all repeats) has an interval clustered by story; `p_value` comes
    from sign flips of stories, `holm` is its adjustment for all pairs. The other values use the first answer
    to each item: `only_first` and `only_second` count the items that only one examinee got right; `clustered`
    is the p-value of McNemar's test by Durkalski and others; `needed` is the number of items that would
    detect this difference with power 80 %, None if there is no difference.
    """

    first: str
    second: str
    items: int
    stories: int
    only_first: int
    only_second: int
    difference: Estimate
    p_value: float
    clustered: float
    design_effect: float
    needed: int | None
    holm: float = 1.0


def paired_differences(sheets: Sequence[ResponseColumns], items: Items, chosen: Mask) -> list[Difference]:
    """Compare every pair of examinees that share items; p-values have Holm's adjustment."""
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
    """The results of an examinee by item: first answer (1 or 0), mean of all answers, number of answers.

    `first` and `mean` are NaN for items without answers.
    """

    first: Floats
    mean: Floats
    askings: Ints


def _marks(sheet: ResponseColumns, items: Items, chosen: Mask) -> _Marks:
    rows = np.flatnonzero(chosen[sheet.item])
    n = len(items.facts)
    of_items, right = sheet.item[rows], sheet.right[rows].astype(np.float64)
    counts = np.bincount(of_items, minlength=n)
    mean = np.full(n, np.nan)
    np.divide(np.bincount(of_items, weights=right, minlength=n), counts, out=mean, where=counts > 0)
    return _Marks(first_askings(sheet, items, chosen), mean, counts)


def first_askings(sheet: ResponseColumns, items: Items, chosen: Mask) -> Floats:
    """Return the result of each item's first answer, shape (items,).

    It is 1 if right, 0 if wrong, NaN if there is no answer.
    """
    rows = np.flatnonzero(chosen[sheet.item])
    right = sheet.right[rows].astype(np.float64)
    first = np.full(len(items.facts), np.nan)
    latest_first = np.lexsort((np.arange(len(rows)), sheet.repeat[rows]))[::-1]
    first[sheet.item[rows][latest_first]] = right[latest_first]  # written last, the first asking remains
    return first


def _compare(first: str, second: str, one: _Marks, two: _Marks, stories: Ints) -> Difference | None:
    both = ~(np.isnan(one.mean) | np.isnan(two.mean))
    if not both.any():
        return None
    only_first = int(((one.first > two.first) & both).sum())
    only_second = int(((one.first < two.first) & both).sum())
    apart, of_story = one.first[both] - two.first[both], np.unique(stories[both], return_inverse=True)[1]
    effect = design_effect(apart, of_story)
    differences = one.mean[both] - two.mean[both]
    grain = np.unique(np.concatenate([one.askings[both], two.askings[both]])).tolist()
    return Difference(
        first=first,
        second=second,
        items=int(both.sum()),
        stories=int(of_story.max()) + 1,
        only_first=only_first,
        only_second=only_second,
        difference=combination([Part(differences, of_story)]),
        p_value=sign_flips(np.bincount(of_story, weights=differences).astype(np.float64), grain),
        clustered=clustered_mcnemar(apart, of_story),
        design_effect=effect,
        needed=items_needed(
            (only_first + only_second) / len(apart), (only_first - only_second) / len(apart), effect
        ),
    )


def sign_flips(sums: Floats, askings: Sequence[int] = (1,)) -> float:
    """Return the two-sided mid-p-value of a sum if the signs of stories are flipped at random.

    `sums`: the difference of two examinees, summed over each story's items, shape (stories,). The p-value is
    over all 2 ** stories flips, without simulation: the sums are whole multiples of one part in the least
    common multiple of `askings`, so the distribution of the total follows from a product of cosines by
    Fourier's transform. If this multiple is above 60, sums are rounded to one part in 60.
    """
    grain = min(math.lcm(*askings), _FINEST)
    parts = np.rint(np.abs(sums) * grain).astype(np.int64)
    seen = abs(int(np.rint(sums * grain).sum()))
    total = int(parts.sum())
    if not total:
        return 1.0
    angles = np.arange((total + 1) // 2 + 1) * (2 * np.pi / (total + 1))
    spectrum = np.ones(len(angles), dtype=np.complex128)
    for part, count in zip(*np.unique(parts[parts > 0], return_counts=True), strict=True):
        spectrum *= ((1 + np.exp(-1j * part * angles)) / 2) ** int(count)
    chances = np.fft.irfft(spectrum[: (total + 1) // 2 + 1], n=total + 1)
    away = np.abs(2 * np.arange(total + 1) - total)
    p_value = float(chances[away > seen].sum() + chances[away == seen].sum() / 2)
    return min(1.0, max(0.0, p_value))


def clustered_mcnemar(apart: Floats, stories: Ints) -> float:
    """Return the p-value of McNemar's test with clusters: chi-square of the stories' mean differences.

    `apart` has the shape (items,): 1 if only the first examinee was right, -1 if only the second, else 0.
    """
    means = np.bincount(stories, weights=apart) / np.bincount(stories)
    spread = float(np.square(means).sum())
    return float(scipy.stats.chi2.sf(means.sum() ** 2 / spread, 1)) if spread > _LEAST else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values with Holm's step-down adjustment, in the given order (Holm 1979)."""
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted


def items_needed(discordant: float, difference: float, effect: float = 1.0) -> int | None:
    """Return the number of items that detect a difference at 5 % with power 80 %; None if there is none.

    (1.96 + 0.84)^2 (psi - delta^2) / delta^2 times the design effect `effect`, at least 1; psi (`discordant`)
    is the proportion of items that exactly one of the two examinees got right.
    """
    if abs(difference) < _LEAST:
        return None
    plain = (Z_ALPHA + Z_POWER) ** 2 * (discordant - difference**2) / difference**2
    return max(1, math.ceil(plain * effect - _LEAST))
