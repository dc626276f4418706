"""The size of dev in each task: a share of the items, or a number of items."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

from release.assembly.assembly_items import AssemblyItem

NO_COUNTS: Final[Mapping[str, int]] = {}


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of dev in each task, and in all items; for `counted` tasks, a number of items was given."""

    of_task: Mapping[str, Fraction]
    of_all: Fraction
    counted: frozenset[str] = frozenset()

    @property
    def scale(self) -> int:
        """Return the common denominator of the shares, so that shares can be counted in integers."""
        return lcm(self.of_all.denominator, *(share.denominator for share in self.of_task.values()))


def shares_of(
    assembly_items: Iterable[AssemblyItem], share: Fraction, dev_items: Mapping[str, int] = NO_COUNTS
) -> Shares:
    """Return the shares for these items: from `dev_items` for the tasks that it names, else `share`."""
    return shares_by_task(Counter(item.task for item in assembly_items), share, dev_items)


def shares_by_task(totals: Mapping[str, int], share: Fraction, dev_items: Mapping[str, int]) -> Shares:
    """Return the shares for these item counts by task; dev gets at most all items of a task."""
    of_task = {
        task: min(Fraction(dev_items[task], total), Fraction(1)) if task in dev_items else share
        for task, total in totals.items()
    }
    wanted = sum((of_task[task] * total for task, total in totals.items()), Fraction(0))
    of_all = wanted / sum(totals.values()) if totals else share
    return Shares(of_task, of_all, frozenset(dev_items) & totals.keys())
