"""Whether items treat styles and groups alike: model by style interaction, and differential functioning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.bootstrap import LEVEL, RESAMPLES
from parable.psychometrics.responses import Array, Mask, ResponseMatrix

LEAST_IN_GROUP: Final = 100
"""Smaller groups show differences of items by chance alone."""
STRATA: Final = 10


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """By how much one examinee does better on machine-style items than examinees do on average.

    A difference of accuracies within stories, with the ends of its interval over stories; `stories` are those
    of which the examinee answered both styles.
    """

    examinee: str
    stories: int
    difference: float
    low: float
    high: float


def style_effects(
    matrix: ResponseMatrix,
    is_machine: Mask,
    stories: npt.ArrayLike,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> list[StyleEffect]:
    """The interaction of examinee and style, story effects taken out: only stories with both styles count.

    Of each story an examinee's share right on machine-style items less that on human-style ones is taken,
    less the mean of all examinees; stories are drawn anew for the interval. Empty where fewer than two
    stories have both, or fewer than two examinees answered both.
    """
    labels = np.unique(np.asarray(stories), return_inverse=True)[1]
    apart = _within_stories(matrix, is_machine, labels)
    answered = np.flatnonzero(~np.isnan(apart).all(axis=1)) if apart.size else np.empty(0, dtype=np.intp)
    apart = apart[answered]
    if min(apart.shape) < 2:
        return []
    rng = np.random.default_rng(seed)
    drawn = rng.integers(apart.shape[1], size=(resamples, apart.shape[1]))
    spread = np.stack([_interaction(apart[:, rows]) for rows in drawn])
    ends = np.nanquantile(spread, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    now = _interaction(apart)
    return [
        StyleEffect(matrix.examinees[who], int(n), float(now[row]), float(ends[0, row]), float(ends[1, row]))
        for row, (who, n) in enumerate(zip(answered, (~np.isnan(apart)).sum(axis=1), strict=True))
    ]


def _within_stories(matrix: ResponseMatrix, is_machine: Mask, labels: npt.NDArray[np.intp]) -> Array:
    """Machine less human within each story that has both, shape (examinees, such stories); NaN unanswered."""
    columns = []
    for story in np.unique(labels):
        of_story = labels == story
        machine, human = of_story & is_machine, of_story & ~is_machine
        if machine.any() and human.any():
            columns.append(_mean(matrix, machine) - _mean(matrix, human))
    return np.stack(columns, axis=1) if columns else np.empty((len(matrix.examinees), 0))


def _mean(matrix: ResponseMatrix, chosen: Mask) -> Array:
    n = matrix.answered[:, chosen].sum(axis=1)
    found = np.full(len(n), np.nan)
    np.divide(matrix.right[:, chosen].sum(axis=1), n, out=found, where=n > 0)
    return found


def _interaction(apart: Array) -> Array:
    known = ~np.isnan(apart)
    n = known.sum(axis=1)
    mean = np.full(len(apart), np.nan)
    np.divide(np.where(known, apart, 0.0).sum(axis=1), n, out=mean, where=n > 0)
    return np.asarray(mean - mean[n > 0].mean() if (n > 0).any() else mean)


@dataclass(frozen=True, slots=True, eq=False)
class Functioning:
    """How much harder each item is for the second group than for examinees of the first as able; (items,).

    `delta` is on the delta scale (below 0: harder for the second; past 1.5 either way: large), with the p of
    a chi square of one degree; NaN where an item cannot be compared. Source: Holland and Thayer,
    Differential item performance and the Mantel-Haenszel procedure (1988).
    """

    delta: Array
    p_value: Array


def differential_functioning(
    matrix: ResponseMatrix, groups: Sequence[str], first: str, second: str
) -> Functioning | None:
    """Mantel and Haenszel's comparison of two groups; None unless both have at least 100 examinees."""
    named = np.asarray(groups)
    if min(int((named == name).sum()) for name in (first, second)) < LEAST_IN_GROUP:
        return None
    chosen = (named == first) | (named == second)
    cells, is_first = matrix.cells[chosen], named[chosen] == first
    known = ~np.isnan(cells)
    score = np.nan_to_num(cells).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    strata = np.searchsorted(np.unique(np.quantile(score, np.linspace(0, 1, STRATA + 1)[1:-1])), score)
    counts = _counts(cells, is_first, strata)
    return _mantel_haenszel(counts)


def _counts(cells: Array, is_first: Mask, strata: npt.NDArray[np.intp]) -> Array:
    """Right and wrong of the first, right and wrong of the second: (4, strata, items)."""
    values = np.unique(strata)
    found = np.empty((4, len(values), cells.shape[1]))
    for place, stratum in enumerate(values):
        for group, offset in ((is_first, 0), (~is_first, 2)):
            part = cells[(strata == stratum) & group]
            found[offset, place], found[offset + 1, place] = (part == 1).sum(axis=0), (part == 0).sum(axis=0)
    return found


def _mantel_haenszel(counts: Array) -> Functioning:
    a, b, c, d = counts
    n = np.maximum(counts.sum(axis=0), 1)
    up, down = (a * d / n).sum(axis=0), (b * c / n).sum(axis=0)
    first, second, right, wrong = a + b, c + d, a + c, b + d
    expected = first * right / n
    variance = first * second * right * wrong / (np.square(n) * np.maximum(n - 1, 1))
    gap = np.maximum(np.abs((a - expected).sum(axis=0)) - 0.5, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = -2.35 * np.log(up / down)
        chi = np.square(gap) / variance.sum(axis=0)
    usable = np.isfinite(delta) & np.isfinite(chi)
    p_value = np.where(usable, scipy.stats.chi2.sf(np.where(usable, chi, 0.0), 1), np.nan)
    return Functioning(np.where(usable, delta, np.nan), p_value)
