"""Apportionment of units to splits by group: every count is the exact share, rounded up or down."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import permutations
from math import lcm
from typing import Final

from release.assembly.assembly_items import AssemblyItem

Counts = list[list[int]]
Way = tuple[Fraction, int]
"""A possible move of a unit to another split: the loss of the group, and the group's index."""


def apportion(sizes: Sequence[int], shares: Sequence[Fraction]) -> Counts:
    """Return the number of units of each group in each split, shape (groups, splits).

    `sizes` are the groups' numbers of units; `shares` are the splits' shares, which add up to 1. Each number
    is the exact share rounded up or down, and so is each split's total. Units left over from rounding down
    are assigned by the largest remainders of their group. If the totals of the splits are then not as close
    to their shares as possible, groups move units to another split, beginning with the smallest loss. Ties go
    to the earlier split and group.
    """
    exact = [[share * size for share in shares] for size in sizes]
    counts = [_largest_remainders(size, row) for size, row in zip(sizes, exact, strict=True)]
    _Level(exact, counts).run()
    return counts


def _largest_remainders(size: int, exact: Sequence[Fraction]) -> list[int]:
    counts = [int(part) for part in exact]
    order = sorted(range(len(exact)), key=lambda split: counts[split] - exact[split])
    for split in order[: size - sum(counts)]:
        counts[split] += 1
    return counts


class _Level:
    """Moves rounded-up units from splits that have too many units to splits that have too few."""

    def __init__(self, exact: Sequence[Sequence[Fraction]], counts: Counts) -> None:
        self.exact = exact
        self.counts = counts
        splits = range(len(exact[0])) if exact else range(0)
        self.off = [sum(row[n] for row in counts) - sum(row[n] for row in exact) for n in splits]
        self.pairs = list(permutations(splits, 2))
        self.ways: dict[tuple[int, int], list[Way]] = {pair: [] for pair in self.pairs}
        for group in range(len(counts)):
            self._note(group)
        for heap in self.ways.values():
            heapify(heap)

    def run(self) -> None:
        """Move units while a move reduces the sum of the splits' squared deviations from their shares."""
        while any(self._improve(here, there) for here, there in self._worst()):
            pass

    def _worst(self) -> list[tuple[int, int]]:
        gains = [(self.off[there] - self.off[here] + 1, here, there) for here, there in self.pairs]
        return [(here, there) for gain, here, there in sorted(gains) if gain < 0]

    def _improve(self, here: int, there: int) -> bool:
        """Move a unit between two splits, directly or through a third. Return whether it was possible."""
        between = [split for split in range(len(self.off)) if split not in (here, there)]
        for way in ([(here, there)], *([(here, split), (split, there)] for split in between)):
            if all(self._group(*pair) is not None for pair in way):
                for pair in way:
                    self._move(*pair)
                return True
        return False

    def _group(self, here: int, there: int) -> int | None:
        """Return the group that loses least by moving a unit between these splits, or None."""
        heap = self.ways[here, there]
        while heap and not self._may(heap[0][1], here, there):
            heappop(heap)
        return heap[0][1] if heap else None

    def _may(self, group: int, here: int, there: int) -> bool:
        counts, exact = self.counts[group], self.exact[group]
        return counts[here] > exact[here] and counts[there] < exact[there]

    def _move(self, here: int, there: int) -> None:
        group = self._group(here, there)
        if group is None:
            return
        self.counts[group][here] -= 1
        self.counts[group][there] += 1
        self.off[here] -= 1
        self.off[there] += 1
        self._note(group)

    def _note(self, group: int) -> None:
        """Record the pairs of splits between which the group can now move a unit."""
        exact = self.exact[group]
        for here, there in self.pairs:
            if self._may(group, here, there):
                heappush(self.ways[here, there], (_part(exact[here]) - _part(exact[there]), group))


def _part(exact: Fraction) -> Fraction:
    return exact - int(exact)


# --- The size of dev in each task: a share of the items, or a number of items ---

NO_COUNTS: Final[Mapping[str, int]] = {}


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of dev in each task and in all items.

    `counted` names the tasks with a given number of items.
    """

    of_task: Mapping[str, Fraction]
    of_all: Fraction
    counted: frozenset[str] = frozenset()

    @property
    def scale(self) -> int:
        """The common denominator of the shares, so that shares can be counted in integers."""
        return lcm(self.of_all.denominator, *(share.denominator for share in self.of_task.values()))


def shares_of(
    assembly_items: Iterable[AssemblyItem], share: Fraction, dev_items: Mapping[str, int] = NO_COUNTS
) -> Shares:
    """Return the shares of dev for these items: by `dev_items` for the tasks in it, otherwise `share`."""
    return shares_by_task(Counter(item.record.task for item in assembly_items), share, dev_items)


def shares_by_task(totals: Mapping[str, int], share: Fraction, dev_items: Mapping[str, int]) -> Shares:
    """Return the shares of dev, from the number of items of each task (see `shares_of`)."""
    of_task = {
        task: min(Fraction(dev_items[task], total), Fraction(1)) if task in dev_items else share
        for task, total in totals.items()
    }
    wanted = sum((of_task[task] * total for task, total in totals.items()), Fraction(0))
    of_all = wanted / sum(totals.values()) if totals else share
    return Shares(of_task, of_all, frozenset(dev_items) & totals.keys())
