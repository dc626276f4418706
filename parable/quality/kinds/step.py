"""Checks of tuples: which elements a tuple must, may and must not have, and in which order."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, Final

from parable.kinds.spans import Span
from parable.kinds.step import (
    ABSOLUTE_TIMES,
    DISTANCE,
    ENTITY,
    FACTUALITY,
    LABELS,
    PLACES,
    REFERENCE,
    ROLES,
    TIME,
    Element,
    StepText,
    StepTuple,
)
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.kinds.base import Check, is_ordered, repeated, span_checks
from parable.sentences import gettext_noop as _


def _tuples(content: StepText) -> Iterator[tuple[str, StepTuple]]:
    for number, one in enumerate(content.tuples or (), start=1):
        yield f"tuple-{number}", one


def _elements(content: StepText) -> Iterator[tuple[str, Element]]:
    for place, one in _tuples(content):
        for element in one.elements:
            yield f"{place}-{element.role}", element


def _roles(one: StepTuple) -> list[str]:
    return [element.role for element in one.elements]


def _spans(content: StepText) -> tuple[str | None, Iterator[tuple[str, Span]]]:
    marked = ((place, element.span) for place, element in _elements(content) if element.span is not None)
    mentions = (
        (f"{name}-{number}", span)
        for name, groups in (("coreference", content.corefs), ("non-coreference", content.non_corefs))
        for number, group in enumerate(groups or (), start=1)
        for span in group
    )
    return content.context, chain(marked, mentions)


class StepRoleUnknown(Check[StepText]):
    """Find roles that are none of the fifteen roles."""

    id: ClassVar = "step_role_unknown"
    name: ClassVar = _("Unknown role of a tuple")
    severity: ClassVar = ERROR
    says: ClassVar = _("“%(role)s” is none of the fifteen roles.")
    why: ClassVar = _("Elements are compared by role.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each element with an unknown role."""
        for place, element in _elements(content):
            if element.role not in ROLES:
                yield self.at(place, role=element.role)


