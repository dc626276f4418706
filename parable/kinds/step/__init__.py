"""Who is where, at what time, through what event: the tuples of subtask 2 of SpaCE2023."""

from parable.kinds.step.content import (
    ABSOLUTE_TIMES,
    DISTANCE,
    ENTITIES,
    ENTITY,
    FACTUALITY,
    LABELS,
    PLACES,
    REFERENCE,
    ROLES,
    TIME,
    Coreferences,
    Element,
    StepText,
    StepTuple,
)

__all__ = [
    "ABSOLUTE_TIMES",
    "DISTANCE",
    "ENTITIES",
    "ENTITY",
    "FACTUALITY",
    "LABELS",
    "PLACES",
    "REFERENCE",
    "ROLES",
    "TIME",
    "Coreferences",
    "Element",
    "StepText",
    "StepTuple",
]
