"""One-to-one matching with the highest sum; SciPy is imported on demand, as few processes need it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.float64]


def pair(table: Table) -> list[tuple[int, int]]:
    """Return the pairs of row and column with the highest sum; each occurs at most once, rows in order."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - half a second

    rows, columns = linear_sum_assignment(table, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


def highest_sum(table: Table) -> float:
    """Return the sum of the matching with the highest sum."""
    if table.size == 1:
        return float(table[0, 0])
    return sum_of(table, pair(table))


def sum_of(table: Table, pairs: Sequence[tuple[int, int]]) -> float:
    """Return the sum of a table's cells at these pairs of row and column."""
    rows, columns = zip(*pairs, strict=True)
    return float(table[list(rows), list(columns)].sum())
