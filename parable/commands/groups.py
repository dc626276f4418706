"""Groups of examinees from a file, and differential functioning of items between groups."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from parable.commands.labels import read_labels
from parable.commands.results.numbers import figure
from parable.psychometrics.defaults import LEAST_IN_GROUP
from parable.psychometrics.items.groups import (
    LARGE,
    Functioning,
    differential_functioning,
)
from parable.psychometrics.responses import ResponseMatrix

COLUMNS: Final = ("subject", "group")


def read_groups(path: Path, examinees: Sequence[str]) -> dict[str, str]:
    """Return the group of each examinee in the file; raise UnusableMatrixError if it is invalid."""
    return read_labels(path, COLUMNS, set(examinees), "examinee")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Two groups, their numbers of examinees, and the differential functioning of items between them."""

    first: str
    second: str
    sizes: tuple[int, int]
    functioning: Functioning

    def named(self) -> list[int]:
        """Return the column numbers of items with differential functioning, largest absolute delta first."""
        named = np.flatnonzero(self.functioning.named)
        return [int(one) for one in named[np.argsort(-np.abs(self.functioning.delta[named]), kind="stable")]]


def compare_groups(matrix: ResponseMatrix, groups: Mapping[str, str]) -> list[Compared]:
    """Return the comparison of every two groups of at least 100 examinees, in order of names."""
    of_each = [groups.get(name, "") for name in matrix.examinees]
    sizes = Counter(of_each)
    large = sorted(name for name, n in sizes.items() if name and n >= LEAST_IN_GROUP)
    compared = []
    for first, second in combinations(large, 2):
        found = differential_functioning(matrix, of_each, first, second)
        if found is not None:
            compared.append(Compared(first, second, (sizes[first], sizes[second]), found))
    return compared


def as_json(
    matrix: ResponseMatrix, groups: Mapping[str, str], compared: Sequence[Compared]
) -> dict[str, object]:
    """Return the comparisons of groups as JSON.

    It has the sizes of groups, the reasons why groups are not compared, and the differing items of each
    comparison.
    """
    return {
        "groups": dict(sorted(Counter(groups.values()).items())),
        "not_compared": list(_why_not(groups)),
        "comparisons": [
            {
                "first": one.first,
                "second": one.second,
                "tested": one.functioning.tested,
                "items": [
                    {
                        "id": matrix.items[row],
                        "delta": delta if math.isfinite(delta) else None,
                        "infinite": math.isinf(delta),
                        "harder_for": _harder(one, row),
                        "p_value": float(one.functioning.p_value[row]),
                        "p_adjusted": float(one.functioning.adjusted[row]),
                        "size": _size(one, row),
                    }
                    for row in one.named()
                    for delta in [float(one.functioning.delta[row])]
                ],
            }
            for one in compared
        ],
    }


def lines(matrix: ResponseMatrix, groups: Mapping[str, str], compared: Sequence[Compared]) -> Iterator[str]:
    """Yield the report on groups: items that differ, and reasons why some groups are not compared."""
    if left := len(matrix.examinees) - len(groups):
        yield f"Without a group, and not compared: {left} examinees."
    yield from _why_not(groups)
    for one in compared:
        named = one.named()
        yield (
            f"Differential functioning, {one.second} ({one.sizes[1]} examinees) against {one.first}"
            f" ({one.sizes[0]}): {len(named)} of {one.functioning.tested} items."
        )
        if untested := len(matrix.items) - one.functioning.tested:
            yield f"  Cannot be compared, since no two comparable examinees differ in them: {untested} items."
        for row in named:
            delta = one.functioning.delta[row]
            message = f"delta {figure(delta)}" if math.isfinite(delta) else "odds ratio infinite"
            yield (
                f"  {matrix.items[row]}: harder for {_harder(one, row)}, {_size(one, row)}"
                f" ({message}, adjusted p {figure(one.functioning.adjusted[row], '.2g')})"
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


def _harder(one: Compared, row: int) -> str:
    return one.second if one.functioning.delta[row] < 0 else one.first


def _size(one: Compared, row: int) -> str:
    return "large" if abs(one.functioning.delta[row]) >= LARGE else "moderate"
