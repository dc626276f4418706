"""Groups of examinees from a file, and the items that treat two of them differently."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from parable.commands.labels import read_labels
from parable.commands.results.numbers import figure
from parable.psychometrics.items.groups import LEAST_IN_GROUP, Functioning, differential_functioning
from parable.psychometrics.responses import ResponseMatrix
from parable.psychometrics.results.differences import holm

COLUMNS: Final = ("subject", "group")
CERTAIN: Final = 0.05
"""An item is named where its p, adjusted over all items, is below."""
MODERATE: Final = 1.0
LARGE: Final = 1.5
"""From here on the delta scale an item is named, and called large: the bounds of ETS (Zwick 2012)."""


def read_groups(path: Path, examinees: Sequence[str]) -> dict[str, str]:
    """The group of each examinee that the file names; some may be missing. Raises UnusableMatrixError."""
    return read_labels(path, COLUMNS, set(examinees), "examinee")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Two groups, how many of each are examinees, and how differently each item treats them."""

    first: str
    second: str
    sizes: tuple[int, int]
    functioning: Functioning
    adjusted: list[float]

    def named(self) -> list[int]:
        """The items with differential functioning, by column, the largest first."""
        sizes = np.abs(np.nan_to_num(self.functioning.delta))
        order = np.argsort(-sizes, kind="stable")
        return [int(one) for one in order if sizes[one] >= MODERATE and self.adjusted[one] < CERTAIN]


def compare_groups(matrix: ResponseMatrix, groups: Mapping[str, str]) -> list[Compared]:
    """Every two groups of at least 100 examinees, in the order of their names."""
    of_each = [groups.get(name, "") for name in matrix.examinees]
    sizes = Counter(of_each)
    large = sorted(name for name, n in sizes.items() if name and n >= LEAST_IN_GROUP)
    compared = []
    for first, second in combinations(large, 2):
        found = differential_functioning(matrix, of_each, first, second)
        if found is not None:
            adjusted = holm([float(one) for one in np.nan_to_num(found.p_value, nan=1.0)])
            compared.append(Compared(first, second, (sizes[first], sizes[second]), found, adjusted))
    return compared


def as_json(
    matrix: ResponseMatrix, groups: Mapping[str, str], compared: Sequence[Compared]
) -> dict[str, object]:
    """What scripts read: the groups' sizes, why some are not compared, and each comparison's items."""
    return {
        "groups": dict(sorted(Counter(groups.values()).items())),
        "not_compared": list(_why_not(groups)),
        "comparisons": [
            {
                "first": one.first,
                "second": one.second,
                "items": [
                    {
                        "id": matrix.items[row],
                        "delta": float(one.functioning.delta[row]),
                        "p_value": float(one.functioning.p_value[row]),
                        "p_adjusted": one.adjusted[row],
                        "size": _size(one, row),
                    }
                    for row in one.named()
                ],
            }
            for one in compared
        ],
    }


def lines(matrix: ResponseMatrix, groups: Mapping[str, str], compared: Sequence[Compared]) -> Iterator[str]:
    """What a person reads of groups: the items that differ, and why some groups are not compared."""
    if left := len(matrix.examinees) - len(groups):
        yield f"Without a group, and not compared: {left} examinees."
    yield from _why_not(groups)
    for one in compared:
        named = one.named()
        yield (
            f"Differential functioning, {one.second} ({one.sizes[1]} examinees) against {one.first}"
            f" ({one.sizes[0]}): {len(named)} of {len(matrix.items)} items."
        )
        for row in named:
            harder = one.second if one.functioning.delta[row] < 0 else one.first
            yield (
                f"  {matrix.items[row]}: harder for {harder}, {_size(one, row)}"
                f" (delta {figure(one.functioning.delta[row])},"
                f" adjusted p {figure(one.adjusted[row], '.2g')})"
            )


def _why_not(groups: Mapping[str, str]) -> Iterator[str]:
    sizes = Counter(groups.values())
    for name, n in sorted(sizes.items()):
        if n < LEAST_IN_GROUP:
            yield (
                f"Not compared: group {name} has {n} examinees; with fewer than {LEAST_IN_GROUP}, items"
                " differ by chance."
            )
    if len(sizes) == 1:
        yield "Not compared: the file names one group only."


def _size(one: Compared, row: int) -> str:
    return "large" if abs(one.functioning.delta[row]) >= LARGE else "moderate"
