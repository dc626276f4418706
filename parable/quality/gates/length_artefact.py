"""Tests whether the length of an option gives the key away."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial, spread_of
from parable.quality.gates.grams import Array, Ints
from parable.quality.item.words import length, margin
from parable.sentences import gettext_noop as _

RULES: Final[Mapping[str, np.ufunc]] = {"longest": np.maximum, "shortest": np.minimum}


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of the options of some items, those of an item adjacent.

    `starts`: the first option of each item, `sizes`: how many it has, `keys`: where among all is its key.
    """

    values: Ints
    starts: Ints
    sizes: Ints
    keys: Ints

    def of_item(self, index: int) -> tuple[int, list[int]]:
        """Return the length of an item's key, and the lengths of its other options."""
        start, key = int(self.starts[index]), int(self.keys[index])
        own = self.values[start : start + int(self.sizes[index])].tolist()
        return own.pop(key - start), own

    def ends(self, extreme: np.ufunc) -> Ints:
        """Return the length of each item's longest option, or of its shortest."""
        return np.asarray(extreme.reduceat(self.values, self.starts))

    def count(self, are: Array) -> Ints:
        """Return how many options of each item are such."""
        return np.add.reduceat(are.astype(np.int64), self.starts)


class LengthArtefact(MeasuringGate):
    """Measures how many items "always the longest" or "always the shortest" answers; ties share the score."""

    id: ClassVar = "length_artefact"
    trait: ClassVar = "has_options"
    name: ClassVar = _("Length of the key")
    looks_at: ClassVar = _(
        "How many items are answered correctly by always choosing the longest option, or the shortest."
    )
    why: ClassVar = _("A model that has learned that keys are long scores above chance without reading.")
    fix: ClassVar = _("Shorten keys or lengthen distractors in the items listed here.")
    rules: ClassVar = {"longest": _("the longest option"), "shortest": _("the shortest option")}

    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task, with two trials: the longest and the shortest option."""
        return [self._measure_task(task, items.keyed(task)) for task in self.tasks_in(items)]

    def _measure_task(self, task: str, items: Sequence[ItemRecord]) -> Measured:
        if not items:
            return Measured(self.id, task, 0, detail={"margins": []})
        lengths = _read(items)
        trials = tuple(_try(rule, items, lengths) for rule in RULES)
        return Measured(self.id, task, len(items), trials, detail={"margins": _margins(lengths)})


def _read(items: Sequence[ItemRecord]) -> Lengths:
    values = np.array([length(choice) for item in items for choice in item.choices], dtype=np.int64)
    sizes = np.array([len(item.choices) for item in items], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    return Lengths(values, starts, sizes, starts + np.array([*map(key_within, items)], dtype=np.int64))


def _try(rule: str, items: Sequence[ItemRecord], lengths: Lengths) -> Trial:
    ends = lengths.ends(RULES[rule])
    tied = lengths.count(lengths.values == np.repeat(ends, lengths.sizes))
    are_right = lengths.values[lengths.keys] == ends
    right = sum((are_right / tied).tolist())
    chances = (1 / lengths.sizes).tolist()
    chance = sum(chances) / len(items)
    low, high = wilson_interval(right, len(items))
    spread = spread_of((1 / (lengths.sizes * tied) - 1 / lengths.sizes**2).tolist())
    worst = _worst(rule, items, lengths, np.flatnonzero(are_right & (tied == 1)).tolist())
    return Trial(rule, right / len(items), low, high, chance, chance, spread, worst)


def _worst(rule: str, items: Sequence[ItemRecord], lengths: Lengths, alone: Sequence[int]) -> tuple[str, ...]:
    """Return the items whose key alone is longest (or shortest), those with the widest margin first."""
    sign = 1 if rule == "longest" else -1
    found: list[tuple[float, str]] = []
    for index in alone:
        key, others = lengths.of_item(index)
        apart = margin(key, others)
        if apart * sign > 0:
            found.append((-abs(apart) / max(key, *others, 1), items[index].id))
    return tuple(name for _apart, name in sorted(found))


def _margins(lengths: Lengths) -> list[float]:
    """Return how many keys are the longest option, the second longest, and so on; ties are shared."""
    keys = np.repeat(lengths.values[lengths.keys], lengths.sizes)
    longer, tied = lengths.count(lengths.values > keys), lengths.count(lengths.values == keys)
    counts = [0.0] * int(lengths.sizes.max())
    for (first, many), times in Counter(zip(longer.tolist(), tied.tolist(), strict=True)).items():
        for place in range(first, first + many):
            counts[place] += times / many
    return [round(count, 2) for count in counts]
