"""A gate that tests whether keys occur equally often at every position."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Final

import scipy

from parable.formats.records import ItemRecord
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ERROR, NOT_APPLICABLE, OK, WARNING, GateResult, ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial
from parable.sentences import gettext_noop as _

MOST_APART: Final = 1

Cells = dict[tuple[str, int], list[int]]


class KeyPosition(MeasuringGate):
    """Check that the key is equally often at each position, by task, split and number of options.

    In Parable's releases, the counts of two positions may differ by at most one; files of others are tested
    by chi-square. Keys that must keep their positions cannot be balanced again: this is a warning, and stops
    no build.
    """

    id: ClassVar = "key_position"
    trait: ClassVar = "has_options"
    has_remedy: ClassVar = False
    name: ClassVar = _("Position of the key")
    looks_at: ClassVar = _("How often the key is A, B, C, ... in each task and split.")
    why: ClassVar = _(
        "A model that prefers a letter would gain or lose points by that alone, without reading anything."
    )
    fix: ClassVar = _("Nothing to do: Parable places the keys when it builds a release.")
    parts: ClassVar = ()

    def tests(self, items: ItemSet) -> bool:
        """Return whether the key positions are tested statistically.

        They are if other people assigned them.
        """
        return items.is_foreign

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result per task.

        The figure is the largest difference between the counts of two positions; for files of others it is
        the share of the most frequent position.
        """
        if self.tests(items):
            return super().judge(items)
        return [self._judge_task(task, items) for task in self.tasks_in(items)]

    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task: the test of positions, and the most frequent position."""
        found: list[Measured] = []
        for task in self.tasks_in(items):
            keyed = items.keyed(task)
            cells = count_keys(keyed)
            trials = (_try(keyed, cells),) if keyed else ()
            found.append(Measured(self.id, task, len(keyed), trials, detail={"cells": listed(cells)}))
        return found

    def _judge_task(self, task: str, whole: ItemSet) -> GateResult:
        items = [item for item in whole.of_task(task) if item.id not in whole.in_order]

        def named(uneven: set[tuple[str, int]]) -> tuple[str, ...]:
            return tuple(item.id for item in items if (item.split or "", len(item.choices)) in uneven)

        return position_result(task, count_keys(items), named, keeps_places=whole.keeps_places)


def position_result(
    task: str, cells: Cells, named: Callable[[set[tuple[str, int]]], tuple[str, ...]], *, keeps_places: bool
) -> GateResult:
    """Return the result for keys that a build has placed; `named` returns the ids of the items in cells."""
    if not cells:
        return GateResult(KeyPosition.id, task, NOT_APPLICABLE)
    apart = {cell: max(counts) - min(counts) for cell, counts in cells.items()}
    uneven = {cell for cell, difference in apart.items() if difference > MOST_APART}
    return GateResult(
        KeyPosition.id,
        task,
        (WARNING if keeps_places else ERROR) if uneven else OK,
        figure=max(apart.values()),
        threshold=MOST_APART,
        items=named(uneven),
        looked_at=sum(map(sum, cells.values())),
        detail={"cells": listed(cells)},
    )


def keys_by_place(detail: Mapping[str, Any]) -> list[int]:
    """Return how often each position has the key, from the details of a result; [] for other gates."""
    cells = [counts for _split, _choices, counts in detail.get("cells", ())]
    return [sum(counts) for counts in zip_longest(*cells, fillvalue=0)]


def count_keys(items: Iterable[ItemRecord]) -> Cells:
    """Count keys by position, for each split and number of options; items without a key are ignored."""
    cells: Cells = {}
    for item in items:
        if item.answer is not None:
            choices = len(item.choices)
            cells.setdefault((item.split or "", choices), [0] * choices)[item.answer] += 1
    return cells


def listed(cells: Cells) -> list[list[object]]:
    """Return the counts as a result has them: split, number of options, and keys by position."""
    return [[*cell, counts] for cell, counts in sorted(cells.items())]


def _try(items: Sequence[ItemRecord], cells: Cells) -> Trial:
    often = most_frequent(cells)
    worst = tuple(item.id for item in items if item.answer == often[item.split or "", len(item.choices)])
    return try_positions(cells, worst)


def most_frequent(cells: Cells) -> dict[tuple[str, int], int]:
    """Return the most frequent position in each cell; of several, the first."""
    return {cell: counts.index(max(counts)) for cell, counts in cells.items()}


def try_positions(cells: Cells, worst: tuple[str, ...]) -> Trial:
    """Return the trial of choosing each cell's most frequent position, with the chi-square p of all cells."""
    right, items, chance = 0, 0, 0.0
    statistic, freedom = 0.0, 0
    for (_split, choices), counts in sorted(cells.items()):
        n = sum(counts)
        right += max(counts)
        items += n
        chance += n / choices
        statistic += sum((count - n / choices) ** 2 for count in counts) * choices / n
        freedom += choices - 1
    low, high = wilson_interval(right, items)
    p = float(scipy.special.chdtrc(freedom, statistic))
    share = chance / items
    return Trial("most_frequent", right / items, low, high, share, share, 0.0, worst, p)
