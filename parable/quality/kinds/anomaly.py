"""Checks of anomalies: which roles an alternative may have, in which order, and how often."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from parable.kinds.anomaly import GROUPS, ROLES, Alternative, AnomalyText
from parable.kinds.spans import Span
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.kinds.base import Check, is_ordered, repeated, span_checks
from parable.sentences import gettext_noop as _

ONE_GROUP: Final = 3
"""An alternative of at most this many fragments has only one description."""
ROLES_OF_TYPES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"": ROLES, "A": ("text1", "text2"), "B": ROLES, "C": ("S", "P", "E")}
)
"""Roles that an alternative may have, by its type: SpaCE2022 has types, SpaCE2023 has none."""


def _alternatives(content: AnomalyText) -> Iterator[tuple[str, Alternative]]:
    for number, alternative in enumerate(content.alternatives or (), start=1):
        yield f"alternative-{number}", alternative


def _roles(alternative: Alternative) -> list[str]:
    return [fragment.role for fragment in alternative.fragments]


def _groups(alternative: Alternative) -> list[int]:
    """Return the group numbers of the fragments whose roles have a group."""
    return [GROUPS[role] for role in _roles(alternative) if role in GROUPS]


def _spans(content: AnomalyText) -> tuple[str | None, Iterator[tuple[str, Span]]]:
    placed = (
        (f"{place}-{fragment.role}", fragment.span)
        for place, alternative in _alternatives(content)
        for fragment in alternative.fragments
    )
    return content.context, placed


class AlternativeEmpty(Check[AnomalyText]):
    """Find answers without alternatives, and alternatives without fragments."""

    id: ClassVar = "alternative_empty"
    name: ClassVar = _("No fragments")
    severity: ClassVar = ERROR
    says: ClassVar = _("Mark at least one fragment.")
    why: ClassVar = _("Without fragments, nothing says what is wrong with the text.")

    def find(self, content: AnomalyText) -> Iterator[Finding]:
        """Yield one finding for each empty alternative, or for an answer without alternatives."""
        if content.alternatives == ():
            yield self.at("alternatives")
        for place, alternative in _alternatives(content):
            if not alternative.fragments:
                yield self.at(place)


class AnomalyRoleUnknown(Check[AnomalyText]):
    """Find roles that do not exist, or not in an alternative of this type."""

    id: ClassVar = "anomaly_role_unknown"
    name: ClassVar = _("Unknown role")
    severity: ClassVar = ERROR
    says: ClassVar = _("“%(role)s” is none of the roles %(allowed)s.")
    why: ClassVar = _("Fragments are compared by role.")

    def find(self, content: AnomalyText) -> Iterator[Finding]:
        """Yield one finding for each unknown role."""
        for place, alternative in _alternatives(content):
            allowed = ROLES_OF_TYPES.get(alternative.type, ROLES)
            for role in _roles(alternative):
                if role not in allowed:
                    yield self.at(f"{place}-{role}", role=role, allowed=" ".join(allowed))


class AnomalyRoleRepeated(Check[AnomalyText]):
    """Find roles that occur twice in an alternative."""

    id: ClassVar = "anomaly_role_repeated"
    name: ClassVar = _("Role repeated in an alternative")
    severity: ClassVar = ERROR
    says: ClassVar = _("Role %(role)s occurs more than once in this alternative.")
    why: ClassVar = _("A repeated role cannot be matched fully, even by the same answer.")

    def find(self, content: AnomalyText) -> Iterator[Finding]:
        """Yield one finding for each repeated role."""
        for place, alternative in _alternatives(content):
            for role in repeated(_roles(alternative)):
                yield self.at(f"{place}-{role}", role=role)


class AnomalyRoleOrder(Check[AnomalyText]):
    """Find fragments in another order than S1 P1 E1 S2 P2 E2."""

    id: ClassVar = "anomaly_role_order"
    name: ClassVar = _("Order of fragments")
    severity: ClassVar = WARNING
    says: ClassVar = _("The fragments are in the order %(found)s, not %(wanted)s.")
    why: ClassVar = _("Published files list fragments by group, then entity, place and event.")

    def find(self, content: AnomalyText) -> Iterator[Finding]:
        """Yield one finding for each alternative with known roles in another order."""
        for place, alternative in _alternatives(content):
            order = ROLES_OF_TYPES.get(alternative.type, ROLES)
            found = [role for role in _roles(alternative) if role in order]
            if not is_ordered(map(order.index, found)):
                yield self.at(place, found=" ".join(found), wanted=" ".join(sorted(found, key=order.index)))


class SecondGroup(Check[AnomalyText]):
    """Find small alternatives that use roles of a second description without need."""

    id: ClassVar = "second_group"
    name: ClassVar = _("Second group without need")
    severity: ClassVar = ERROR
    says: ClassVar = _("Up to 3 fragments make one description: use S1, P1 and E1 only.")
    why: ClassVar = _("The second group contradicts the first.")

    def find(self, content: AnomalyText) -> Iterator[Finding]:
        """Yield one finding for each alternative of up to three fragments with a role of group 2."""
        for place, alternative in _alternatives(content):
            if len(alternative.fragments) <= ONE_GROUP and any(one > 1 for one in _groups(alternative)):
                yield self.at(place)


class UnequalGroups(Check[AnomalyText]):
    """Find contradictory descriptions with different numbers of fragments."""

    id: ClassVar = "unequal_groups"
    name: ClassVar = _("Groups not parallel")
    severity: ClassVar = WARNING
    says: ClassVar = _("Group 1 has %(first)d fragments and group 2 has %(second)d.")
    why: ClassVar = _("A contradiction is clearer if both groups name the same parts.")

    def find(self, content: AnomalyText) -> Iterator[Finding]:
        """Yield one finding for each alternative whose groups differ by more than one fragment."""
        for place, alternative in _alternatives(content):
            groups = _groups(alternative)
            first, second = groups.count(1), groups.count(2)
            if len(alternative.fragments) > ONE_GROUP and abs(first - second) > 1:
                yield self.at(place, first=first, second=second)


ANOMALY_CHECKS: Final[tuple[Check[AnomalyText], ...]] = (
    AlternativeEmpty(),
    AnomalyRoleUnknown(),
    AnomalyRoleRepeated(),
    AnomalyRoleOrder(),
    SecondGroup(),
    UnequalGroups(),
    *span_checks(_spans),
)
