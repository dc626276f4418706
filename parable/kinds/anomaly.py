"""Items that ask which fragments of a text make its scene impossible: subtask 1 of SpaCE2023.

An answer has one or more alternatives, each of which is sufficient: a set of fragments, with one role each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.kinds.averages import NOTHING, Score, score_of
from parable.kinds.base import AGREES_FROM, Kind
from parable.kinds.count import count_by_name, count_by_number, mean
from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import ANSWER, Group, Groups, Mark, mark_of
from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.kinds.spans import Span
from parable.kinds.written_marks import OCCURRENCE, MarksAnswer
from parable.sentences import gettext_noop as _

# Types of an answer: fragments with roles, and alternatives.

ROLES: Final = ("S1", "P1", "E1", "S2", "P2", "E2")
"""Roles in the order of a record: S is an entity, P its place or direction, E the event that relates them."""
BARE_ROLES: Final[Mapping[str, str]] = MappingProxyType({"S": "S1", "P": "P1", "E": "E1"})
"""Roles of records of SpaCE2022 with a single description, and what SpaCE2023 calls them."""
TEXT_ROLES: Final = ("text1", "text2")
"""Roles of records of SpaCE2022 for two pieces of text that do not go together."""
GROUPS: Final[Mapping[str, int]] = MappingProxyType({role: int(role[1]) for role in ROLES})
"""By role, the number (1 or 2) of its description: an anomaly may be two contradictory descriptions."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A span of the text and its role in the description of space (one of `ROLES`)."""

    role: str
    span: Span


@dataclass(frozen=True, slots=True)
class Alternative:
    """Fragments that together make the scene impossible.

    `type` is the type in SpaCE2022 (A bad collocation, B contradiction, C against common sense), else "".
    """

    fragments: tuple[Fragment, ...]
    type: str = ""


@dataclass(frozen=True, slots=True)
class AnomalyText:
    """A text with its answer.

    `context` is None in answer files, `alternatives` is None if withheld.
    """

    id: str
    context: str | None
    alternatives: tuple[Alternative, ...] | None


# Statistics of a set of anomalies: numbers of alternatives, fragments and roles.


