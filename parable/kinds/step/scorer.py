"""The published scorer of subtask 2: tuples are matched one to one to the highest sum of their scores.

Where both texts of an element, or both tuples, are empty, the published scorer stops; here that scores 0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from parable.kinds.assignment import highest_sum
from parable.kinds.averages import NOTHING, Score, score_of
from parable.kinds.step.content import ENTITIES, TIME, Coreferences, Element, StepTuple

MOST_TUPLES: Final = 100
"""An item for which more tuples are predicted scores 0."""

Signs = frozenset[int] | frozenset[str]
"""What of a span is compared: its positions, or the characters of its wording."""
ByRole = Mapping[str, Sequence["_Part"]]


@dataclass(frozen=True, slots=True)
class _Part:
    """An element made ready: `wordings` has its signs, and those it has in the words of other mentions."""

    wordings: tuple[Signs, ...]
    label: str | None


def score_item(gold: Sequence[StepTuple], predicted: Sequence[StepTuple], corefs: Coreferences = ()) -> Score:
    """The score of one item's tuples."""
    if not gold or not 0 < len(predicted) <= MOST_TUPLES:
        return NOTHING
    groups = _groups(corefs)
    wanted = [_by_role(one.elements, groups) for one in gold]
    given = [_by_role(one.elements, {}) for one in predicted]
    table = np.array([[_score_pair(right, one) for one in given] for right in wanted])
    return score_of(highest_sum(table), len(predicted), len(gold))


def score_tuple(gold: StepTuple, predicted: StepTuple, corefs: Coreferences = ()) -> float:
    """How far a predicted tuple agrees with a right one, from 0 to 1."""
    return _score_pair(_by_role(gold.elements, _groups(corefs)), _by_role(predicted.elements, {}))


def _groups(corefs: Coreferences) -> dict[frozenset[int], list[frozenset[int]]]:
    """By a mention, the mentions of its group; a mention in two groups belongs to the first."""
    found: dict[frozenset[int], list[frozenset[int]]] = {}
    for group in corefs:
        mentions = [frozenset(span.positions) for span in group]
        for mention in mentions:
            found.setdefault(mention, mentions)
    return found


def _by_role(
    elements: Iterable[Element], groups: Mapping[frozenset[int], Sequence[frozenset[int]]]
) -> dict[str, list[_Part]]:
    found: dict[str, list[_Part]] = {}
    for one in elements:
        found.setdefault(one.role, []).append(_Part(_wordings(one, groups), one.label))
    return found


def _wordings(one: Element, groups: Mapping[frozenset[int], Sequence[frozenset[int]]]) -> tuple[Signs, ...]:
    if one.span is None:
        return ()
    if one.role not in ENTITIES:
        return (frozenset(one.span.text),)
    marked = frozenset(one.span.positions)
    meant = [(mention, group) for mention, group in groups.items() if mention <= marked]
    return marked, *{(marked - mention) | other for mention, group in meant for other in group}


def _score_pair(gold: ByRole, predicted: ByRole) -> float:
    """The mean over the roles of both sides; 0 where a predicted entity has nothing of the right one."""
    total = 0.0
    for role, wanted in gold.items():
        if role not in predicted:
            continue
        scores = [_score_part(role, right, one) for right in wanted for one in predicted[role]]
        if role in ENTITIES and not all(scores):
            return 0.0
        total += max(scores)
    roles = len(gold.keys() | predicted.keys())
    return total / roles if roles else 0.0


def _score_part(role: str, gold: _Part, predicted: _Part) -> float:
    parts = list(_parts(gold, predicted))
    if role == TIME:
        parts += [0.0] * _needless(gold, predicted)
    return sum(parts) / len(parts) if parts else 0.0


def _parts(gold: _Part, predicted: _Part) -> Iterator[float]:
    if gold.label is not None:
        yield float(gold.label == predicted.label)
    if gold.wordings:
        yield max(
            (_shared(wording, marked) for wording in gold.wordings for marked in predicted.wordings),
            default=0.0,
        )


def _needless(gold: _Part, predicted: _Part) -> int:
    """How many of label and fragment are predicted although the right time has none."""
    return (predicted.label is not None and gold.label is None) + bool(
        predicted.wordings and not gold.wordings
    )


def _shared(gold: Signs, predicted: Signs) -> float:
    """Intersection over union."""
    together = len(gold | predicted)
    return len(gold & predicted) / together if together else 0.0
