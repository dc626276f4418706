"""The response matrix of examinees and items, for item analysis and item response theory."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


_CHUNK_CELLS = 2_000_000
"""The number of cells processed at once, so that a large matrix is not copied as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class ResponseMatrix:
    """Right (1) and wrong (0) answers, shape (examinees, items); NaN for a missing answer.

    Raise ValueError if the names do not fit the shape or a cell has another number.
    """

    examinees: tuple[str, ...]
    items: tuple[str, ...]
    cells: Array

    def __post_init__(self) -> None:
        if self.cells.shape != (len(self.examinees), len(self.items)):
            raise ValueError("A response matrix has one row an examinee and one column an item.")
        if not (self.right | self.wrong | ~self.answered).all():
            raise ValueError("A cell of a response matrix is 1, 0 or missing.")

    @property
    def right(self) -> Mask:
        """A mask of right answers, shape (examinees, items)."""
        return np.asarray(self.cells == 1.0)

    @property
    def wrong(self) -> Mask:
        """A mask of wrong answers, shape (examinees, items)."""
        return np.asarray(self.cells == 0.0)

    @property
    def answered(self) -> Mask:
        """A mask of given answers, shape (examinees, items)."""
        return np.logical_not(np.isnan(self.cells))

    def of_items(self, chosen: Mask) -> "ResponseMatrix":
        """Return the matrix of the items that `chosen`, a mask of shape (items,), selects."""
        if chosen.all():
            return self
        names = tuple(name for name, keep in zip(self.items, chosen, strict=True) if keep)
        return ResponseMatrix(self.examinees, names, self.cells[:, chosen])


def make_matrix(cells: npt.ArrayLike, *, items: Sequence[str] | None = None) -> ResponseMatrix:
    """Return a matrix from numbers of shape (examinees, items), with numbered examinees.

    Items are numbered, too, if `items` does not name them.
    """
    table = np.asarray(cells, dtype=np.float64)
    examinees, columns = table.shape
    names = tuple(items) if items is not None else tuple(f"item{n}" for n in range(1, columns + 1))
    return ResponseMatrix(tuple(f"examinee{n}" for n in range(1, examinees + 1)), names, table)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The connected parts of a response matrix: groups of examinees and items connected by answers.

    `examinees` and `items` are the part number of each examinee and item, -1 without answers. Part 0 has the
    most answers. Examinees of different parts have no common scale.
    """

    examinees: Numbers
    items: Numbers
    count: int

    def sizes(self) -> list[tuple[int, int]]:
        """Return (number of examinees, number of items) of each part."""
        return [
            (int((self.examinees == part).sum()), int((self.items == part).sum()))
            for part in range(self.count)
        ]


def connected_parts(answered: Mask) -> Parts:
    """Find the connected parts of a matrix; `answered` is a mask of shape (examinees, items).

    Each row and column is visited once, so that a large matrix needs no list of its answers.
    """
    some = answered.any(axis=0)
    if (answered.sum(axis=1) == some.sum()).any():  # one examinee answered every item that anyone answered
        examinees = np.where(answered.any(axis=1), 0, -1).astype(np.int64)
        return Parts(examinees, np.where(some, 0, -1).astype(np.int64), int(some.any()))
    rows = np.full(answered.shape[0], -1, dtype=np.int64)
    columns = np.full(answered.shape[1], -1, dtype=np.int64)
    count = 0
    for first in np.flatnonzero(answered.any(axis=1)):
        if rows[first] >= 0:
            continue
        new = np.array([first])
        while len(new):
            rows[new] = count
            reached = np.flatnonzero(answered[new].any(axis=0) & (columns < 0))
            columns[reached] = count
            new = np.flatnonzero(answered[:, reached].any(axis=1) & (rows < 0))
        count += 1
    answers = [int(answered[np.ix_(rows == part, columns == part)].sum()) for part in range(count)]
    order = np.argsort(np.argsort([-n for n in answers], kind="stable"), kind="stable")
    number = np.append(order, -1).astype(np.int64)  # -1 is unchanged
    return Parts(number[rows], number[columns], count)


def proportion_correct(matrix: ResponseMatrix) -> Array:
    """Return the proportion of right answers to each item, shape (items,); NaN without answers."""
    asked = matrix.answered.sum(axis=0)
    shares = np.full(asked.shape, np.nan)
    np.divide(matrix.right.sum(axis=0), asked, out=shares, where=asked > 0)
    return shares


def undefined_items(matrix: ResponseMatrix) -> Mask:
    """Return a mask of items without variance: unanswered, all correct or all incorrect."""
    share = proportion_correct(matrix)
    return np.asarray(np.isnan(share) | (share == 0.0) | (share == 1.0))


def item_rest_correlation(matrix: ResponseMatrix) -> Array:
    """Return each item's correlation with the proportion correct on other items, shape (items,).

    An examinee's proportion is taken over the items they answered. NaN if the item or the proportion does not
    vary.
    """
    asked = matrix.answered.sum(axis=1, keepdims=True).astype(np.float64)
    score = matrix.right.sum(axis=1, keepdims=True).astype(np.float64)
    width = max(1, _CHUNK_CELLS // max(len(matrix.examinees), 1))
    parts = [
        _item_rest(matrix.cells[:, first : first + width], asked, score)
        for first in range(0, len(matrix.items), width)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _item_rest(cells: Array, asked: Array, score: Array) -> Array:
    """Return the item-rest correlations of some items; `asked` and `score` are totals over all items."""
    right, answered = (cells == 1.0).astype(np.float64), np.logical_not(np.isnan(cells)).astype(np.float64)
    others = asked - answered
    rest = np.zeros(others.shape)
    np.divide(score - right, others, out=rest, where=(others > 0) & (answered > 0))
    counts = answered * (others > 0)
    return _correlate(right * counts, rest, counts)


def _correlate(first: Array, second: Array, weights: Array) -> Array:
    """Return Pearson's correlation of each column of `first` with the same column of `second`.

    Both arrays are zero where the weights are zero.
    """
    n = np.maximum(weights.sum(axis=0), 1.0)
    apart_1 = (first - first.sum(axis=0) / n) * weights
    apart_2 = (second - second.sum(axis=0) / n) * weights
    spread = np.sqrt(np.square(apart_1).sum(axis=0) * np.square(apart_2).sum(axis=0))
    found = np.full(spread.shape, np.nan)
    np.divide((apart_1 * apart_2).sum(axis=0), spread, out=found, where=spread > 1e-12)
    return found
