"""A gate that tests whether the length of an option reveals the key."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial, spread_of
from parable.quality.gates.grams import Ints
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
            trials = tuple(_try(rule, keyed, own) for rule in RULES)
            found.append(Measured(self.id, task, len(keyed), trials, detail={"margins": _margins(own)}))
        return found


def _try(rule: str, items: Sequence[ItemRecord], own: Columns) -> Trial:
    ends = own.ends(RULES[rule], own.lengths)
    tied = own.count(own.lengths == np.repeat(ends, own.sizes))
    are_right = own.lengths[own.keys] == ends
    right = sum((are_right / tied).tolist())
    chances = (1 / own.sizes).tolist()
    chance = sum(chances) / len(items)
    low, high = wilson_interval(right, len(items))
    spread = spread_of((1 / (own.sizes * tied) - 1 / own.sizes**2).tolist())
    worst = _worst(rule, items, own, np.flatnonzero(are_right & (tied == 1)))
    return Trial(rule, right / len(items), low, high, chance, chance, spread, worst)


def _worst(rule: str, items: Sequence[ItemRecord], own: Columns, alone: Ints) -> tuple[str, ...]:
    """Return the items whose key alone is longest (or shortest), widest margin first."""
    keys, others = own.lengths[own.keys], own.lengths.copy()
    others[own.keys] = own.lengths.min() if rule == "longest" else own.lengths.max()
    apart = np.abs(keys - own.ends(RULES[rule], others))
    shares = -apart / np.maximum(own.ends(np.maximum, own.lengths), 1)
    names = (items[place].id for place in alone.tolist())
    return tuple(name for _share, name in sorted(zip(shares[alone].tolist(), names, strict=True)))


def _margins(own: Columns) -> list[float]:
    """Return how many keys are the longest option, the second longest, and so on; ties are shared."""
    keys = np.repeat(own.lengths[own.keys], own.sizes)
    longer, tied = own.count(own.lengths > keys), own.count(own.lengths == keys)
    counts = [0.0] * int(own.sizes.max())
    for (first, many), times in Counter(zip(longer.tolist(), tied.tolist(), strict=True)).items():
        for place in range(first, first + many):
            counts[place] += times / many
    return [round(count, 2) for count in counts]