@dataclass(frozen=True, slots=True)
class AnomalyCounts:
    """Counts of texts, alternatives and fragments; texts without an answer count as texts only.

    `by_alternatives` counts texts by their number of alternatives. `by_fragments` and `by_roles` count
    alternatives, by number of fragments and by sequence of roles, such as `S1 P1 E1`. `roles` counts
    fragments. Fragments `with_gaps` have positions that leave out characters; positions of `reordered`
    fragments do not ascend. `overlapping` counts alternatives in which two fragments share a character.
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
    """Return the counts of these texts, and the mean length of a text in characters."""
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
        by_roles=count_by_name(
            (" ".join(fragment.role for fragment in one.fragments) for one in alternatives), ()
        ),
        roles=count_by_name((fragment.role for fragment in fragments), ROLES),
        fragments=len(fragments),
        with_gaps=sum(bool(one) and max(one) - min(one) >= len(set(one)) for one in positions),
        reordered=sum(one != tuple(sorted(set(one))) for one in positions),
        overlapping=sum(map(_overlaps, alternatives)),
    )


def _overlaps(alternative: Alternative) -> bool:
    marked = [frozenset(fragment.span.positions) for fragment in alternative.fragments]
    return sum(map(len, marked)) > len(frozenset[int]().union(*marked))


# The published scorer of subtask 1: the best pair of a predicted and a right alternative counts.  The role
# measure (`strict`) compares fragments of equal role and ranks; the text measure (`loose`) compares all
# positions of both sides whatever their roles. The wording of a fragment is never read.

Measure = Callable[[Alternative, Alternative], Score]

STRICT: Final = "strict"
LOOSE: Final = "loose"


def score_item(gold: Sequence[Alternative], predicted: Sequence[Alternative], measure: Measure) -> Score:
    """Return the highest score by F1 of any predicted alternative against any gold alternative."""
    best = NOTHING
    for candidate in predicted:
        for alternative in gold:
            found = measure(alternative, candidate)
            if found.f1 > best.f1:
                best = found
    return best


def by_roles(gold: Alternative, predicted: Alternative) -> Score:
    """Return the score by comparing fragments of equal role.

    Fragments of other roles count as unmatched.
    """
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
    """Return the number of positions in fragments of `side` with roles that `other` lacks."""
    roles = {fragment.role for fragment in other.fragments}
    return sum(len(fragment.span.positions) for fragment in side.fragments if fragment.role not in roles)


def by_text(gold: Alternative, predicted: Alternative) -> Score:
    """Return the score, comparing the positions of all fragments together, whatever their roles."""
    marked, right = _positions(predicted), _positions(gold)
    return score_of(len(marked & right), len(marked), len(right))


def _positions(side: Alternative) -> frozenset[int]:
    return frozenset(position for fragment in side.fragments for position in fragment.span.positions)


MEASURES: Final[Mapping[str, Measure]] = MappingProxyType({STRICT: by_roles, LOOSE: by_text})
"""The measures by their published names; the first one is used for ranking."""


# Conversion of alternatives to groups of marks, and the agreement of two alternatives.

TYPE: Final = "type"
"""The role of the mark whose label is the type of an alternative; only SpaCE2022 has types."""


def to_marks(alternatives: Iterable[Alternative]) -> Groups:
    """Convert each alternative to a group of marks: its fragments in order, then its type."""
    groups: list[Group] = []
    for one in alternatives:
        marks = tuple(mark_of(fragment.role, fragment.span) for fragment in one.fragments)
        groups.append((*marks, Mark(TYPE, label=one.type)) if one.type else marks)
    return tuple(groups)


def from_marks(groups: Iterable[Sequence[Mark]]) -> tuple[Alternative, ...]:
    """Convert groups of marks to alternatives; the inverse of `to_marks`."""
    return tuple(map(_alternative, groups))


def _alternative(group: Sequence[Mark]) -> Alternative:
    fragments = (Fragment(mark.role, mark.span or Span("", ())) for mark in group if mark.role != TYPE)
    return Alternative(tuple(fragments), next((mark.label for mark in group if mark.role == TYPE), ""))


def likeness(first: Group, second: Group) -> float:
    """Return the F1 by role of two alternatives, given as groups of marks."""
    return by_roles(_alternative(first), _alternative(second)).f1


def score(gold: Groups, given: Groups) -> float:
    """Return the F1 of a whole answer, as the published scorer computes it for ranking."""
    return score_item(_numbered(gold), _numbered(given), by_roles).f1


def _numbered(groups: Groups) -> tuple[Alternative, ...]:
    """Return the alternatives with the roles of SpaCE2023, as prompts name them."""
    return from_marks(
        tuple(replace(mark, role=BARE_ROLES.get(mark.role, mark.role)) for mark in group) for group in groups
    )


ORDER: Final = (*ROLES, TYPE)
"""Roles in the order of forms and records, followed by the type."""


# The prompt that asks a model which words make a scene impossible.


class AnomalyQuestion(MarksAnswer):
    """Questions answered by alternatives, each of which consists of fragments by role."""

    layer: ClassVar[str] = ANSWER
    roles: ClassVar[tuple[str, ...]] = (*ROLES, *BARE_ROLES, *TEXT_ROLES)
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "下面的文本里，空间描述有不合理之处。请找出是哪些文字造成的。\n"
            "S 是实体，P 是处所或方向，E 是把两者联系起来的事件；如果是两处描述互相矛盾，第一处用"
            " S1、P1、E1，"
            "第二处用 S2、P2、E2，否则只用 S1、P1、E1。文本中没有的角色不写。\n"
            "只写一个 JSON 列表，每种能单独说明问题的标注是一个对象，例如"
            '[{"S1": "灯", "P1": "墙上", "E1": "挂"}]。片段照抄原文；不连续的片段用“…”隔开。'
            f"{OCCURRENCE['zh']}不要解释。\n\n"
            "文本：\n{story}\n\n答案：",
            "en": "Something in the spatial description of this text is wrong. Find the words that make it"
            " so.\n"
            "S is an entity, P its place or direction, E the event that ties them; where two descriptions"
            " contradict each other, the first has S1, P1, E1 and the second S2, P2, E2, else use"
            " S1, P1, E1 only."
            " Leave out what the text does not have.\n"
            "Give only a JSON list, with one object for each set of words that shows the problem by"
            " itself, such"
            ' as [{"S1": "the lamp", "P1": "on the wall", "E1": "hung"}]. Copy fragments from the'
            ' text; put "…"'
            f" between pieces that are apart. {OCCURRENCE['en']} No explanation.\n\n"
            "Text:\n{story}\n\nAnswer:",
        }
    )


ANOMALY_QUESTION: Final = AnomalyQuestion()


# Conversion of an item to a record of published files, and back.


def value(item: Released) -> AnomalyText:
    """Convert an item to a published record; `alternatives` is None if they are withheld."""
    groups = (item.get("own") or {}).get(ANSWER)
    return AnomalyText(item["id"], item["story"], None if groups is None else from_marks(read_groups(groups)))


def fields(record: AnomalyText) -> Mapping[str, Any]:
    """Convert a published record to the fields of an item."""
    groups = record.alternatives
    own = None if groups is None else {ANSWER: write_groups(to_marks(groups))}
    return {
        "id": record.id,
        "story_id": record.id,
        "story": record.context or "",
        "language": "zh",
        "own": own,
    }


ANOMALY_FILES: Final = Published(
    layouts=("space2023-1", "space2022-2"),
    file="task1_{split}.jsonl",
    value=value,
    fields=fields,
    count=anomaly_counts,
    figures=MappingProxyType(
        {
            "characters": _("characters in a text"),
            "alternatives": _("alternatives"),
            "by_alternatives": _("texts by alternatives"),
            "by_fragments": _("alternatives by fragments"),
            "by_roles": _("alternatives by roles"),
            "roles": _("fragments by role"),
            "with_gaps": _("fragments with a gap"),
            "overlapping": _("alternatives whose fragments overlap"),
        }
    ),
)


# The kind: items that ask which words make a scene impossible.


def score_answer(given: object, right: object) -> float:
    """Return the F1 of an answer in Parable's JSON, as the published scorer computes it for ranking."""
    groups = [read_groups(one.get(ANSWER)) if isinstance(one, Mapping) else () for one in (right, given)]
    return score(*groups)


ANOMALY: Final = Kind(
    code="anomaly_spans",
    name=_("spatial anomaly"),
    item_name=_("Anomaly item"),
    items_name=_("Anomaly items"),
    brief=_(
        "Mark the words that cannot be true of one scene: the entity, the place and the event that ties "
        "them; where two places of the text contradict each other, both. Another way to see it is another "
        "alternative."
    ),
    answer="own",
    own_question=ANOMALY_QUESTION,
    scorer=score_answer,
    agrees_from=AGREES_FROM,
    measure="f1",
    has_options=False,
    has_stem=False,
    published=ANOMALY_FILES,
    exposed_by_story=True,
    has_marks=True,
)
