"""The splits of a release: a seeded search for the shares closest to the plan, by whole stories or items."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from parable.splits import DEV, TEST
from release.assembly.apportionment import NO_COUNTS, Shares, shares_of
from release.assembly.assembly_items import AssemblyItem
from release.assembly.draws import Draw
from release.assembly.features import UNIT, WEIGHTS, features_of
from release.assembly.mixed_split import mixed_units
from release.assembly.seen_split import SEEN, seen_splits
from release.assembly.three_splits import three_splits

BY_STORY: Final = "story"
BY_ITEM: Final = "item"
MIXED: Final = "mixed"
RULES: Final = (BY_STORY, BY_ITEM, MIXED, SEEN)
IN_THREE: Final = (BY_STORY, BY_ITEM, SEEN)
"""The rules that support a train split."""
SHARING: Final = (MIXED, SEEN)
"""The rules by which a story may have items in both dev and test."""

_TOO_FAR: Final = 10**18
"""The weight of a deviation that exceeds the largest unit, for each item above it.

It outweighs all other deviations together.
"""

_ORDERED: Final = 10**24
"""The weight of a task with a given number of dev items. It outweighs even `_TOO_FAR`."""

MOST_STARTS: Final = 24
STARTS_OF_ONE: Final = 240
"""Limits on the number of searches: at most `MOST_STARTS`, and `STARTS_OF_ONE` units in all of them.

