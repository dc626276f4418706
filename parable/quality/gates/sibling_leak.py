"""A gate that tests whether the items of one story reveal each other's keys."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from parable.formats.records import ItemRecord, key_within
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.gates.base import ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial
from parable.quality.gates.grams import Ints
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
        shared = share_options(own)
        places = places_with_repeated_key(own, shared)
        again = {items[place].id for place in with_repeated_key([items[place] for place in places.tolist()],
                                                                own.stories[places], places)}  # fmt: skip
        found = tuple(item.id for item in items if item.id in again) if again else ()
        tally, hits = SharedTally.of(own, shared)
        trial = tally.trial(tuple(items[place].id for place in hits.tolist()))
        return Measured(self.id, task, len(items), (trial,), found, {"repeated": len(found)})


class Shared(NamedTuple):
    """The options of items: a number for each within its story, and how many items of the story have it."""

    numbers: Ints
    times: Ints


def share_options(own: Columns) -> Shared:
    """Number the options of each story, equal ones alike; the items of a story need not be adjacent."""
    of_option = np.repeat(np.arange(len(own.sizes)), own.sizes)
    cells = own.forms.view(np.uint64) + own.stories.view(np.uint64)[of_option] * _APART
    order = np.argsort(cells, kind="stable")
    cells, of_option = cells[order], of_option[order]
    are_first = _are_new(cells)
    ordered = np.cumsum(are_first) - 1
    times = np.bincount(ordered[are_first | _are_new(of_option)])  # once per item
    numbers = np.empty(len(order), np.int64)
    numbers[order] = ordered
    return Shared(numbers, times[numbers])


def _are_new(values: npt.NDArray[Any]) -> Mask:
    """Return a mask of the values that differ from the value before."""
    return np.append(True, values[1:] != values[:-1])


def places_with_repeated_key(own: Columns, shared: Shared) -> Ints:
    """Return the positions of items whose key is also the key of another item of the story."""
    keys = shared.numbers[own.keys]
    return np.flatnonzero(np.bincount(keys)[keys] > 1)


def with_repeated_key(items: Sequence[ItemRecord], stories: Ints, places: Ints) -> list[int]:
    """Return the positions (of `places`) of the items whose key is another item's key, too.

    Items that also have the same options are left out, as they are duplicates, which reveal nothing.
    """
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for at, (item, story) in enumerate(zip(items, stories.tolist(), strict=True)):
        groups[story, same_form(item.choices[key_within(item)])].append(at)
    kept = [
        at
        for group in groups.values()
        if len({frozenset(same_forms(items[at].choices)) for at in group}) > 1
        for at in group
    ]
    return [int(places[at]) for at in kept]


@dataclass(frozen=True, slots=True)
class SharedTally:
    """Counts from which the trial is computed; as they are whole numbers, those of other stories add up.

    `cells` counts items by number of options, number of options that occur most often, and whether the key is
    one of these. `spreads` counts stories by the variance of their score by chance.
    """

    cells: Counter[tuple[int, int, bool]] = field(default_factory=Counter)
    spreads: Counter[float] = field(default_factory=Counter)

    @classmethod
    def of(cls, own: Columns, shared: Shared) -> "tuple[SharedTally, Ints]":
        """Return the counts of whole stories, and the positions of the items that the rule answers.

        Spreads add up within a story, as its items may be dependent.
        """
        most, k = own.ends(np.maximum, shared.times), own.sizes
        tied = own.count(shared.times == np.repeat(most, k))
        are_hit = shared.times[own.keys] == most
        _names, stories = np.unique(own.stories, return_inverse=True)
        spreads = np.bincount(stories, weights=np.sqrt(1 / (k * tied) - 1 / k**2)).astype(np.float64) ** 2
        tally = cls()
        tally.cells.update(zip(k.tolist(), tied.tolist(), are_hit.tolist(), strict=True))
        values, times = np.unique(spreads, return_counts=True)
        tally.spreads.update(dict(zip(values.tolist(), times.tolist(), strict=True)))
        return tally, np.flatnonzero(are_hit & (tied == 1))

    def add(self, other: "SharedTally") -> None:
        """Add the counts of other stories."""
        self.cells.update(other.cells)
        self.spreads.update(other.spreads)

    def trial(self, worst: tuple[str, ...]) -> Trial:
        """Return the trial of all stories; sums are rounded once, so that their order makes no difference."""
        n = self.cells.total()
        cells = sorted(self.cells.items())
        right = fsum(items / tied for (_size, tied, is_hit), items in cells if is_hit)
        chance = fsum(items / size for (size, _tied, _is_hit), items in cells) / n
        spread = sqrt(fsum(value * stories for value, stories in self.spreads.items())) / n
        low, high = wilson_interval(right, n)
        return Trial("most_shared", right / n, low, high, chance, chance, spread, worst)
