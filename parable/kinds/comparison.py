"""Two people's answers beside each other: which groups belong together, and where they differ."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from parable.kinds.assignment import pair
from parable.kinds.marks import Group, Groups, Mark

Likeness = Callable[[Group, Group], float]
"""How much two groups agree, from 0 to 1."""

AGREES_FROM: Final = 0.8
"""From this score on a blind answer counts as the same as the item's own; below it somebody has to decide."""

SAME: Final = "same"
DIFFERENT: Final = "different"
ONLY_FIRST: Final = "first"
ONLY_SECOND: Final = "second"


@dataclass(frozen=True, slots=True)
class RoleComparison:
    """One role in two groups: the mark in each, and whether they agree."""

    role: str
    target: str
    first: Mark | None
    second: Mark | None

    @property
    def outcome(self) -> str:
        """`same`, `different`, or which side alone has the role."""
        if self.second is None:
            return ONLY_FIRST
        if self.first is None:
            return ONLY_SECOND
        return SAME if says_the_same(self.first, self.second) else DIFFERENT


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """Two groups that belong together, or one without a counterpart; the numbers count from 0."""

    first: int | None
    second: int | None
    likeness: float
    roles: tuple[RoleComparison, ...]

    @property
    def is_same(self) -> bool:
        """Whether both say the same in every role."""
        return all(one.outcome == SAME for one in self.roles)


def _key(mark: Mark) -> tuple[str, str, frozenset[int]]:
    """Return the key that marks are matched by: the role, or the characters of role-less mentions."""
    return mark.role, mark.target, frozenset() if mark.role else frozenset(mark.positions)


def says_the_same(first: Mark, second: Mark) -> bool:
    """Return whether two marks of one role have the same characters, in any order, and the same label."""
    if (first.role, first.target, first.label) != (second.role, second.target, second.label):
        return False
    if first.positions or second.positions:
        return frozenset(first.positions) == frozenset(second.positions)
    return first.text == second.text


def is_same_group(first: Group, second: Group) -> bool:
    """Return whether two groups have equal content, whatever the order of their marks."""
    return len(first) == len(second) and compare_groups(first, second, 0, 0, 1.0).is_same


def compare(first: Groups, second: Groups, likeness: Likeness) -> tuple[GroupComparison, ...]:
    """Pair the groups of two answers to the highest sum of likeness, those of the first in their order.

    Groups that have nothing in common stand alone; those of the second without a counterpart come last.
    """
    pairs = _pairs(first, second, likeness)
    taken = {other for other, _score in pairs.values()}
    found = [_of_first(first, second, index, pairs.get(index)) for index in range(len(first))]
    alone = [
        compare_groups((), second[index], None, index, 0.0)
        for index in range(len(second))
        if index not in taken
    ]
    return (*found, *alone)


def _of_first(first: Groups, second: Groups, place: int, pair: tuple[int, float] | None) -> GroupComparison:
    if pair is None:
        return compare_groups(first[place], (), place, None, 0.0)
    other, score = pair
    return compare_groups(first[place], second[other], place, other, score)


def _pairs(first: Groups, second: Groups, likeness: Likeness) -> dict[int, tuple[int, float]]:
    if not first or not second:
        return {}
    # what is wholly the same belongs together, also where a measure sees more that is as much alike
    table = np.array(
        [[likeness(one, other) + is_same_group(one, other) for other in second] for one in first]
    )
    return {
        row: (column, min(1.0, float(table[row, column])))
        for row, column in pair(table)
        if table[row, column] > 0
    }


def compare_groups(
    first: Group, second: Group, place: int | None, other: int | None, likeness: float
) -> GroupComparison:
    """Compare two groups role by role, in the order of the first, then what only the second has."""
    mine = {_key(mark): mark for mark in first}
    theirs = {_key(mark): mark for mark in second}
    keys = dict.fromkeys(chain(mine, theirs))
    roles = tuple(RoleComparison(key[0], key[1], mine.get(key), theirs.get(key)) for key in keys)
    return GroupComparison(place, other, likeness, roles)


def agreement(comparisons: Iterable[GroupComparison]) -> float:
    """Return how much two answers agree, from 0 to 1: 1 if neither has a group."""
    found = list(comparisons)
    sides = sum((one.first is not None) + (one.second is not None) for one in found)
    return 2 * sum(one.likeness for one in found) / sides if sides else 1.0


@dataclass(frozen=True, slots=True)
class Pick:
    """A group that an adjudicator takes over: from whose answer, and which."""

    answer: int
    group: int


def merge(answers: Sequence[Groups], picks: Iterable[Pick]) -> Groups:
    """Return the picked groups, in the order of the answers; of equal groups the first.

    Raises ValueError where a pick names a group that there is not.
    """
    merged: list[Group] = []
    for pick in sorted(set(picks), key=lambda one: (one.answer, one.group)):
        if not (0 <= pick.answer < len(answers) and 0 <= pick.group < len(answers[pick.answer])):
            raise ValueError(f"There is no group {pick.group} in answer {pick.answer}.")
        group = answers[pick.answer][pick.group]
        if not any(is_same_group(group, one) for one in merged):
            merged.append(group)
    return tuple(merged)
