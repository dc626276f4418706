"""A gate that tests whether the items of one story reveal each other's keys."""

from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial
from parable.quality.gates.grams import Floats, Ints
from parable.quality.gates.unit_numbers import Columns, Mask, keyed_columns
from parable.quality.item.words import same_form, same_forms
from parable.sentences import gettext_noop as _

_APART: Final = np.uint64(0x9E3779B97F4A7C15)
"""A factor that separates the hashes of options by story, so that only hashes of one story can be equal."""


class SiblingLeak(MeasuringGate):
    """Measure the accuracy of choosing the option that occurs in most other items of the story."""

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
        """Return the measurements of each task: the trial of the rule, and the items with repeated keys."""
        return [self._measure_task(task, items) for task in self.tasks_in(items)]

    def _measure_task(self, task: str, whole: ItemSet) -> Measured:
        items = whole.keyed(task)
        if not items:
            return Measured(self.id, task, 0, detail={"repeated": 0})
        own = keyed_columns(whole, task)
        chance = sum((1 / own.sizes).tolist()) / len(items)
        order = np.argsort(own.stories, kind="stable")
        ordered, own = [items[place] for place in order.tolist()], own.of_items(order)
        shared = _share(own)
        again = {ordered[place].id for place in _with_repeated_key(ordered, own, shared)}
        found = tuple(item.id for item in items if item.id in again) if again else ()
        trial = _try(ordered, own, shared, chance)
        return Measured(self.id, task, len(items), (trial,), found, {"repeated": len(found)})


class _Shared(NamedTuple):
    """The options of items, story by story: a number for each, and how many items of the story have it."""

    numbers: Ints
    times: Ints


def _share(own: Columns) -> _Shared:
    of_option = np.repeat(np.arange(len(own.sizes)), own.sizes)
    cells = own.forms.view(np.uint64) + own.stories.view(np.uint64)[of_option] * _APART
    order = np.argsort(cells, kind="stable")
    cells, of_option = cells[order], of_option[order]
    are_first = _are_new(cells)
    ordered = np.cumsum(are_first) - 1
    times = np.bincount(ordered[are_first | _are_new(of_option)])  # once per item
    numbers = np.empty(len(order), np.int64)
    numbers[order] = ordered
    return _Shared(numbers, times[numbers])


def _are_new(values: npt.NDArray[Any]) -> Mask:
    """Return a mask of the values that differ from the value before."""
    return np.append(True, values[1:] != values[:-1])


def _with_repeated_key(items: Sequence[ItemRecord], own: Columns, shared: _Shared) -> list[int]:
    """Return the positions of items whose key is also another item's key.

    Items that also have the same options are left out.
    """
    keys = shared.numbers[own.keys]
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for place in np.flatnonzero(np.bincount(keys)[keys] > 1).tolist():
        groups[int(own.stories[place]), same_form(items[place].choices[key_within(items[place])])].append(
            place
        )
    return [
        place
        for group in groups.values()
        # items that also have the same options are duplicates, which reveal nothing
        if len({frozenset(same_forms(items[place].choices)) for place in group}) > 1
        for place in group
    ]


def _try(items: Sequence[ItemRecord], own: Columns, shared: _Shared, chance: float) -> Trial:
    """Return the trial of all stories; spreads add up within a story, as its items may be dependent."""
    most, k = own.ends(np.maximum, shared.times), own.sizes
    tied = own.count(shared.times == np.repeat(most, k))
    scores = np.where(shared.times[own.keys] == most, 1 / tied, 0.0)
    spreads = np.bincount(own.stories, weights=np.sqrt(1 / (k * tied) - 1 / k**2)).astype(np.float64)
    accuracy, spread = _total(scores) / len(items), sqrt(_total(spreads**2)) / len(items)
    low, high = wilson_interval(_total(scores), len(items))
    worst = tuple(items[place].id for place in np.flatnonzero(scores == 1).tolist())
    return Trial("most_shared", accuracy, low, high, chance, chance, spread, worst)


def _total(values: Floats) -> float:
    """Sum values in order, so that rounding is the same on every machine."""
    return float(np.cumsum(values)[-1])