Small sets are therefore searched many times, large sets once.
"""
PROPOSALS_EACH: Final = 60
MOST_PROPOSALS: Final = 400_000
WHOLE_SWEEP: Final = 60_000
"""Up to this number of (dev unit, test unit) pairs, all swaps are tried until none improves the result."""

Profile = tuple[int, ...]
NOTHING: Final[Mapping[int, str]] = {}
NO_TRAIN: Final = Fraction(0)


def draw_splits(
    assembly_items: Sequence[AssemblyItem],
    *,
    rule: str,
    share: Fraction,
    seed: str,
    unchanged: Mapping[int, str] = NOTHING,
    dev_items: Mapping[str, int] = NO_COUNTS,
    out_stories: int = 0,
    train: Fraction = NO_TRAIN,
) -> list[str]:
    """Return the split of each item. The items must be in content order.

    With a share of `train`, the items are divided into three splits by `three_splits`. Otherwise `rule`
    decides:

    - `story`: each story is entirely in dev or in test;
    - `item`: each item is assigned separately;
    - `mixed`: `out_stories` stories are entirely in dev, and the items of some other stories are divided;
    - `seen`: every story has its share of items in dev.

    Except with `seen`, no count deviates from its share by more than the largest story's part, as far as this
    is possible for all counts at once; then every task is as close to its share as that allows, then every
    style and type. `dev_items` gives the number of dev items by task in place of the share. Neither split is
    empty if there are two units. `unchanged` has fixed splits by item index; with `story` they also decide
    the split of the story's other items.
    """
    if not assembly_items:
        return []
    if train:
        of_three = (train, share, 1 - train - share)
        whole = _members(
            assembly_items, (lambda index: index) if rule != BY_STORY else _story_of(assembly_items)
        )
        return three_splits(assembly_items, whole, rule=rule, shares=of_three, seed=seed, unchanged=unchanged)
    shares = shares_of(assembly_items, share, dev_items)
    if rule == SEEN:
        return seen_splits(assembly_items, shares=shares, seed=seed, unchanged=unchanged)
    unit_of, side = _units(assembly_items, rule, shares, seed, unchanged, out_stories)
    members = _members(assembly_items, unit_of)
    units = list(members)
    brought = [[assembly_items[index] for index in places] for places in members.values()]
    counted = _Counted(brought, shares, are_alike=rule != MIXED)
    free = [unit for unit in units if unit not in side]
    of_unit = dict(zip(units, counted.profiles, strict=True))
    start = counted.start([of_unit[unit] for unit in units if side.get(unit) == DEV])
    draw = Draw(seed, f"split/{rule}")
    chosen = _choose([of_unit[unit] for unit in free], counted.weights, draw, start, is_alone=not side)
    dev = {unit for unit, is_dev in zip(free, chosen, strict=True) if is_dev}
    dev |= {unit for unit, split in side.items() if split == DEV}
    # a fixed split never changes, even if stories in two splits were later recognised as the same story
    return [
        unchanged.get(index) or (DEV if unit_of(index) in dev else TEST)
        for index in range(len(assembly_items))
    ]


def _members(
    assembly_items: Sequence[AssemblyItem], unit_of: Callable[[int], Hashable]
) -> Mapping[Hashable, list[int]]:
    """Return the item indexes of each unit. Units are ordered by their first item."""
    members: dict[Hashable, list[int]] = {}
    for index in range(len(assembly_items)):
        members.setdefault(unit_of(index), []).append(index)
    return members


def _units(
    assembly_items: Sequence[AssemblyItem],
    rule: str,
    shares: Shares,
    seed: str,
    unchanged: Mapping[int, str],
    out_stories: int,
) -> tuple[Callable[[int], Hashable], Mapping[Hashable, str]]:
    """Return (function from item index to unit, {unit: split} of the units whose split is decided)."""
    if rule == MIXED:
        units, sides = mixed_units(
            assembly_items, share=shares.of_all, out_stories=out_stories, seed=seed, unchanged=unchanged
        )
        return units.__getitem__, sides
    unit_of: Callable[[int], Hashable] = (
        (lambda index: index) if rule == BY_ITEM else _story_of(assembly_items)
    )
    return unit_of, {unit_of(index): split for index, split in unchanged.items()}


def _choose(
    profiles: Sequence[Profile],
    weights: Sequence[int],
    draw: Draw,
    start: Sequence[int],
    *,
    is_alone: bool,
) -> Sequence[bool]:
    """Return for each unit whether it goes to dev, by the best of several searches."""
    starts = max(1, min(MOST_STARTS, STARTS_OF_ONE // max(1, len(profiles))))
    found = [_Search(profiles, weights, draw, start, is_alone=is_alone) for _one in range(starts)]
    for search in found:
        search.run()
    return min(found, key=lambda search: search.cost).is_dev


def _story_of(assembly_items: Sequence[AssemblyItem]) -> Callable[[int], Hashable]:
    return lambda index: assembly_items[index].story


class _Counted:
    """Counts of items by unit and feature, with the weights of the features.

    If all units are stories, or all are items, the last feature counts the units themselves. All numbers are
    integers with a common scale, so that rounding is the same on every machine.
    """

    def __init__(self, units: Sequence[Sequence[AssemblyItem]], shares: Shares, *, are_alike: bool) -> None:
        counted = [Counter(feature for item in unit for feature in features_of(item)) for unit in units]
        features = sorted({feature for counts in counted for feature in counts})
        ordered = {("task", task, "") for task in shares.counted}
        weights = [_ORDERED if feature in ordered else WEIGHTS[feature[0]] for feature in features]
        self.weights = [*weights, UNIT]
        unit = shares.scale if are_alike else 0
        self.profiles: list[Profile] = [
            (*(shares.scale * counts[feature] for feature in features), unit) for counts in counted
        ]
        self._shares = [*(shares.of_task[feature[1]] for feature in features), shares.of_all]

    def start(self, in_dev: Sequence[Profile]) -> list[int]:
        """Return each feature's deviation from its share if only the units `in_dev` are in dev."""
        totals = [sum(column) for column in zip(*self.profiles, strict=True)]
        held = [sum(column) for column in zip(*in_dev, strict=True)] or [0] * len(totals)
        return [n - int(share * total) for n, share, total in zip(held, self._shares, totals, strict=True)]


def _cost(off: int, weight: int, bound: int) -> int:
    """Return the penalty of a deviation; beyond `bound`, the largest unit's count, it grows faster."""
    excess = abs(off) - bound
    return weight * off * off + (_TOO_FAR * excess * excess if excess > 0 else 0)


