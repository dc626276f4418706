"""Position preference: whether an examinee prefers certain option positions, regardless of content."""

import math
import sys
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.results.clusters import Part, combination
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import NONE, Floats, Ints, Items, Mask, ResponseColumns

_LEAST_SPREAD: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Place:
    """An option position: how often the examinee chose it, and how often it had the key.

    `excess` is the proportion of choices minus the proportion of keys at this position; `found` is the
    proportion right among items with the key at this position, None if there are none.
    """

    chosen: int
    keys: int
    excess: Estimate
    found: float | None


@dataclass(frozen=True, slots=True)
class Preference:
    """The position preference of one examinee, from the `answers` that chose an option.

    `p_value` is of the hypothesis of no preference, clustered by story; None if there are too few stories,
    unless all wrong answers or none are at one position. `spread` is the standard deviation of `Place.found`.
    """

    answers: int
    places: tuple[Place, ...]
    p_value: float | None
    spread: float | None


def position_preference(sheet: ResponseColumns, items: Items, chosen: Mask) -> Preference | None:
    """Compare the positions that an examinee chose with those of the keys; None if nothing was chosen."""
    rows = chosen[sheet.item] & (sheet.shown != NONE)
    if not rows.any():
        return None
    count = int(items.options[sheet.item[rows]].max())
    places = np.arange(count)
    picked = (sheet.shown[rows][:, None] == places).astype(np.float64)
    keys = (sheet.key_shown[rows][:, None] == places).astype(np.float64)
    stories = items.story[sheet.item[rows]]
    right = sheet.right[rows]
    found = [float(right[keys[:, at] > 0].mean()) if keys[:, at].any() else None for at in places]
    known = [one for one in found if one is not None]
    # the smaller p-value of the test by stories and the bound for extreme preference
    tests = _of_stories(picked - keys, stories), _of_certainty(sheet, items, rows)
    p_values = [one for one in tests if one is not None]
    return Preference(
        answers=int(rows.sum()),
        places=tuple(
            Place(
                chosen=int(picked[:, at].sum()),
                keys=int(keys[:, at].sum()),
                excess=combination([Part(picked[:, at] - keys[:, at], stories)]),
                found=found[at],
            )
            for at in places
        ),
        p_value=max(min(p_values), sys.float_info.min) if p_values else None,
        spread=float(np.std(known)) if len(known) > 1 else None,
    )


def _of_stories(apart: Floats, stories: Ints) -> float | None:
    """Return the p-value of Hotelling's test that all columns' means over stories are zero, or None.

    Squares are taken about zero, not about the mean, so that directions without variance count, too: with n
    stories and r independent columns, the statistic divided by n has a beta distribution (r / 2, (n - r) /
    2). The p-value is at least 2 to the power of -n, the smallest that flipping the signs of n stories could
    give. Return None for too few stories.
    """
    where = np.unique(stories, return_inverse=True)[1]
    sums = np.stack([np.bincount(where, weights=column) for column in apart.T], axis=1)
    n = len(sums)
    spreads, axes = np.linalg.eigh(sums.T @ sums)
    # The columns add up to zero, so at least one axis has no variance except rounding errors.
    varied = spreads > _LEAST_SPREAD * max(float(spreads[-1]), 1.0)
    free = int(varied.sum())
    if n < 2 or (free and n <= free + 1):
        return None
    if not free:
        return 1.0
    seen = float((np.square(sums.sum(axis=0) @ axes[:, varied]) / spreads[varied]).sum()) / n
    # Of the beta distribution; scipy.stats would take half a second and 50 MB to import.
    return max(float(scipy.special.betaincc(free / 2, (n - free) / 2, min(seen, 1.0))), 0.5**n)


def _of_certainty(sheet: ResponseColumns, items: Items, rows: Mask) -> float | None:
    """Return an upper bound of the p-value if one position has all wrong answers, or none of them.

    Return None otherwise. Without a preference, a wrong answer is equally likely at each position except
    the key's; with two options, it is at one position as often as the key is at the other. Repeats of an
    item with options in the same order count once. The bound has Bonferroni's factor for all positions, and
    for both "all" and "none".
    """
    shown, key, options = sheet.shown[rows], sheet.key_shown[rows], items.options[sheet.item[rows]]
    wrong = np.flatnonzero(shown != key)
    asked = np.stack([sheet.item[rows][wrong], sheet.turn[rows][wrong]])
    wrong = wrong[np.unique(asked, axis=1, return_index=True)[1]]
    bounds = []
    for at in range(int(options.max())):
        elsewhere = float((key[options == 2] != at).mean()) if (options == 2).any() else 1.0
        chance = np.where(options == 2, elsewhere, 1 / np.maximum(options - 1, 1))[wrong]
        if len(wrong) and (shown[shown != key] == at).all():
            bounds.append(np.log(chance).sum())
        if (shown != at).all():
            open_ = (key[wrong] != at) & (at < options[wrong]) & (options[wrong] > 2)
            bounds.append(np.log1p(-chance[open_]).sum())
    factor = 2 * int(options.max())
    return min(1.0, factor * math.exp(min(bounds))) if bounds and min(bounds) < 0 else None
