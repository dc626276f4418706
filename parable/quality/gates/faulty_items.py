"""A gate that finds items that are certainly faulty by themselves, or have keys in their stems."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final

from parable.formats.records import ItemRecord, released
from parable.kinds import kind_of
from parable.quality.gates.base import ERROR, NOT_APPLICABLE, OK, Gate, GateResult, ItemSet
from parable.quality.item.sets import SetFindings, judge_set
from parable.quality.kinds import judge
from parable.sentences import gettext_noop as _

NOTHING: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


class FaultyItems(Gate):
    """Apply the checks of single items to a set; checks of style alone do not make it fail."""

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
        """Return one result for all tasks; the figure is the number of items with errors."""
        return [
            self.result_of(
                judge_set(items.items, standard_stems=items.standard_stems), contradictions(items.items)
            )
        ]

    def result_of(self, found: SetFindings, wrong: Mapping[str, Sequence[str]] = NOTHING) -> GateResult:
        """Return the result for the findings of a set and for items with other errors.

        `wrong` has the ids of the items with other errors, by check.
        """
        if not found.items:
            return GateResult(self.id, None, NOT_APPLICABLE)
        of_items = (name for check in found.failed for name in found.found[check])
        named = tuple(dict.fromkeys([*of_items, *(name for names in wrong.values() for name in names)]))
        return GateResult(
            self.id,
            None,
            ERROR if named else OK,
            figure=len(named),
            threshold=0,
            items=named,
            looked_at=found.looked_at,
            detail={
                "failed": [*found.failed, *wrong],
                "checks": {check: len(ids) for check, ids in [*found.found.items(), *wrong.items()]},
            },
        )


def contradictions(items: Iterable[ItemRecord]) -> dict[str, list[str]]:
    """Return the ids of items whose answer contradicts itself, by check.

    Only kinds with checks of answers are included, and only items whose answers are not withheld.
    """
    found: dict[str, list[str]] = {}
    for item in items:
        published = kind_of(item.task).published
        if published is None or not item.is_keyed:
            continue
        findings = judge(published.value(released(item)))
        for check in dict.fromkeys(one.check for one in findings if one.severity == ERROR):
            found.setdefault(check, []).append(item.id)
    return found
