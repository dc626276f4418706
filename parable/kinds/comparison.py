"""Compare two people's answers that consist of groups of marks: match the groups, then list differences."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from parable.kinds.assignment import pair
from parable.kinds.marks import Group, Groups, Mark

Likeness = Callable[[Group, Group], float]
"""A function that returns the agreement of two groups of marks, from 0 to 1."""

SAME: Final = "same"
DIFFERENT: Final = "different"
ONLY_FIRST: Final = "first"
ONLY_SECOND: Final = "second"


@dataclass(frozen=True, slots=True)
class RoleComparison:
    """The marks of two groups for one role; None if a group does not have the role."""

    role: str
    target: str
    first: Mark | None
    second: Mark | None

    @property
    def outcome(self) -> str:
        """`same`, `different`, or the side that alone has the role: `first` or `second`."""
        if self.second is None:
            return ONLY_FIRST
        if self.first is None:
            return ONLY_SECOND
        return SAME if says_the_same(self.first, self.second) else DIFFERENT


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """A comparison, by role, of two matched groups or of a group without a counterpart.

    `first` and `second` are the numbers of the groups in the two answers, from 0; None for a missing group.
    """

    first: int | None
    second: int | None
    likeness: float
    roles: tuple[RoleComparison, ...]

    @property
    def is_same(self) -> bool:
        """Whether both groups have equal marks in every role."""
        return all(one.outcome == SAME for one in self.roles)


def _key(mark: Mark) -> tuple[str, str, frozenset[int]]:
    """Return the key by which marks are matched: role and target, or the positions if there is no role."""
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
    """Match the groups of two answers and return the comparisons of matched and unmatched groups.

    The matching has the highest sum of likeness; groups with likeness 0 are not matched. The result has all
    groups of the first answer, in order, then the unmatched groups of the second.
    """
    pairs: dict[int, tuple[int, float]] = {}
    if first and second:
        # equal groups are paired, even if the measure finds other groups as similar
        table = [[likeness(one, other) + is_same_group(one, other) for other in second] for one in first]
        for row, column in pair(table):
            if table[row][column] > 0:
                pairs[row] = column, min(1.0, table[row][column])
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
    """Compare two groups by role, in the order of the first group; `place` and `other` are their numbers."""
    mine = {_key(mark): mark for mark in first}
    theirs = {_key(mark): mark for mark in second}
    keys = dict.fromkeys(chain(mine, theirs))
    roles = tuple(RoleComparison(key[0], key[1], mine.get(key), theirs.get(key)) for key in keys)
    return GroupComparison(place, other, likeness, roles)


def agreement(comparisons: Iterable[GroupComparison]) -> float:
    """Return the agreement of two compared answers, from 0 to 1; 1 if neither answer has a group."""
    found = list(comparisons)
    sides = sum((one.first is not None) + (one.second is not None) for one in found)
    return 2 * sum(one.likeness for one in found) / sides if sides else 1.0


@dataclass(frozen=True, slots=True)
class Pick:
    """An adjudicator's selection of a group, by the number of the answer and of the group in this answer."""

    answer: int
    group: int


def merge(answers: Sequence[Groups], picks: Iterable[Pick]) -> Groups:
    """Return the selected groups in the order of the answers, without duplicates.

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
