"""Tests whether the items of one story give each other's keys away."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from math import sqrt
from typing import ClassVar

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ItemSet, story_of
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial
from parable.quality.item.words import same_forms
from parable.sentences import gettext_noop as _

Family = list[tuple[ItemRecord, tuple[str, ...]]]


class SiblingLeak(MeasuringGate):
    """Measures the accuracy of choosing the option that occurs in most other items of the story."""

    id: ClassVar = "sibling_leak"
    trait: ClassVar = "has_own_options"
    name: ClassVar = _("Items of a story that answer each other")
    looks_at: ClassVar = _(
        "How many items are answered by choosing the option that occurs in most other"
        " items of the story, and keys with similar text in several items."
    )
    why: ClassVar = _("If distractors change and the key repeats, two items together reveal both answers.")
    fix: ClassVar = _("Reword the key in each item, or use the same distractors in all items of the story.")

    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task, over items that share an option with another of the story."""
        return [self._measure_task(task, items.keyed(task)) for task in self.tasks_in(items)]

    def _measure_task(self, task: str, items: Sequence[ItemRecord]) -> Measured:
        ordered = sorted(items, key=story_of)
        families = [
            [(item, same_forms(item.choices)) for item in family]
            for _story, family in groupby(ordered, key=story_of)
        ]
        again = {item.id for family in families for item in _with_repeated_key(family)}
        found = tuple(item.id for item in items if item.id in again)
        trials = (_try(items, families),) if items else ()
        return Measured(self.id, task, len(items), trials, found, {"repeated": len(found)})


def _with_repeated_key(family: Family) -> list[ItemRecord]:
    """Return the items whose key is also another item's key, unless those items have the same options."""
    keys = Counter(choices[key_within(item)] for item, choices in family)
    return [
        item
        for item, choices in family
        if keys[choices[key_within(item)]] > 1 and not _all_alike(family, choices[key_within(item)])
    ]


def _all_alike(family: Family, key: str) -> bool:
    """Return whether all items with this key have the same options: duplicates, which reveal nothing."""
    return len({frozenset(choices) for item, choices in family if choices[key_within(item)] == key}) == 1


def _try(items: Sequence[ItemRecord], families: Sequence[Family]) -> Trial:
    """Return the trial of all families; spreads add up within a story, as its items may be dependent."""
    total, variance, worst = 0.0, 0.0, []
    for family in families:
        spread = 0.0
        offered = Counter(choice for _item, choices in family for choice in set(choices))
        for item, choices in family:
            times = [offered[choice] for choice in choices]
            tied, k = times.count(max(times)), len(times)
            score = 1 / tied if times[key_within(item)] == max(times) else 0.0
            total += score
            spread += sqrt(1 / (k * tied) - 1 / k**2)
            if score == 1:
                worst.append(item.id)
        variance += spread**2
    chance = sum(1 / len(item.choices) for item in items) / len(items)
    low, high = wilson_interval(total, len(items))
    spread = sqrt(variance) / len(items)
    return Trial("most_shared", total / len(items), low, high, chance, chance, spread, tuple(worst))