class StepRoleRepeated(Check[StepText]):
    """Find roles that occur twice in a tuple."""

    id: ClassVar = "step_role_repeated"
    name: ClassVar = _("Role repeated in a tuple")
    severity: ClassVar = ERROR
    says: ClassVar = _("Role %(role)s occurs more than once in this tuple.")
    why: ClassVar = _("A tuple has one fact; a second value needs a tuple of its own.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each repeated role."""
        for place, one in _tuples(content):
            for role in repeated(_roles(one)):
                yield self.at(f"{place}-{role}", role=role)


class StepRoleOrder(Check[StepText]):
    """Find tuples whose elements are in another order than the fifteen roles."""

    id: ClassVar = "step_role_order"
    name: ClassVar = _("Order of elements")
    severity: ClassVar = ERROR
    says: ClassVar = _("The elements are in the order %(found)s, not %(wanted)s.")
    why: ClassVar = _("Published files list the elements of a tuple in the order of the fifteen roles.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each tuple with known roles in another order."""
        for place, one in _tuples(content):
            found = [role for role in _roles(one) if role in ROLES]
            if not is_ordered(map(ROLES.index, found)):
                wanted = sorted(found, key=ROLES.index)
                yield self.at(place, found=" ".join(found), wanted=" ".join(wanted))


class EntityMissing(Check[StepText]):
    """Find tuples without an entity."""

    id: ClassVar = "entity_missing"
    name: ClassVar = _("No spatial entity")
    severity: ClassVar = ERROR
    says: ClassVar = _("The tuple has no spatial entity.")
    why: ClassVar = _("A tuple says where an entity is.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each tuple without an entity."""
        for place, one in _tuples(content):
            if one.get(ENTITY) is None:
                yield self.at(place)


class ReferenceWithoutDistance(Check[StepText]):
    """Find tuples with a reference entity but no distance, or a distance but no reference entity."""

    id: ClassVar = "reference_without_distance"
    name: ClassVar = _("Reference entity and distance")
    severity: ClassVar = ERROR
    says: ClassVar = _("The tuple has %(present)s but not %(missing)s.")
    why: ClassVar = _("A distance lies between two entities.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each tuple that has only a reference entity, or only a distance."""
        for place, one in _tuples(content):
            has_reference, has_distance = one.get(REFERENCE) is not None, one.get(DISTANCE) is not None
            if has_reference and not has_distance:
                yield self.at(place, present=REFERENCE, missing=DISTANCE)
            if has_distance and not has_reference:
                yield self.at(place, present=DISTANCE, missing=REFERENCE)


class DistanceBesidePlace(Check[StepText]):
    """Find tuples with both a distance and a role for a place (`PLACES`)."""

    id: ClassVar = "distance_beside_place"
    name: ClassVar = _("Distance beside a place")
    severity: ClassVar = ERROR
    says: ClassVar = _("The tuple has a distance and %(roles)s; make two tuples of it.")
    why: ClassVar = _("A tuple has one fact.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each tuple with both a distance and a role for a place."""
        for place, one in _tuples(content):
            places = [role for role in _roles(one) if role in PLACES]
            if one.get(DISTANCE) is not None and places:
                yield self.at(place, roles=" ".join(places))


class NoPlace(Check[StepText]):
    """Find tuples with neither a role for a place (`PLACES`) nor a distance."""

    id: ClassVar = "no_place"
    name: ClassVar = _("No spatial relation")
    severity: ClassVar = WARNING
    says: ClassVar = _("The tuple has neither a place nor a distance.")
    why: ClassVar = _("Such a tuple does not say where the entity is.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each tuple with neither a role for a place nor a distance."""
        for place, one in _tuples(content):
            if not any(role in PLACES or role == DISTANCE for role in _roles(one)):
                yield self.at(place)


class ElementEmpty(Check[StepText]):
    """Find elements without a value: a fragment or, for roles with labels, a label.

    A factuality must have a label.
    """

    id: ClassVar = "element_empty"
    name: ClassVar = _("Empty element")
    severity: ClassVar = ERROR
    says: ClassVar = _("The element needs a fragment of the text, or a label where its role has any.")
    why: ClassVar = _("An element without a value says nothing.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each empty element."""
        for place, element in _elements(content):
            is_filled = element.label is not None if element.role in LABELS else element.span is not None
            if not is_filled and (element.span is None or element.role == FACTUALITY):
                yield self.at(place)


class LabelUnknown(Check[StepText]):
    """Find labels that do not belong to the role of their element."""

    id: ClassVar = "label_unknown"
    name: ClassVar = _("Unknown label")
    severity: ClassVar = ERROR
    says: ClassVar = _("“%(label)s” is not a label of this role.")
    why: ClassVar = _("Labels are compared word by word.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each unknown label, including labels of roles without labels."""
        for place, element in _elements(content):
            if element.label is not None and element.label not in LABELS.get(element.role, ()):
                yield self.at(place, label=element.label)


class LabelBesideFragment(Check[StepText]):
    """Find labels with a fragment that they exclude, or without a fragment that they require."""

    id: ClassVar = "label_beside_fragment"
    name: ClassVar = _("Label and fragment")
    severity: ClassVar = ERROR
    says: ClassVar = _("The label “%(label)s” cannot have a fragment, or cannot be without one.")
    why: ClassVar = _(
        "说话时, 过去 and 将来 are used alone; 之时, 之前, 之后 and 之间 need a reference event. A"
        " factuality has a label only; a distance has either a label or a fragment."
    )

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each element with a known label that wrongly has, or lacks, a fragment."""
        for place, element in _elements(content):
            label = element.label
            if label is None or label not in LABELS.get(element.role, ()):
                continue
            needs_fragment = element.role == TIME and label not in ABSOLUTE_TIMES
            if needs_fragment != (element.span is not None):
                yield self.at(place, label=label)


class TupleOrder(Check[StepText]):
    """Find tuples that are not in the order of their entities."""

    id: ClassVar = "tuple_order"
    name: ClassVar = _("Order of tuples")
    severity: ClassVar = WARNING
    says: ClassVar = _("The entity of this tuple comes before the one of the tuple above.")
    why: ClassVar = _("Published files list tuples by the positions of their entities.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each tuple whose entity precedes the entity of the tuple before."""
        last: tuple[int, ...] = ()
        for place, one in _tuples(content):
            entity = one.get(ENTITY)
            if entity is None or entity.span is None:
                continue
            if entity.span.positions < last:
                yield self.at(place)
            last = entity.span.positions


class TupleRepeated(Check[StepText]):
    """Find tuples that are equal to an earlier tuple."""

    id: ClassVar = "tuple_repeated"
    name: ClassVar = _("Tuple repeated")
    severity: ClassVar = ERROR
    says: ClassVar = _("The tuple is the same as tuple %(first)d.")
    why: ClassVar = _("Tuples are matched one to one; a repeated one lowers the score of every answer.")

    def find(self, content: StepText) -> Iterator[Finding]:
        """Yield one finding for each tuple that repeats an earlier tuple."""
        seen: dict[StepTuple, int] = {}
        for number, (place, one) in enumerate(_tuples(content), start=1):
            first = seen.setdefault(one, number)
            if first != number:
                yield self.at(place, first=first)


STEP_CHECKS: Final[tuple[Check[StepText], ...]] = (
    StepRoleUnknown(),
    StepRoleRepeated(),
    StepRoleOrder(),
    EntityMissing(),
    ReferenceWithoutDistance(),
    DistanceBesidePlace(),
    NoPlace(),
    ElementEmpty(),
    LabelUnknown(),
    LabelBesideFragment(),
    TupleOrder(),
    TupleRepeated(),
    *span_checks(_spans),
)
