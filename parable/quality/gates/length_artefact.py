"""A gate that tests whether the length of an option reveals the key."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, ClassVar, Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial
from parable.quality.gates.unit_numbers import Columns, keyed_columns
from parable.sentences import gettext_noop as _

RULES: Final[Mapping[str, np.ufunc]] = {"longest": np.maximum, "shortest": np.minimum}


class LengthArtefact(MeasuringGate):
    """Measure how many items are right if always the longest, or always the shortest, option is chosen.

    If several options are longest, each counts as a fraction.
    """

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
        found: list[Measured] = []
        for task in self.tasks_in(items):
            keyed = items.keyed(task)
            if not keyed:
                found.append(Measured(self.id, task, 0, detail={"margins": []}))
                continue
            own = keyed_columns(items, task)
            tally = LengthTally.of(own)
            trials = tuple(
                tally.trial(rule, tuple(name for _share, name in worst(rule, keyed, own))) for rule in RULES
            )
            found.append(Measured(self.id, task, len(keyed), trials, detail={"margins": tally.margins()}))
        return found


@dataclass(frozen=True, slots=True)
class LengthTally:
    """Counts from which the trials are computed; as they are whole numbers, those of parts of a set add up.

    `cells` counts items by rule, number of options, number of longest (or shortest) options, and whether the
    key is among these; `places` counts items by the numbers of options longer than the key, and as long.
    """

    cells: Counter[tuple[str, int, int, bool]] = field(default_factory=Counter)
    places: Counter[tuple[int, int]] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, own: Columns) -> "LengthTally":
        """Return the counts of keyed items."""
        tally = cls()
        for rule, extreme in RULES.items():
            ends = own.ends(extreme, own.lengths)
            tied = own.count(own.lengths == np.repeat(ends, own.sizes))
            are_right = own.lengths[own.keys] == ends
            for cell, items in Counter(
                zip(own.sizes.tolist(), tied.tolist(), are_right.tolist(), strict=True)
            ).items():
                tally.cells[rule, *cell] += items
        keys = np.repeat(own.lengths[own.keys], own.sizes)
        longer, equal = own.count(own.lengths > keys), own.count(own.lengths == keys)
        tally.places.update(zip(longer.tolist(), equal.tolist(), strict=True))
        tally.sizes.update(own.sizes.tolist())
        return tally

    @classmethod
    def from_lists(cls, said: Mapping[str, Sequence[Sequence[Any]]]) -> "LengthTally":
        """Return the tally that `as_lists` describes."""
        tally = cls()
        for rule, size, tied, is_right, items in said["cells"]:
            tally.cells[rule, size, tied, is_right] = items
        for first, many, items in said["places"]:
            tally.places[first, many] = items
        for size, items in said["sizes"]:
            tally.sizes[size] = items
        return tally

    def as_lists(self) -> dict[str, list[list[Any]]]:
        """Return the counts as lists, for JSON."""
        return {
            "cells": [[*cell, items] for cell, items in self.cells.items()],
            "places": [[*place, items] for place, items in self.places.items()],
            "sizes": [[size, items] for size, items in self.sizes.items()],
        }

    def add(self, other: "LengthTally") -> None:
        """Add the counts of other items."""
        self.cells.update(other.cells)
        self.places.update(other.places)
        self.sizes.update(other.sizes)

    def trial(self, rule: str, worst: tuple[str, ...]) -> Trial:
        """Return the trial of a rule; sums are in a fixed order, so that their rounding is, too."""
        cells = [(*cell[1:], items) for cell, items in sorted(self.cells.items()) if cell[0] == rule]
        n = self.sizes.total()
        right = sum(items / tied for _size, tied, is_right, items in cells if is_right)
        chance = sum(items / size for size, items in sorted(self.sizes.items())) / n
        variance = sum(items * (1 / (size * tied) - 1 / size**2) for size, tied, _is_right, items in cells)
        low, high = wilson_interval(right, n)
        return Trial(rule, right / n, low, high, chance, chance, sqrt(max(variance, 0.0)) / n, worst)

    def margins(self) -> list[float]:
        """Return how many keys are the longest option, the second longest, and so on; ties are shared."""
        counts = [0.0] * max(self.sizes)
        for (first, many), items in sorted(self.places.items()):
            for place in range(first, first + many):
                counts[place] += items / many
        return [round(count, 2) for count in counts]


def worst(rule: str, items: Sequence[ItemRecord], own: Columns) -> list[tuple[float, str]]:
    """Return the items whose key alone is longest (or shortest), widest margin first.

    Each is a pair of the negative margin, as a share of the longest option, and the id.
    """
    ends = own.ends(RULES[rule], own.lengths)
    are_right = own.lengths[own.keys] == ends
    tied = own.count(own.lengths == np.repeat(ends, own.sizes))
    alone = np.flatnonzero(are_right & (tied == 1))
    keys, others = own.lengths[own.keys], own.lengths.copy()
    # no other option is longer than the longest one, or shorter than nothing
    others[own.keys] = 0 if rule == "longest" else own.ends(np.maximum, own.lengths)
    apart = np.abs(keys - own.ends(RULES[rule], others))
    shares = -apart / np.maximum(own.ends(np.maximum, own.lengths), 1)
    names = (items[place].id for place in alone.tolist())
    return sorted(zip(shares[alone].tolist(), names, strict=True))
