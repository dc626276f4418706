"""Whether keys stand at every position equally often."""

from collections.abc import Iterable
from typing import ClassVar, Final

from parable.formats.records import TASKS, ItemRecord
from parable.quality.gates.base import ERROR, NOT_APPLICABLE, OK, Gate, GateResult, ItemSet, _

MOST_APART: Final = 1

Cells = dict[tuple[str, int], list[int]]


class KeyPosition(Gate):
    """A build of ours: per task, split and number of options the counts differ by at most one."""

    id: ClassVar = "key_position"
    name: ClassVar = _("Position of the key")
    looks_at: ClassVar = _("How often the key is A, B, C, ... in each task and split.")
    why: ClassVar = _(
        "A model that prefers a letter would gain or lose points by that alone, without reading anything."
    )
    mend: ClassVar = _("Nothing to do by hand: a build of Parable places the keys itself.")

    def judge(self, items: ItemSet) -> list[GateResult]:
        """One answer a task; the figure is the largest difference between two positions of a cell."""
        return [self._judge_task(task, [item for item in items.items if item.task == task]) for task in TASKS]

    def _judge_task(self, task: str, items: list[ItemRecord]) -> GateResult:
        cells = count_keys(items)
        if not cells:
            return GateResult(self.id, task, NOT_APPLICABLE)
        apart = {cell: max(counts) - min(counts) for cell, counts in cells.items()}
        uneven = {cell for cell, difference in apart.items() if difference > MOST_APART}
        return GateResult(
            self.id,
            task,
            ERROR if uneven else OK,
            figure=max(apart.values()),
            threshold=MOST_APART,
            items=tuple(item.id for item in items if (item.split or "", len(item.choices)) in uneven),
            looked_at=sum(map(sum, cells.values())),
            detail={"cells": [[*cell, counts] for cell, counts in sorted(cells.items())]},
        )


def count_keys(items: Iterable[ItemRecord]) -> Cells:
    """By split and number of options, how often the key stands at each position; keyless items aside."""
    cells: Cells = {}
    for item in items:
        if item.answer is not None:
            choices = len(item.choices)
            cells.setdefault((item.split or "", choices), [0] * choices)[item.answer] += 1
    return cells
