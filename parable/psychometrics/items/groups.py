"""Interaction of examinee and style, and differential item functioning between groups of examinees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.defaults import LEAST_IN_GROUP
from parable.psychometrics.responses import Array, Mask, ResponseMatrix
from parable.psychometrics.results.differences import holm

_LEAST: Final = 1e-9
MOST_LEVELS: Final = 50
STRATA: Final = 10
"""The number of strata if there are more than `MOST_LEVELS` different proportions correct; else one per
value."""
CERTAIN: Final = 0.05
"""The significance level of p-values, which are adjusted for all items that could be compared."""
MODERATE: Final = 1.0
LARGE: Final = 1.5
"""Lower bounds of moderate and large differences on the delta scale, as used by ETS (Zwick 2012)."""


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """The advantage of an examinee on machine-style items, relative to the average of all examinees.

    `difference` is a difference of accuracies within stories, with its 95 % interval over stories; the
    interval is None if the difference does not vary between stories. `stories` is the number of stories in
    which the examinee answered items of both styles.
    """

    examinee: str
    stories: int
    difference: float
    low: float | None
    high: float | None


def style_effects(matrix: ResponseMatrix, is_machine: Mask, stories: npt.ArrayLike) -> list[StyleEffect]:
    """Return the interaction of examinee and style, from stories that have items of both styles.

    For each examinee and story, the proportion correct on human-style items is subtracted from that on
    machine-style items; an examinee's mean over stories is then compared with the mean of all examinees. The
    interval uses the linearised variance over stories and Student's t, whose degrees of freedom are the
    examinee's stories minus one. Return [] if fewer than two stories have items of both styles, or fewer than
    two examinees answered items of both styles.
    """
    labels = np.unique(np.asarray(stories), return_inverse=True)[1]
    apart = _within_stories(matrix, is_machine, labels)
    answered = np.flatnonzero(~np.isnan(apart).all(axis=1)) if apart.size else np.empty(0, dtype=np.intp)
    apart = apart[answered]
    if min(apart.shape) < 2:
        return []
    known = ~np.isnan(apart)
    n = known.sum(axis=1)
    mean = np.where(known, apart, 0.0).sum(axis=1) / n
    # The contribution of each story to (an examinee's mean - the mean of all means).
    pull = np.where(known, apart - mean[:, None], 0.0) / n[:, None]
    variance = np.square(pull - pull.mean(axis=0)).sum(axis=1) * n / np.maximum(n - 1, 1)
    half = scipy.stats.t.ppf((1 + LEVEL) / 2, np.maximum(n - 1, 1)) * np.sqrt(variance)
    return [
        StyleEffect(
            matrix.examinees[who],
            int(n[row]),
            float(difference),
            *(
                (float(difference - half[row]), float(difference + half[row]))
                if n[row] > 1 and half[row] > _LEAST
                else (None, None)
            ),
        )
        for row, (who, difference) in enumerate(zip(answered, mean - mean.mean(), strict=True))
    ]


def _within_stories(matrix: ResponseMatrix, is_machine: Mask, labels: npt.NDArray[np.intp]) -> Array:
    """Return the machine-style minus the human-style proportion correct, shape (examinees, stories).

    Only stories with items of both styles are included.
    """
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


@dataclass(frozen=True, slots=True, eq=False)
class Functioning:
    """Differential item functioning: the difference between two groups of equally able examinees, (items,).

    `delta` is on the delta scale: negative if the item is harder for the second group; infinite if all
    differences have the same sign, for example if one group always solves the item. `p_value` is from a
    chi-square test with one degree of freedom and continuity correction; `adjusted` has Holm's adjustment for
    the tested items. All are NaN if an item cannot be compared. Source: Holland and Thayer, Differential item
    performance and the Mantel-Haenszel procedure (1988).
    """

    delta: Array
    p_value: Array
    adjusted: Array

    @property
    def tested(self) -> int:
        """The number of items that could be compared."""
        return int(np.isfinite(self.p_value).sum())

    @property
    def named(self) -> Mask:
        """A mask of the items with differential functioning, shape (items,)."""
        with np.errstate(invalid="ignore"):
            return np.asarray((np.abs(self.delta) >= MODERATE) & (self.adjusted < CERTAIN))


def differential_functioning(
    matrix: ResponseMatrix, groups: Sequence[str], first: str, second: str
) -> Functioning | None:
    """Compare two groups by the Mantel-Haenszel method; None unless both have at least 100 examinees.

    `groups` has the group of each examinee. Examinees are matched by their proportion correct on the item
    itself and on all items without differential functioning. These are determined in a first step (Holland
    and Thayer), since matching by an item that differs strongly makes other items seem to differ.
    """
    named = np.asarray(groups)
    if min(int((named == name).sum()) for name in (first, second)) < LEAST_IN_GROUP:
        return None
    chosen = (named == first) | (named == second)
    cells, is_first = matrix.cells[chosen], named[chosen] == first
    found = _compared(cells, is_first, np.zeros(cells.shape[1], dtype=np.bool_))
    found = _compared(cells, is_first, left_out := np.isinf(found.delta))
    return _compared(cells, is_first, left_out | found.named)


def _compared(cells: Array, is_first: Mask, left_out: Mask) -> Functioning:
    """Compare all items.

    Examinees are matched by the proportion correct on the item and on the items that are not left out.
    """
    if left_out.all():
        left_out = np.zeros_like(left_out)
    delta, p_value = _mantel_haenszel(_counts(cells, is_first, _strata(cells[:, ~left_out])))
    for item in np.flatnonzero(left_out):
        matched = ~left_out
        matched[item] = True
        own = _counts(cells[:, [item]], is_first, _strata(cells[:, matched]))
        (delta[item],), (p_value[item],) = _mantel_haenszel(own)
    tested = np.isfinite(p_value)
    adjusted = np.full(len(p_value), np.nan)
    adjusted[tested] = holm(p_value[tested].tolist())
    return Functioning(delta, p_value, adjusted)


def _strata(cells: Array) -> npt.NDArray[np.intp]:
    """Return each examinee's stratum by proportion correct, shape (examinees,).

    Each proportion is a stratum; if there are more than `MOST_LEVELS`, tenths of examinees are.
    """
    known = ~np.isnan(cells)
    score = np.nan_to_num(cells).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    levels, of_each = np.unique(np.round(score, 9), return_inverse=True)
    if len(levels) <= MOST_LEVELS:
        return np.asarray(of_each, dtype=np.intp)
    ends = np.unique(np.quantile(score, np.linspace(0, 1, STRATA + 1)[1:-1]))
    return np.asarray(np.searchsorted(ends, score), dtype=np.intp)


def _counts(cells: Array, is_first: Mask, strata: npt.NDArray[np.intp]) -> Array:
    """Count right and wrong answers of the first, then of the second group, shape (4, strata, items)."""
    values = np.unique(strata)
    found = np.empty((4, len(values), cells.shape[1]))
    for place, stratum in enumerate(values):
        for group, offset in ((is_first, 0), (~is_first, 2)):
            part = cells[(strata == stratum) & group]
            found[offset, place], found[offset + 1, place] = (part == 1).sum(axis=0), (part == 0).sum(axis=0)
    return found


def _mantel_haenszel(counts: Array) -> tuple[Array, Array]:
    """Return delta and p-value of each item; NaN if no stratum has both groups and both outcomes."""
    a, b, c, d = counts
    n = np.maximum(counts.sum(axis=0), 1)
    up, down = (a * d / n).sum(axis=0), (b * c / n).sum(axis=0)
    first, second, right, wrong = a + b, c + d, a + c, b + d
    expected = first * right / n
    variance = (first * second * right * wrong / (np.square(n) * np.maximum(n - 1, 1))).sum(axis=0)
    gap = np.maximum(np.abs((a - expected).sum(axis=0)) - 0.5, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = -2.35 * np.log(up / down)
        chi = np.square(gap) / variance
    usable = variance > 0
    p_value = np.where(usable, scipy.stats.chi2.sf(np.where(usable, chi, 0.0), 1), np.nan)
    return np.where(usable, delta, np.nan), p_value
