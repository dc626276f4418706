"""A gate that finds explanations that are used for many items."""

from collections import defaultdict
from collections.abc import Sequence
from typing import ClassVar, Final

from parable.formats.records import ItemRecord
from parable.quality.gates.base import NOT_APPLICABLE, OK, WARNING, Gate, GateResult, ItemSet
from parable.quality.item.words import same_form
from parable.sentences import gettext_noop as _

MANY: Final = 3
"""The fewest items with one explanation that are reported; two items of a story may share an explanation."""
_KEY: Final = "□"


class Explanations(Gate):
    """Find explanations shared by three or more items with different keys, ignoring the key's own text."""

    id: ClassVar = "explanations"
    name: ClassVar = _("One explanation for many items")
    looks_at: ClassVar = _(
        "Items that share their explanation with two others at least, though their keys differ. Where it"
        " quotes the key, that quotation counts as equal."
    )
    needs: ClassVar = _("It needs explanations of the keys.")
    why: ClassVar = _(
        "An explanation that fits every item explains none, and does not show that the key is right."
    )
    fix: ClassVar = _("Explain in each item listed here why its key is right and its distractors are wrong.")

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result per task; the figure is the number of items that share their explanation."""
        return [self._judge_task(task, items.of_task(task)) for task in self.tasks_in(items)]

    def _judge_task(self, task: str, items: Sequence[ItemRecord]) -> GateResult:
        explained = [(item, said) for item in items if (said := said_of(item)) is not None]
        if not explained:
            return GateResult(self.id, task, NOT_APPLICABLE)
        groups: defaultdict[str, list[ItemRecord]] = defaultdict(list)
        for item, said in explained:
            groups[said].append(item)
        found = {
            item.id
            for group in groups.values()
            if len(group) >= MANY and len(set(map(_key, group))) > 1
            for item in group
        }
        return GateResult(
            self.id,
            task,
            WARNING if found else OK,
            figure=len(found),
            threshold=0,
            items=tuple(item.id for item, _said in explained if item.id in found),
            looked_at=len(explained),
        )


def said_of(item: ItemRecord) -> str | None:
    """Return the explanation of an item with its key replaced, as keys differ; None without one."""
    if not item.explanation or not item.explanation.strip():
        return None
    said, key = same_form(item.explanation), _key(item)
    return said.replace(key, _KEY) if key and key != said else said


def _key(item: ItemRecord) -> str:
    return "" if item.answer is None else same_form(item.choices[item.answer])
