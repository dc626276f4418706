"""The values of an answer: elements with roles, tuples, and mentions of the same entity."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from parable.kinds.spans import Span

ENTITY: Final = "空间实体"
REFERENCE: Final = "参照实体"
EVENT: Final = "事件"
FACTUALITY: Final = "事实性"
TIME: Final = "时间"
DISTANCE: Final = "距离"

ENTITIES: Final = frozenset({ENTITY, REFERENCE})
"""Roles whose fragments are compared by position, and may be replaced by another mention."""
PLACES: Final = ("处所", "起点", "终点", "方向", "朝向", "部件处所", "部位", "形状", "路径")
"""Where something is or moves; never beside a distance."""
ROLES: Final = (ENTITY, REFERENCE, EVENT, FACTUALITY, TIME, *PLACES, DISTANCE)
"""All fifteen, in the order of a record."""

LABELS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        FACTUALITY: ("假",),
        TIME: ("说话时", "过去", "将来", "之时", "之前", "之后", "之间"),
        DISTANCE: ("远", "近", "变远", "变近"),
    }
)
"""The labels of the roles that have any."""
ABSOLUTE_TIMES: Final = frozenset(LABELS[TIME][:3])
"""Labels of a time that stand alone; the others relate to the event in the fragment."""


@dataclass(frozen=True, slots=True)
class Element:
    """What fills one role of a tuple: a span of the text, a label, or both."""

    role: str
    span: Span | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class StepTuple:
    """One statement about an entity: elements in the order of `ROLES`, each role at most once."""

    elements: tuple[Element, ...]

    def get(self, role: str) -> Element | None:
        """The first element of a role."""
        return next((one for one in self.elements if one.role == role), None)


Coreferences = tuple[tuple[Span, ...], ...]
"""Sets of mentions, each of one and the same entity."""


@dataclass(frozen=True, slots=True)
class StepText:
    """A text with its answer; what a file does not say is None.

    `non_corefs` are mentions that look like the same entity and are not.
    """

    id: str
    context: str | None
    tuples: tuple[StepTuple, ...] | None
    corefs: Coreferences | None = None
    non_corefs: Coreferences | None = None
