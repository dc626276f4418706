"""What a set of tuples comes to: how many a text has, of which roles and labels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parable.kinds.count import count_by_name, count_by_number, mean
from parable.kinds.step.content import LABELS, ROLES, StepText


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Counts of texts, tuples and elements.

    `by_tuples` counts texts; `roles` counts elements, `labels` those with a label by role and label.
    """

    texts: int
    characters: float
    tuples: int
    by_tuples: Mapping[int, int]
    roles: Mapping[str, int]
    labels: Mapping[str, Mapping[str, int]]
    elements: int
    coreferences: int
    non_coreferences: int


def step_counts(texts: Iterable[StepText]) -> StepCounts:
    """Count a set."""
    found = list(texts)
    answered = [one.tuples for one in found if one.tuples is not None]
    elements = [element for tuples in answered for one in tuples for element in one.elements]
    labelled = [(one.role, one.label) for one in elements if one.label is not None]
    return StepCounts(
        texts=len(found),
        characters=mean([len(one.context) for one in found if one.context is not None]),
        tuples=sum(map(len, answered)),
        by_tuples=count_by_number(map(len, answered)),
        roles=count_by_name((one.role for one in elements), ROLES),
        labels={
            role: count_by_name((label for name, label in labelled if name == role), order)
            for role, order in LABELS.items()
        },
        elements=len(elements),
        coreferences=sum(len(one.corefs or ()) for one in found),
        non_coreferences=sum(len(one.non_corefs or ()) for one in found),
    )
