"""The published scorer of subtask 1: the best pair of a predicted and a right alternative counts.

The role measure (`strict`) compares fragments of equal role and ranks; the text measure (`loose`) compares
all positions of both sides whatever their roles. The wording of a fragment is never read.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from parable.kinds.anomaly.content import Alternative
from parable.kinds.averages import NOTHING, Score, score_of

Measure = Callable[[Alternative, Alternative], Score]

STRICT: Final = "strict"
LOOSE: Final = "loose"


def score_item(gold: Sequence[Alternative], predicted: Sequence[Alternative], measure: Measure) -> Score:
    """The score of the pair with the highest F1; of equal pairs the first one."""
    best = NOTHING
    for candidate in predicted:
        for alternative in gold:
            found = measure(alternative, candidate)
            if found.f1 > best.f1:
                best = found
    return best


def by_roles(gold: Alternative, predicted: Alternative) -> Score:
    """Compare fragments of equal role, each with each; a role of one side alone counts with its length."""
    matched = given = wanted = 0
    for candidate in predicted.fragments:
        marked = frozenset(candidate.span.positions)
        for fragment in gold.fragments:
            if fragment.role == candidate.role:
                right = frozenset(fragment.span.positions)
                matched += len(marked & right)
                given += len(marked)
                wanted += len(right)
    given += _unpaired(predicted, gold)
    wanted += _unpaired(gold, predicted)
    return score_of(matched, given, wanted)


def _unpaired(side: Alternative, other: Alternative) -> int:
    """The positions in fragments whose role the other side lacks, repeats included."""
    roles = {fragment.role for fragment in other.fragments}
    return sum(len(fragment.span.positions) for fragment in side.fragments if fragment.role not in roles)


def by_text(gold: Alternative, predicted: Alternative) -> Score:
    """Compare the positions of all fragments together."""
    marked, right = _positions(predicted), _positions(gold)
    return score_of(len(marked & right), len(marked), len(right))


def _positions(side: Alternative) -> frozenset[int]:
    return frozenset(position for fragment in side.fragments for position in fragment.span.positions)


MEASURES: Final[Mapping[str, Measure]] = MappingProxyType({STRICT: by_roles, LOOSE: by_text})
"""The measures by their published names; the first one ranks."""
