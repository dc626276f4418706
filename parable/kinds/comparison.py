"""Compares two people's answers that consist of groups: which groups correspond, and how they differ."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from parable.kinds.assignment import pair
from parable.kinds.marks import Group, Groups, Mark

Likeness = Callable[[Group, Group], float]
"""A function that returns the agreement of two groups, from 0 to 1."""

AGREES_FROM: Final = 0.8
"""A blind answer agrees with the item's own from this score on; otherwise it needs adjudication."""

SAME: Final = "same"
DIFFERENT: Final = "different"
ONLY_FIRST: Final = "first"
ONLY_SECOND: Final = "second"


@dataclass(frozen=True, slots=True)
class RoleComparison:
    """One role of two groups: its mark in each, and whether these agree."""

    role: str
    target: str
    first: Mark | None
    second: Mark | None

    @property
    def outcome(self) -> str:
        """The code of the result: `same`, `different`, or the only side that has the role."""
        if self.second is None:
            return ONLY_FIRST
        if self.first is None:
            return ONLY_SECOND
        return SAME if says_the_same(self.first, self.second) else DIFFERENT


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """Two groups that correspond, or a group without a counterpart; groups are numbered from 0."""

    first: int | None
    second: int | None
    likeness: float
    roles: tuple[RoleComparison, ...]

    @property
    def is_same(self) -> bool:
        """Whether both groups have equal marks in every role."""
        return all(one.outcome == SAME for one in self.roles)


def _key(mark: Mark) -> tuple[str, str, frozenset[int]]:
    """Return the key by which marks are matched: the role or, for mentions without role, the positions."""
    return mark.role, mark.target, frozenset() if mark.role else frozenset(mark.positions)


def says_the_same(first: Mark, second: Mark) -> bool:
    """Return whether two marks have the same role, target, label and set of characters."""
    if (first.role, first.target, first.label) != (second.role, second.target, second.label):
        return False
    if first.positions or second.positions:
        return frozenset(first.positions) == frozenset(second.positions)
    return first.text == second.text


def is_same_group(first: Group, second: Group) -> bool:
    """Return whether two groups have equal marks, in any order."""
    return len(first) == len(second) and compare_groups(first, second, 0, 0, 1.0).is_same


def compare(first: Groups, second: Groups, likeness: Likeness) -> tuple[GroupComparison, ...]:
    """Return comparisons of the first answer's groups, in order, then of the second's without counterpart.

    Groups are paired so that the sum of likeness is highest; groups with likeness 0 are not paired.
    """
    pairs: dict[int, tuple[int, float]] = {}
    if first and second:
        # equal groups are paired, even if the measure finds other groups as similar
        table = np.array(
            [[likeness(one, other) + is_same_group(one, other) for other in second] for one in first]
        )
        for row, column in pair(table):
            if table[row, column] > 0:
                pairs[row] = column, min(1.0, float(table[row, column]))
    taken = {other for other, _score in pairs.values()}
    found: list[GroupComparison] = []
    for index, group in enumerate(first):
        other, score = pairs.get(index, (None, 0.0))
        found.append(compare_groups(group, () if other is None else second[other], index, other, score))
    alone = [
        compare_groups((), second[index], None, index, 0.0)
        for index in range(len(second))
        if index not in taken
    ]
    return (*found, *alone)


def compare_groups(
    first: Group, second: Group, place: int | None, other: int | None, likeness: float
) -> GroupComparison:
    """Return the comparison of two groups by role, in the order of the first group."""
    mine = {_key(mark): mark for mark in first}
    theirs = {_key(mark): mark for mark in second}
    keys = dict.fromkeys(chain(mine, theirs))
    roles = tuple(RoleComparison(key[0], key[1], mine.get(key), theirs.get(key)) for key in keys)
    return GroupComparison(place, other, likeness, roles)


def agreement(comparisons: Iterable[GroupComparison]) -> float:
    """Return the agreement of two answers from 0 to 1; it is 1 if neither answer has a group."""
    found = list(comparisons)
    sides = sum((one.first is not None) + (one.second is not None) for one in found)
    return 2 * sum(one.likeness for one in found) / sides if sides else 1.0


@dataclass(frozen=True, slots=True)
class Pick:
    """A group that an adjudicator selects: the number of the answer, and of the group in this answer."""

    answer: int
    group: int


def merge(answers: Sequence[Groups], picks: Iterable[Pick]) -> Groups:
    """Return the selected groups in the order of the answers, with equal groups once.

    Raise ValueError if a selected group does not exist.
    """
    merged: list[Group] = []
    for pick in sorted(set(picks), key=lambda one: (one.answer, one.group)):
        if not (0 <= pick.answer < len(answers) and 0 <= pick.group < len(answers[pick.answer])):
            raise ValueError(f"There is no group {pick.group} in answer {pick.answer}.")
        group = answers[pick.answer][pick.group]
        if not any(is_same_group(group, one) for one in merged):
            merged.append(group)
    return tuple(merged)
