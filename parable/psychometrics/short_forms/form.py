"""Make a short form and estimate its error by cross-validation.

Each examinee is scored by a form that was made without them. Whole models are left out, so that no checkpoint
is predicted from other checkpoints of its model. Source: Stone, Cross-validatory choice and assessment of
statistical predictions (1974).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.irt import FEW_EXAMINEES
from parable.psychometrics.responses import Array, ResponseMatrix
from parable.psychometrics.short_forms.score import Rule, fit_rule
from parable.psychometrics.short_forms.selection import (
    Constraints,
    Places,
    random_items,
    select,
    stratified_items,
)

LEAST_EXAMINEES: Final = 5
"""The fewest examinees who answered every item; with fewer, the error cannot be estimated."""
LEAST_SIZE: Final = 2
MOST_FOLDS: Final = 100
DRAWS: Final = 20
"""The number of random and of stratified forms drawn per fold, for comparison."""
INFORMATIVE: Final = "informative"
STRATIFIED: Final = "stratified"


@dataclass(frozen=True, slots=True)
class Error:
    """Errors of scores of left-out examinees, as proportions: mean absolute error and root mean square.

    `low` and `high` are the ends of the interval of `mean`; `n` is the number of examinees, `units` the
    number of models.
    """

    mean: float
    low: float
    high: float
    root: float
    n: int
    units: int

    @property
    def half_width(self) -> float:
        """The half-width of a score's interval: Student's t times the root mean square error."""
        return float(scipy.stats.t.ppf((1 + LEVEL) / 2, max(self.units - 1, 1))) * self.root


@dataclass(frozen=True, slots=True, eq=False)
class ShortForm:
    """A short form: its items by column, its scoring rule, its error, and errors of random forms.

    `left_out` has (row, proportion correct on the set, score when left out) of each examinee who answered
    every item. `wanted` is the size that was requested.
    """

    items: Places
    method: str
    rule: Rule
    error: Error
    random: Error
    stratified: Error
    left_out: list[tuple[int, float, float]]
    wanted: int


def _nobody(_done: int, _of: int) -> None:
    """Ignore progress reports."""


def make_form(
    matrix: ResponseMatrix,
    size: int,
    constraints: Constraints | None = None,
    *,
    units: Sequence[str],
    seed: int,
    report: Callable[[int, int], object] = _nobody,
) -> ShortForm | None:
    """Make a form of `size` items, with its error; None if examinees or constraints do not suffice.

    `units` has the model of each examinee. At least five examinees of at least two models must have answered
    every item. `report` is called with the number of folds done and the number of folds. Raise ValueError if
    `size` is below 2 or not below the number of items.
    """
    if not LEAST_SIZE <= size < len(matrix.items):
        raise ValueError(f"A short form has at least {LEAST_SIZE} items, and fewer than the set.")
    rows = np.flatnonzero(matrix.answered.all(axis=1))
    labels = np.unique(np.asarray(units)[rows], return_inverse=True)[1] if len(rows) else rows
    if len(rows) < LEAST_EXAMINEES or labels.max() < 1:
        return None
    cells, kept = matrix.cells[rows], constraints or Constraints()
    items = select(cells, size, kept, seed=seed)
    if len(items) < LEAST_SIZE:
        return None
    tried = _Tried(cells, labels, size, kept, seed)
    scores, by_chance, by_difficulty = tried.scores(report)
    shares = cells.mean(axis=1)
    return ShortForm(
        items=items,
        method=INFORMATIVE if len(cells) >= FEW_EXAMINEES else STRATIFIED,
        rule=fit_rule(cells[:, items], shares),
        error=_error(scores[:, None] - shares[:, None], labels),
        random=_error(by_chance - shares[:, None], labels),
        stratified=_error(by_difficulty - shares[:, None], labels),
        left_out=[(int(row), float(share), float(score))
                  for row, share, score in zip(rows, shares, scores, strict=True)],
        wanted=size,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """The data and settings of a form, used to make it again without some examinees."""

    cells: Array
    labels: Places
    size: int
    constraints: Constraints
    seed: int

    def scores(self, report: Callable[[int, int], object]) -> tuple[Array, Array, Array]:
        """Return each examinee's scores when left out: by the form, by random and by stratified draws.

        The shapes are (examinees,), (examinees, draws) and (examinees, draws).
        """
        n = len(self.cells)
        by_form, by_chance, by_difficulty = np.empty(n), np.empty((n, DRAWS)), np.empty((n, DRAWS))
        # A fold leaves out the examinees of one model, or of several models if there are many.
        units = int(self.labels.max()) + 1
        many = min(units, MOST_FOLDS)
        fold_of = np.random.default_rng(self.seed).permutation(units) % many
        folds = [fold_of[self.labels] == fold for fold in range(many)]
        for number, out in enumerate(folds):
            report(number, len(folds))
            known, asked = self.cells[~out], self.cells[out]
            items = select(known, self.size, self.constraints, seed=self.seed)
            by_form[out] = fit_rule(known[:, items], known.mean(axis=1)).scores(asked[:, items])
            for draw in range(DRAWS):
                seed = self.seed + 1 + DRAWS * number + draw
                any_items = random_items(asked.shape[1], self.size, seed=seed)
                by_chance[out, draw] = asked[:, any_items].mean(axis=1)
                drawn = stratified_items(known, self.size, self.constraints, seed=seed)
                by_difficulty[out, draw] = asked[:, drawn].mean(axis=1)
        return by_form, by_chance, by_difficulty


def _error(apart: Array, labels: Places) -> Error:
    """Return the error from differences of shape (examinees, draws); the interval takes models as units."""
    n = int(labels.max()) + 1
    size = np.abs(apart).mean(axis=1)
    per_unit = np.bincount(labels, weights=size) / np.bincount(labels)
    mean = float(size.mean())
    spread = float(per_unit.std(ddof=1)) / n**0.5
    half = float(scipy.stats.t.ppf((1 + LEVEL) / 2, n - 1)) * spread
    root = float(np.sqrt(np.square(apart).mean()))
    return Error(mean, max(0.0, mean - half), mean + half, root, len(labels), n)
