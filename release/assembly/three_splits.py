"""The division into train, dev and test by their shares, within each genre and overall."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from parable.splits import SPLITS
from release.assembly.apportionment import apportion
from release.assembly.assembly_items import AssemblyItem
from release.assembly.draws import Draw
from release.assembly.features import UNIT, WEIGHTS, Feature, features_of
from release.assembly.seen_split import SEEN

SWAPS_EACH: Final = 60
MOST_SWAPS: Final = 400_000

Units = Mapping[Hashable, Sequence[int]]
"""{name of a unit: indexes of its items}. The items of a unit stay together."""


def three_splits(
    assembly_items: Sequence[AssemblyItem],
    units: Units,
    *,
    rule: str,
    shares: Sequence[Fraction],
    seed: str,
    unchanged: Mapping[int, str],
) -> list[str]:
    """Return the split of each item by the shares of train, dev and test. Items must be in content order.

    Units of one genre form a group; under the rule `seen`, the items of a story and task form a group. In
    each group, every split has its exact share of the units, rounded up or down (see `apportion`). Units are
    assigned at random. Then units of one group are swapped while this brings the items of each task, style
    and type closer to their shares. `unchanged` has fixed splits by item index; a unit gets the split of its
    first such item.
    """
    held = {
        name: unchanged[index]
        for name, places in units.items()
        for index in reversed(places)
        if index in unchanged
    }
    draw = Draw(seed, f"split/three/{rule}")
    groups: dict[Hashable, list[Hashable]] = {}
    for name in draw.shuffled(list(units)):
        groups.setdefault(_group(assembly_items[units[name][0]], rule), []).append(name)
    wanted = apportion([len(names) for names in groups.values()], shares)
    splits: dict[Hashable, str] = dict(held)
    free = [[name for name in names if name not in held] for names in groups.values()]
    for names, drawn, counts in zip(groups.values(), free, wanted, strict=True):
        splits.update(_dealt(drawn, counts, Counter(held[name] for name in names if name in held)))
    _Exchange(assembly_items, units, splits, shares).run(free, draw)
    of_place = {index: splits[name] for name, places in units.items() for index in places}
    return [unchanged.get(index) or of_place[index] for index in range(len(assembly_items))]


def _group(item: AssemblyItem, rule: str) -> Hashable:
    return (item.record.task, item.story) if rule == SEEN else item.genre


def _dealt(
    names: Sequence[Hashable], wanted: Sequence[int], held: Mapping[str, int]
) -> Mapping[Hashable, str]:
    """Return a split for each unit: the split that lacks most units at that moment."""
    lacking = {split: n - held.get(split, 0) for split, n in zip(SPLITS, wanted, strict=True)}
    dealt = {}
    for name in names:
        dealt[name] = max(SPLITS, key=lacking.__getitem__)
        lacking[dealt[name]] -= 1
    return dealt


class _Exchange:
    """A search that swaps units of one group while this brings the item counts closer to their shares.

    All numbers are integers with a common scale, so that rounding is the same on every machine.
    """

    def __init__(
        self,
        assembly_items: Sequence[AssemblyItem],
        units: Units,
        splits: dict[Hashable, str],
        shares: Sequence[Fraction],
    ) -> None:
        self.splits = splits
        self.scale = lcm(*(share.denominator for share in shares))
        self.brought: dict[Hashable, Counter[Feature]] = {
            name: Counter(feature for index in places for feature in features_of(assembly_items[index]))
            for name, places in units.items()
        }
        self.off: dict[str, Counter[Feature]] = {}
        whole = sum(self.brought.values(), Counter())
        for split, share in zip(SPLITS, shares, strict=True):
            here = (found for name, found in self.brought.items() if splits[name] == split)
            held = sum(here, Counter())
            self.off[split] = Counter(
                {one: self.scale * held[one] - int(share * self.scale) * n for one, n in whole.items()}
            )

    def run(self, groups: Sequence[Sequence[Hashable]], draw: Draw) -> None:
        """Try random swaps of two units of one group, and apply those that improve the result."""
        groups = [names for names in groups if len(names) > 1]
        names = [(name, group) for group in groups for name in group]
        for _attempt in range(min(MOST_SWAPS, SWAPS_EACH * len(names))):
            one, group = names[draw.below(len(names))]
            other = group[draw.below(len(group))]
            if self.splits[one] != self.splits[other] and self._gain(one, other) < 0:
                here, there = self.splits[one], self.splits[other]
                for feature, change in self._change(one, other):
                    self.off[here][feature] += change
                    self.off[there][feature] -= change
                self.splits[one], self.splits[other] = there, here

    def _gain(self, one: Hashable, other: Hashable) -> int:
        here, there = self.off[self.splits[one]], self.off[self.splits[other]]
        gain = 0
        for feature, change in self._change(one, other):
            weight = WEIGHTS.get(feature[0], UNIT)
            gain += weight * change * (here[feature] - there[feature] + change)
        return gain

    def _change(self, one: Hashable, other: Hashable) -> list[tuple[Feature, int]]:
        """Return what a swap adds to each feature in the split of `one`; the other split loses it."""
        mine, yours = self.brought[one], self.brought[other]
        changes = ((feature, yours[feature] - mine[feature]) for feature in {*mine, *yours})
        return [(feature, self.scale * change) for feature, change in changes if change]
