"""The kind of items whose answer marks the words that make a scene impossible.

An answer has one or more alternatives.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.kinds.layers import LayerForm, Role, groups_in
from annotation.kinds.spans import SpanKind
from parable.kinds.anomaly import TYPE, AnomalyText, from_marks, likeness, score
from parable.kinds.marks import ANSWER, Group, Groups

ALTERNATIVES: Final = LayerForm(
    code=ANSWER,
    name=_("Alternatives"),
    one=_("Alternative {n}"),
    place="alternative",
    roles=(
        Role("S1", _("S1 entity"), "S1", "s", "1", _("What is said to be somewhere")),
        Role("P1", _("P1 place"), "P1", "p", "2", _("Where it is said to be")),
        Role("E1", _("E1 event"), "E1", "e", "3", _("What ties the two together")),
        Role("S2", _("S2 entity"), "S2", "s", "4", _("The entity of a second, contradicting description")),
        Role("P2", _("P2 place"), "P2", "p", "5", _("The place of the second description")),
        Role("E2", _("E2 event"), "E2", "e", "6", _("The event of the second description")),
    ),
    most=20,
    spare=2,
)
TYPES: Final = Role(TYPE, _("type"), "", "n", labels=("A", "B", "C"), labels_only=True)
"""The role for published alternatives of SpaCE2022: it is displayed and stored, but no form offers it."""


class AnomalyKind(SpanKind):
    """The kind of texts that describe an impossible scene."""

    instruction: ClassVar[str | Promise] = _(
        "Which words cannot be true of one scene? Mark the entity, the place and the event that ties them; "
        "where two places of the text contradict each other, mark both. Another way to see it is another "
        "alternative."
    )
    layers: ClassVar[tuple[LayerForm, ...]] = (ALTERNATIVES,)
    may_find_nothing: ClassVar[bool] = True

    def value(self, story: str, own: Mapping[str, Any]) -> AnomalyText:
        """Return the text with its alternatives as a value for the checks."""
        return AnomalyText("", story, from_marks(groups_in(own, ANSWER)))

    def likeness(self, first: Group, second: Group) -> float:
        """Return the F1 of two alternatives, compared role by role."""
        return likeness(first, second)

    def score(self, gold: Groups, given: Groups, own: Mapping[str, Any]) -> float:
        """Return the highest F1 between an alternative of the item and one of the answer."""
        del own
        return score(gold, given)


ANOMALY_KIND: Final = AnomalyKind()
