"""Tuples as groups of marks, and how much two of them agree."""

from collections.abc import Iterable, Sequence

from parable.kinds.marks import Group, Groups, Mark, mark_of
from parable.kinds.spans import Span
from parable.kinds.step.content import ENTITY, Coreferences, Element, StepTuple
from parable.kinds.step.scorer import score_item, score_tuple


def to_marks(tuples: Iterable[StepTuple]) -> Groups:
    """Each tuple as a group, elements in their order."""
    return tuple(tuple(mark_of(one.role, one.span, one.label) for one in each.elements) for each in tuples)


def from_marks(groups: Iterable[Sequence[Mark]]) -> tuple[StepTuple, ...]:
    """The tuples of these groups."""
    return tuple(StepTuple(tuple(map(_element, group))) for group in groups)


def _element(mark: Mark) -> Element:
    return Element(mark.role, mark.span, mark.label or None)


def mentions_to_marks(sets: Coreferences | None) -> Groups:
    """Each set of mentions as a group; mentions have no role."""
    return tuple(tuple(mark_of("", span) for span in group) for group in sets or ())


def mentions_from_marks(groups: Iterable[Sequence[Mark]]) -> Coreferences:
    """The sets of mentions of these groups."""
    return tuple(tuple(mark.span or Span("", ()) for mark in group) for group in groups)


def likeness(first: Group, second: Group) -> float:
    """The mean of the published scores of two tuples, each taken for the right one."""
    one, other = from_marks([first, second])
    return (score_tuple(one, other) + score_tuple(other, one)) / 2


def score(gold: Groups, given: Groups, corefs: Groups = ()) -> float:
    """F1 of a whole answer, as the published scorer ranks it."""
    return score_item(from_marks(gold), from_marks(given), mentions_from_marks(corefs)).f1


def by_entity(groups: Groups) -> Groups:
    """Tuples in the order of records: ascending by the positions of their entities, else as they were."""
    return tuple(sorted(groups, key=_entity_positions))


def _entity_positions(group: Group) -> tuple[int, ...]:
    return next((mark.positions for mark in group if mark.role == ENTITY), ())
