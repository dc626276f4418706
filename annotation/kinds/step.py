"""The STEP kind: texts whose spatial relations are marked as tuples of up to fifteen roles."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.kinds.layers import LayerForm, Role, groups_in
from annotation.kinds.spans import SpanKind
from parable.kinds.marks import ANSWER, COREFERENCE, NON_COREFERENCE, Group, Groups
from parable.kinds.step import (
    DISTANCE,
    FACTUALITY,
    LABELS,
    TIME,
    StepText,
    by_entity,
    from_marks,
    likeness,
    mentions_from_marks,
    score,
)

TUPLES: Final = LayerForm(
    code=ANSWER,
    name=_("Tuples"),
    one=_("Tuple {n}"),
    place="tuple",
    roles=(
        Role(
            "空间实体",
            _("spatial entity"),
            pgettext_lazy("over a fragment", "ent"),
            "s",
            "1",
            _("What is placed; every tuple has one"),
        ),
        Role(
            "参照实体",
            _("reference entity"),
            pgettext_lazy("over a fragment", "ref"),
            "s",
            "2",
            _("The other end of a distance"),
        ),
        Role(
            "事件",
            _("event"),
            pgettext_lazy("over a fragment", "event"),
            "e",
            "3",
            _("What the placing is bound to"),
        ),
        Role(
            FACTUALITY,
            _("factuality"),
            pgettext_lazy("over a fragment", "fact"),
            "n",
            "4",
            _("Only where it is not the case"),
            LABELS[FACTUALITY],
            labels_only=True,
        ),
        Role(
            TIME,
            _("time"),
            pgettext_lazy("over a fragment", "time"),
            "t",
            "5",
            _("Words, a label alone, or an event with a relation to it"),
            LABELS[TIME],
        ),
        Role(
            "处所", _("place"), pgettext_lazy("over a fragment", "place"), "p", "6", _("Where something is")
        ),
        Role(
            "起点",
            _("start"),
            pgettext_lazy("over a fragment", "from"),
            "p",
            "7",
            _("Where a movement begins"),
        ),
        Role("终点", _("goal"), pgettext_lazy("over a fragment", "to"), "p", "8", _("Where a movement ends")),
        Role(
            "方向",
            _("direction"),
            pgettext_lazy("over a fragment", "dir"),
            "p",
            "9",
            _("Where something moves"),
        ),
        Role("朝向", _("facing"), pgettext_lazy("over a fragment", "face"), "p", "0", _("What a side faces")),
        Role(
            "部件处所",
            _("place of a part"),
            pgettext_lazy("over a fragment", "of part"),
            "p",
            "q",
            _("Where a part is within its whole"),
        ),
        Role(
            "部位",
            _("part"),
            pgettext_lazy("over a fragment", "part"),
            "p",
            "w",
            _("The part that the other places describe"),
        ),
        Role(
            "形状",
            _("shape"),
            pgettext_lazy("over a fragment", "shape"),
            "p",
            "e",
            _("The shape that something has"),
        ),
        Role(
            "路径", _("path"), pgettext_lazy("over a fragment", "path"), "p", "r", _("The way of a movement")
        ),
        Role(
            DISTANCE,
            _("distance"),
            pgettext_lazy("over a fragment", "dist"),
            "p",
            "t",
            _("Between entity and reference entity"),
            LABELS[DISTANCE],
        ),
    ),
    spare=2,
)
_MENTION: Final = (Role("", _("mention"), "", "s"),)
MENTIONS: Final = LayerForm(
    code=COREFERENCE,
    name=_("Same entity"),
    one=_("Mentions {n}"),
    place="corefs",
    roles=_MENTION,
    repeats=True,
)
LOOKALIKES: Final = LayerForm(
    code=NON_COREFERENCE,
    name=_("Not the same entity"),
    one=_("Other mentions {n}"),
    place="non_corefs",
    roles=_MENTION,
    repeats=True,
)


class StepKind(SpanKind):
    """The kind of texts with spatial relations, marked as tuples of roles."""

    instruction: ClassVar[str | Promise] = _(
        "Who is where, when, and how? Make a tuple for each thing that the text says of a place, a movement, "
        "a direction or a distance, and mark its words."
    )
    layers: ClassVar[tuple[LayerForm, ...]] = (TUPLES, MENTIONS, LOOKALIKES)

    def value(self, story: str, own: Mapping[str, Any]) -> StepText:
        """Return the text with its tuples and its mentions as a value for the checks."""
        return StepText(
            "",
            story,
            from_marks(groups_in(own, ANSWER)),
            mentions_from_marks(groups_in(own, COREFERENCE)),
            mentions_from_marks(groups_in(own, NON_COREFERENCE)),
        )

    def likeness(self, first: Group, second: Group) -> float:
        """Return the published score of two tuples. It does not depend on their order."""
        return likeness(first, second)

    def score(self, gold: Groups, given: Groups, own: Mapping[str, Any]) -> float:
        """Return the F1 of the tuples. Mentions of the same entity count as equal."""
        return score(gold, given, groups_in(own, COREFERENCE))

    def ordered(self, groups: Groups) -> Groups:
        """Return the groups in the order in which their entities occur in the text."""
        return by_entity(groups)


STEP_KIND: Final = StepKind()
