"""The units of each group in every split, beside a search of all ways; the size of dev in each task. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest

from release.assembly.apportionment import Shares, apportion, shares_by_task
from release.assembly.draws import Draw

HALF = Fraction(1, 2)


def shares(*parts: int) -> list[Fraction]:
    return [Fraction(part, sum(parts)) for part in parts]


def every_way(sizes: Sequence[int], parts: Sequence[Fraction]) -> list[tuple[tuple[int, ...], ...]]:
    """All tables in which every number is the exact share, rounded up or down."""
    rows = []
    for size in sizes:
        exact = [part * size for part in parts]
        near = [{int(one), -int(-one // 1)} for one in exact]
        rows.append([row for row in product(*map(sorted, near)) if sum(row) == size])
    return list(product(*rows))


def off(table: Sequence[Sequence[int]], parts: Sequence[Fraction]) -> Fraction:
    """How far the totals of a table are from the shares, as a sum of squares."""
    units = sum(map(sum, table))
    totals = [sum(row[split] for row in table) for split in range(len(parts))]
    return sum(((total - part * units) ** 2 for total, part in zip(totals, parts, strict=True)), Fraction(0))


def test_no_other_rounding_brings_the_totals_nearer_to_the_shares() -> None:
    draw = Draw("7", "ways")
    for _round in range(120):
        parts = shares(*(1 + draw.below(9) for _split in range(2 + draw.below(3))))
        sizes = [draw.below(12) for _group in range(1 + draw.below(4))]
        found = apportion(sizes, parts)
        ways = every_way(sizes, parts)
        assert tuple(map(tuple, found)) in ways
        assert off(found, parts) == min(off(way, parts) for way in ways), (sizes, parts)


@pytest.mark.parametrize(
    ("sizes", "parts", "wanted"),
    [
        # one group: what is left over goes by the largest remainders, of equal ones to the earlier split
        ([2], (3, 3, 4), [[1, 0, 1]]),
        ([15], (3, 3, 2), [[6, 5, 4]]),
        # both totals are off by a unit: it is given by the group whose remainders differ least
        ([4, 2, 1], (3, 2), [[2, 2], [1, 1], [1, 0]]),
        ([3, 1, 1], (3, 2), [[2, 1], [0, 1], [1, 0]]),
        ([2, 1], (3, 10), [[1, 1], [0, 1]]),
        ([1, 2], (3, 1), [[1, 0], [1, 1]]),
        # an exact share is not rounded
        ([3, 9, 11], (10, 9, 3), [[1, 1, 1], [5, 3, 1], [5, 5, 1]]),
        # no group can give straight to the split that has too few: two do, through a third split
        ([35, 0, 2, 30], (7, 2, 5), [[17, 5, 13], [0, 0, 0], [1, 1, 0], [15, 4, 11]]),
        ([8, 5, 3, 6], (5, 4, 9, 2), [[2, 2, 4, 0], [1, 1, 2, 1], [1, 0, 2, 0], [2, 1, 2, 1]]),
        (
            [10, 30, 2, 21, 24],
            (1, 6, 9, 4),
            [[0, 3, 5, 2], [2, 9, 13, 6], [0, 1, 1, 0], [1, 6, 9, 5], [1, 7, 11, 5]],
        ),
    ],
)
def test_it_rounds_these_so(sizes: list[int], parts: tuple[int, ...], wanted: list[list[int]]) -> None:
    found = apportion(sizes, shares(*parts))
    assert found == wanted
    assert off(found, shares(*parts)) == min(
        off(way, shares(*parts)) for way in every_way(sizes, shares(*parts))
    )


@pytest.mark.parametrize(
    ("totals", "dev_items", "of_task", "of_all", "counted"),
    [
        ({"moral": 10, "cloze": 30}, {}, {"moral": HALF, "cloze": HALF}, HALF, set()),
        (
            {"moral": 10, "cloze": 30},
            {"moral": 4},
            {"moral": Fraction(4, 10), "cloze": HALF},
            Fraction(19, 40),
            {"moral"},
        ),
        ({"moral": 10}, {"moral": 12, "cloze": 3}, {"moral": Fraction(1)}, Fraction(1), {"moral"}),
        ({"moral": 10}, {"moral": 0}, {"moral": Fraction(0)}, Fraction(0), {"moral"}),
        ({}, {"moral": 4}, {}, HALF, set()),
    ],
)
def test_dev_has_a_share_of_a_task_or_a_number_of_its_items(
    totals: Mapping[str, int],
    dev_items: Mapping[str, int],
    of_task: Mapping[str, Fraction],
    of_all: Fraction,
    counted: set[str],
) -> None:
    found = shares_by_task(totals, HALF, dev_items)
    assert found == Shares(of_task, of_all, frozenset(counted))


@pytest.mark.parametrize(
    ("of_task", "of_all", "scale"),
    [({}, Fraction(1, 6), 6), ({"moral": Fraction(1, 4)}, Fraction(1, 6), 12), ({"moral": HALF}, HALF, 2)],
)
def test_shares_are_counted_in_their_common_denominator(
    of_task: Mapping[str, Fraction], of_all: Fraction, scale: int
) -> None:
    assert Shares(of_task, of_all).scale == scale
    assert Shares(of_task, of_all).counted == frozenset()
