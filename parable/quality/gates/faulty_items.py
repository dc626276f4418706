"""Whether an item of a set is surely wrong by itself, or keys stand in their stems."""

from typing import ClassVar

from parable.quality.gates.base import ERROR, NOT_APPLICABLE, OK, Gate, GateResult, ItemSet
from parable.quality.item.sets import SetFindings, judge_set
from parable.sentences import gettext_noop as _


class FaultyItems(Gate):
    """The checks of single items over a set; those that are a matter of taste stop nothing."""

    id: ClassVar = "faulty_items"
    name: ClassVar = _("Faulty items")
    looks_at: ClassVar = _(
        "Empty or equal options, placeholders, unfinished stems, stems that give the letter,"
        " explanations that name another option, and keys that are quoted in their stems more"
        " often than by chance."
    )
    why: ClassVar = _("Such an item tests nothing, or can be answered without reading the story.")
    fix: ClassVar = _("Correct the items listed here, or leave them out.")
    reveals_keys: ClassVar = True

    def judge(self, items: ItemSet) -> list[GateResult]:
        """One answer for all tasks; the figure counts items that a failed check names."""
        return [self.result_of(judge_set(items.items, standard_stems=items.standard_stems))]

    def result_of(self, found: SetFindings) -> GateResult:
        """The answer of what the checks found."""
        if not found.items:
            return GateResult(self.id, None, NOT_APPLICABLE)
        named = tuple(dict.fromkeys(name for check in found.failed for name in found.found[check]))
        return GateResult(
            self.id,
            None,
            ERROR if named else OK,
            figure=len(named),
            threshold=0,
            items=named,
            looked_at=found.looked_at,
            detail={
                "failed": list(found.failed),
                "checks": {check: len(ids) for check, ids in found.found.items()},
            },
        )
