"""One-to-one matching with the highest sum, in plain Python: releases carry a copy of this module."""

import math
from collections.abc import Sequence

Table = Sequence[Sequence[float]]


def pair(table: Table) -> list[tuple[int, int]]:
    """Return the one-to-one pairs (row, column) whose cells have the highest sum, in order of rows.

    Rows must have equal lengths, and neither they nor the table may be empty.
    """
    # The Hungarian method with potentials: rows are matched one by one along shortest augmenting paths, so it
    # takes the product of the longer side and the square of the shorter one.
    is_tall = len(table) > len(table[0])
    rows = list(zip(*table, strict=True)) if is_tall else table
    width = len(rows[0])
    of_row, of_column = [0.0] * len(rows), [0.0] * (width + 1)
    matched = [-1] * (width + 1)
    """The row that each column is matched with; the last column stands for the row that is being matched."""
    for row in range(len(rows)):
        matched[width] = row
        column, before = _shortest_path(rows, matched, of_row, of_column)
        while column != width:
            matched[column] = matched[before[column]]
            column = before[column]
    found = [(row, column) for column, row in enumerate(matched[:width]) if row >= 0]
    return sorted((column, row) for row, column in found) if is_tall else sorted(found)


def highest_sum(table: Table) -> float:
    """Return the highest sum of cells with at most one cell in each row and column."""
    return math.fsum(table[row][column] for row, column in pair(table))


def _shortest_path(
    rows: Table, matched: Sequence[int], of_row: list[float], of_column: list[float]
) -> tuple[int, list[int]]:
    """Return a free column, and the column before each on the cheapest way to it; update the potentials."""
    width = len(rows[0])
    column, used = width, [width]
    free = set(range(width))
    least, before = [math.inf] * width, [width] * width
    while matched[column] >= 0:
        current = matched[column]
        for other in free:
            cost = -rows[current][other] - of_row[current] - of_column[other]
            if cost < least[other]:
                least[other], before[other] = cost, column
        following = min(free, key=lambda other: (least[other], other))
        step = least[following]
        for other in used:
            of_row[matched[other]] += step
            of_column[other] -= step
        for other in free:
            least[other] -= step
        free.remove(following)
        used.append(following)
        column = following
    return column, before
