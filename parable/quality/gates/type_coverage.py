"""A gate that checks whether every commonsense type occurs in each split."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import ClassVar

from parable.quality.gates.base import NOT_APPLICABLE, OK, WARNING, Gate, GateResult, ItemSet
from parable.sentences import gettext_noop as _
from parable.sentences import ngettext_noop


class TypeCoverage(Gate):
    """Find items without a commonsense type, and types that a split lacks."""

    id: ClassVar = "type_coverage"
    name: ClassVar = _("Commonsense types")
    looks_at: ClassVar = _("Items without a type, and types without items in one of the splits.")
    needs: ClassVar = _("It needs a field with the types of each item.")
    why: ClassVar = _(
        "Accuracy is reported by type: a missing type cannot be reported, and items"
        " without a type are in no row."
    )
    fix: ClassVar = _("Set the type of each item. Write items of the missing types.")
    unit: ClassVar = ngettext_noop("%(n)d gap", "%(n)d gaps")
    trait: ClassVar = "requires_types"

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result per task.

        The figure is the number of items without a type, plus the number of types missing in a split.
        """
        return [self._judge_task(task, items) for task in self.tasks_in(items)]

    def _judge_task(self, task: str, items: ItemSet) -> GateResult:
        asked = items.of_task(task)
        counts: dict[str, Counter[str]] = {}
        for item in asked:  # an item with two types counts in both
            counts.setdefault(item.split or "", Counter()).update(set(item.types))
        untyped = tuple(item.id for item in asked if not item.types)
        return coverage_result(task, len(asked), counts, untyped, items.types)


def coverage_result(
    task: str, items: int, counts: Mapping[str, Counter[str]], untyped: tuple[str, ...], types: Iterable[str]
) -> GateResult:
    """Return the result for so many items of a task.

    `counts` are the items of each type, by split; `untyped` are the ids of those without a type; `types`
    should all occur.
    """
    wanted = sorted(set(types).union(*counts.values()))
    if not items or not wanted:
        return GateResult(TypeCoverage.id, task, NOT_APPLICABLE, looked_at=items)
    missing = [[split, code] for split in sorted(counts) for code in wanted if not counts[split][code]]
    return GateResult(
        TypeCoverage.id,
        task,
        WARNING if untyped or missing else OK,
        figure=len(untyped) + len(missing),
        threshold=0,
        items=untyped,
        looked_at=items,
        detail={
            "missing": missing,
            "types": {split: {code: counts[split][code] for code in wanted} for split in sorted(counts)},
        },
    )
