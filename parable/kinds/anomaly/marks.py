"""Alternatives as groups of marks, and how much two of them agree."""

from collections.abc import Iterable, Sequence
from typing import Final

from parable.kinds.anomaly.content import ROLES, Alternative, Fragment
from parable.kinds.anomaly.scorer import by_roles, score_item
from parable.kinds.marks import Group, Groups, Mark, mark_of
from parable.kinds.spans import Span

TYPE: Final = "type"
"""The role whose label is the type of an alternative, which SpaCE2022 alone has."""


def to_marks(alternatives: Iterable[Alternative]) -> Groups:
    """Each alternative as a group, fragments in their order, its type last."""
    return tuple(map(_group, alternatives))


def _group(one: Alternative) -> Group:
    marks = tuple(mark_of(fragment.role, fragment.span) for fragment in one.fragments)
    return (*marks, Mark(TYPE, label=one.type)) if one.type else marks


def from_marks(groups: Iterable[Sequence[Mark]]) -> tuple[Alternative, ...]:
    """The alternatives of these groups."""
    return tuple(map(_alternative, groups))


def _alternative(group: Sequence[Mark]) -> Alternative:
    fragments = (Fragment(mark.role, mark.span or Span("", ())) for mark in group if mark.role != TYPE)
    return Alternative(tuple(fragments), next((mark.label for mark in group if mark.role == TYPE), ""))


def likeness(first: Group, second: Group) -> float:
    """F1 of the role measure between two alternatives."""
    return by_roles(_alternative(first), _alternative(second)).f1


def score(gold: Groups, given: Groups) -> float:
    """F1 of a whole answer, as the published scorer ranks it."""
    return score_item(from_marks(gold), from_marks(given), by_roles).f1


ORDER: Final = (*ROLES, TYPE)
"""Roles in the order in which a form and a record have them."""
