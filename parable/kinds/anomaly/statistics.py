"""What a set of anomalies comes to: how many alternatives, of which fragments and roles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parable.kinds.anomaly.content import ROLES, Alternative, AnomalyText
from parable.kinds.count import count_by_name, count_by_number, mean


@dataclass(frozen=True, slots=True)
class AnomalyCounts:
    """Counts of texts, alternatives and fragments; texts without an answer are counted, and nothing else.

    `by_alternatives` counts texts, `by_fragments` and `by_roles` alternatives, the latter by their roles in a
    row such as `S1 P1 E1`; `roles` counts fragments. A fragment has gaps where its positions leave out
    characters, and is reordered where they do not ascend. `overlapping` counts alternatives of which two
    fragments share a character.
    """

    texts: int
    characters: float
    alternatives: int
    by_alternatives: Mapping[int, int]
    by_fragments: Mapping[int, int]
    by_roles: Mapping[str, int]
    roles: Mapping[str, int]
    fragments: int
    with_gaps: int
    reordered: int
    overlapping: int


def anomaly_counts(texts: Iterable[AnomalyText]) -> AnomalyCounts:
    """Count a set."""
    found = list(texts)
    answered = [one.alternatives for one in found if one.alternatives is not None]
    alternatives = [alternative for answer in answered for alternative in answer]
    fragments = [fragment for alternative in alternatives for fragment in alternative.fragments]
    positions = [fragment.span.positions for fragment in fragments]
    return AnomalyCounts(
        texts=len(found),
        characters=mean([len(one.context) for one in found if one.context is not None]),
        alternatives=len(alternatives),
        by_alternatives=count_by_number(map(len, answered)),
        by_fragments=count_by_number(len(one.fragments) for one in alternatives),
        by_roles=count_by_name(map(_roles, alternatives), ()),
        roles=count_by_name((fragment.role for fragment in fragments), ROLES),
        fragments=len(fragments),
        with_gaps=sum(map(_has_gaps, positions)),
        reordered=sum(one != tuple(sorted(set(one))) for one in positions),
        overlapping=sum(map(_overlaps, alternatives)),
    )


def _roles(alternative: Alternative) -> str:
    return " ".join(fragment.role for fragment in alternative.fragments)


def _has_gaps(positions: tuple[int, ...]) -> bool:
    marked = set(positions)
    return bool(marked) and max(marked) - min(marked) >= len(marked)


def _overlaps(alternative: Alternative) -> bool:
    marked = [frozenset(fragment.span.positions) for fragment in alternative.fragments]
    return sum(map(len, marked)) > len(frozenset[int]().union(*marked))
