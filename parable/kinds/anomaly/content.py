"""The values of an answer: fragments with roles, and alternatives."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from parable.kinds.spans import Span

ROLES: Final = ("S1", "P1", "E1", "S2", "P2", "E2")
"""S is the entity, P its place or direction, E the event that ties them; in the order of a record."""
GROUPS: Final[Mapping[str, int]] = MappingProxyType({role: int(role[1]) for role in ROLES})
"""The statement that a role belongs to: two statements of an alternative contradict each other."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A span of the text and what it is in the scene."""

    role: str
    span: Span


@dataclass(frozen=True, slots=True)
class Alternative:
    """Fragments that together make the scene wrong.

    `type` is the one of SpaCE2022 (A bad collocation, B contradiction, C against common sense), else "".
    """

    fragments: tuple[Fragment, ...]
    type: str = ""


@dataclass(frozen=True, slots=True)
class AnomalyText:
    """A text with its answer; `context` is None in a file of answers alone, `alternatives` where withheld."""

    id: str
    context: str | None
    alternatives: tuple[Alternative, ...] | None