class _Search:
    """A search that swaps units between dev and test while this brings the counts closer to their shares.

    `start` is the initial deviation of each count from its share. With `is_alone`, neither split becomes
    empty.
    """

    def __init__(
        self,
        profiles: Sequence[Profile],
        weights: Sequence[int],
        draw: Draw,
        start: Sequence[int],
        *,
        is_alone: bool,
    ) -> None:
        self.profiles = profiles
        self.weights = weights
        self.bounds = [max(column) for column in zip(*self.profiles, strict=True)]
        self.draw = draw
        self.is_dev = [False] * len(profiles)
        self.in_dev = 0
        self.off = list(start)
        self.is_alone = is_alone
        self.costs = list(map(_cost, self.off, self.weights, self.bounds))
        self._nothing: Profile = (0,) * len(self.off)

    def run(self) -> None:
        """Search until no move and no swap of units improves the result."""
        if len(self.profiles) < (2 if self.is_alone else 1):
            return
        self._fill()
        self._propose()
        while self._sweep():
            pass

    @property
    def cost(self) -> int:
        """The total penalty for the deviations of the counts from their shares."""
        return sum(self.costs)

    @property
    def _sides(self) -> tuple[list[int], list[int]]:
        dev = [unit for unit, is_dev in enumerate(self.is_dev) if is_dev]
        return dev, [unit for unit, is_dev in enumerate(self.is_dev) if not is_dev]

    def _fill(self) -> None:
        """Move units to dev in random order if this is an improvement; with `is_alone`, empty no split."""
        order = self.draw.shuffled(range(len(self.profiles)))
        for unit in order:
            self._try(joining=unit)
        dev, test = self._sides
        if self.is_alone and not dev:
            self._turn(order[0])
        if self.is_alone and not test:
            self._turn(order[0])

    def _propose(self) -> None:
        dev, test = self._sides
        if not dev or not test:
            return
        for _attempt in range(min(MOST_PROPOSALS, PROPOSALS_EACH * len(self.profiles))):
            mine, other = self.draw.below(len(dev)), self.draw.below(len(test))
            if self._try(leaving=dev[mine], joining=test[other]):
                dev[mine], test[other] = test[other], dev[mine]

    def _sweep(self) -> bool:
        """Try all moves and swaps of units in random order.

        Return whether at least one improved the result.
        """
        has_helped = False
        for unit in self.draw.shuffled(range(len(self.profiles))):
            has_helped |= self._leaves_both_sides(unit) and self._move(unit)
        dev, test = self._sides
        if len(dev) * len(test) > WHOLE_SWEEP:
            return has_helped
        for mine in self.draw.shuffled(dev):
            for other in self.draw.shuffled(test):
                if self.is_dev[mine] and not self.is_dev[other]:
                    has_helped |= self._try(leaving=mine, joining=other)
        return has_helped

    def _leaves_both_sides(self, unit: int) -> bool:
        if not self.is_alone:
            return True
        beside = self.in_dev if self.is_dev[unit] else len(self.profiles) - self.in_dev
        return beside > 1

    def _move(self, unit: int) -> bool:
        return self._try(leaving=unit) if self.is_dev[unit] else self._try(joining=unit)

    def _try(self, *, leaving: int | None = None, joining: int | None = None) -> bool:
        """Move `leaving` out of dev and `joining` into it if this is an improvement; return whether it is."""
        out = self._nothing if leaving is None else self.profiles[leaving]
        into = self._nothing if joining is None else self.profiles[joining]
        gained = 0
        for feature, (less, more) in enumerate(zip(out, into, strict=True)):
            if less != more:
                off = self.off[feature] + more - less
                gained += self.costs[feature] - _cost(off, self.weights[feature], self.bounds[feature])
        if gained <= 0:
            return False
        for unit in (leaving, joining):
            if unit is not None:
                self._turn(unit)
        return True

    def _turn(self, unit: int) -> None:
        sign = -1 if self.is_dev[unit] else 1
        self.off = [off + sign * n for off, n in zip(self.off, self.profiles[unit], strict=True)]
        self.costs = list(map(_cost, self.off, self.weights, self.bounds))
        self.is_dev[unit] = not self.is_dev[unit]
        self.in_dev += sign
