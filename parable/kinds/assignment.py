"""One-to-one matching with the highest sum; SciPy is imported only when it is used."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.float64]


def pair(table: Table) -> list[tuple[int, int]]:
    """Return the one-to-one pairs (row, column) whose cells have the highest sum, in order of rows."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - half a second

    rows, columns = linear_sum_assignment(table, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


def highest_sum(table: Table) -> float:
    """Return the highest sum of cells with at most one cell in each row and column."""
    if table.size == 1:
        return float(table[0, 0])
    return sum_of(table, pair(table))


def sum_of(table: Table, pairs: Sequence[tuple[int, int]]) -> float:
    """Return the sum of the cells at these (row, column) pairs."""
    rows, columns = zip(*pairs, strict=True)
    return float(table[list(rows), list(columns)].sum())
