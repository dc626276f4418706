"""Items that ask for tuples of entities, places, times and events: subtask 2 of SpaCE2023."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.kinds.assignment import highest_sum
from parable.kinds.averages import NOTHING, Score, score_of
from parable.kinds.base import AGREES_FROM, Kind
from parable.kinds.count import count_by_name, count_by_number, mean
from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import ANSWER, COREFERENCE, NON_COREFERENCE, Group, Groups, Mark, mark_of
from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.kinds.spans import Span
from parable.kinds.written_marks import OCCURRENCE, MarksAnswer
from parable.sentences import gettext_noop as _

# Types of an answer: elements with roles, tuples, and mentions of the same entity.

ENTITY: Final = "空间实体"
REFERENCE: Final = "参照实体"
EVENT: Final = "事件"
FACTUALITY: Final = "事实性"
TIME: Final = "时间"
DISTANCE: Final = "距离"

ENTITIES: Final = frozenset({ENTITY, REFERENCE})
"""Roles whose fragments are compared by position; another mention of the same entity is also right."""
PLACES: Final = ("处所", "起点", "终点", "方向", "朝向", "部件处所", "部位", "形状", "路径")
"""Roles for where something is or moves; a tuple with one of these has no distance."""
ROLES: Final = (ENTITY, REFERENCE, EVENT, FACTUALITY, TIME, *PLACES, DISTANCE)
"""The fifteen roles, in the order of a record."""

LABELS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        FACTUALITY: ("假",),
        TIME: ("说话时", "过去", "将来", "之时", "之前", "之后", "之间"),
        DISTANCE: ("远", "近", "变远", "变近"),
    }
)
"""Labels by role, for the roles that have labels."""
ABSOLUTE_TIMES: Final = frozenset(LABELS[TIME][:3])
"""Labels of times without a fragment; with any other time label, the fragment names an event."""


@dataclass(frozen=True, slots=True)
class Element:
    """The value of one role of a tuple: a span of the text, a label, or both."""

    role: str
    span: Span | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class StepTuple:
    """A statement about an entity: elements in the order of `ROLES`, with each role at most once."""

    elements: tuple[Element, ...]

    def get(self, role: str) -> Element | None:
        """Return the first element with a role; None if there is none."""
        return next((one for one in self.elements if one.role == role), None)


Coreferences = tuple[tuple[Span, ...], ...]
"""Sets of mentions that refer to the same entity."""


@dataclass(frozen=True, slots=True)
class StepText:
    """A text with its answer; fields that a file does not have are None.

    `corefs` are sets of mentions of the same entity; `non_corefs` are sets that only seem to be.
    """

    id: str
    context: str | None
    tuples: tuple[StepTuple, ...] | None
    corefs: Coreferences | None = None
    non_corefs: Coreferences | None = None


# Statistics of a set of tuples: numbers per text, by role and label.


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Counts of texts, tuples and elements.

    `by_tuples` counts texts by number of tuples; `roles` counts elements by role; `labels` counts elements
    with a label, by role and label.
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
    """Return the counts of these texts, and the mean length of a text in characters."""
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


# The published scorer of subtask 2: tuples are matched one to one to the highest sum of their scores.
# Where both texts of an element, or both tuples, are empty, the published scorer stops; here that scores 0.

MOST_TUPLES: Final = 100
"""The most predicted tuples of an item; an answer with more tuples scores 0."""

Signs = frozenset[int] | frozenset[str]
"""The part of a span that is compared: its positions, or the characters of its text."""
ByRole = Mapping[str, Sequence["_Part"]]


@dataclass(frozen=True, slots=True)
class _Part:
    """An element prepared for comparison: its label, and for each mention its positions or characters."""

    wordings: tuple[Signs, ...]
    label: str | None


def score_item(gold: Sequence[StepTuple], predicted: Sequence[StepTuple], corefs: Coreferences = ()) -> Score:
    """Return precision, recall and F1 of the predicted tuples of one item, as the published scorer does.

    Each predicted tuple is matched with at most one gold tuple, so that the sum of agreement is highest. The
    score is 0 if there are more than `MOST_TUPLES` predicted tuples.
    """
    if not gold or not 0 < len(predicted) <= MOST_TUPLES:
        return NOTHING
    groups = _groups(corefs)
    wanted = [_by_role(one.elements, groups) for one in gold]
    given = [_by_role(one.elements, {}) for one in predicted]
    table = [[_score_pair(right, one) for one in given] for right in wanted]
    return score_of(highest_sum(table), len(predicted), len(gold))


def score_tuple(gold: StepTuple, predicted: StepTuple, corefs: Coreferences = ()) -> float:
    """Return the agreement of a predicted tuple with a gold tuple, from 0 to 1."""
    return _score_pair(_by_role(gold.elements, _groups(corefs)), _by_role(predicted.elements, {}))


def _groups(corefs: Coreferences) -> dict[frozenset[int], list[frozenset[int]]]:
    """Map each mention to all mentions in its set; a mention in two sets belongs to the first."""
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
    """Return the mean score over the roles of both tuples.

    Return 0 if an entity that is in both tuples has the score 0.
    """
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
    parts: list[float] = []
    if gold.label is not None:
        parts.append(float(gold.label == predicted.label))
    if gold.wordings:
        similarities = [
            _shared(wording, marked) for wording in gold.wordings for marked in predicted.wordings
        ]
        parts.append(max(similarities, default=0.0))
    if role == TIME:  # a label or fragment that the gold time does not have is needless
        if predicted.label is not None and gold.label is None:
            parts.append(0.0)
        if predicted.wordings and not gold.wordings:
            parts.append(0.0)
    return sum(parts) / len(parts) if parts else 0.0


def _shared(gold: Signs, predicted: Signs) -> float:
    """Return the Jaccard similarity of two sets; 0 if both are empty."""
    together = len(gold | predicted)
    return len(gold & predicted) / together if together else 0.0


# Conversion of tuples to groups of marks, and the agreement of two tuples.


def to_marks(tuples: Iterable[StepTuple]) -> Groups:
    """Convert each tuple to a group of marks, with its elements in order."""
    return tuple(tuple(mark_of(one.role, one.span, one.label) for one in each.elements) for each in tuples)


def from_marks(groups: Iterable[Sequence[Mark]]) -> tuple[StepTuple, ...]:
    """Convert groups of marks to tuples; the inverse of `to_marks`."""
    return tuple(
        StepTuple(tuple(Element(mark.role, mark.span, mark.label or None) for mark in group))
        for group in groups
    )


def mentions_to_marks(sets: Coreferences | None) -> Groups:
    """Convert each set of mentions to a group of marks without role."""
    return tuple(tuple(mark_of("", span) for span in group) for group in sets or ())


def mentions_from_marks(groups: Iterable[Sequence[Mark]]) -> Coreferences:
    """Convert groups of marks to sets of mentions; the inverse of `mentions_to_marks`."""
    return tuple(tuple(mark.span or Span("", ()) for mark in group) for group in groups)


def likeness(first: Group, second: Group) -> float:
    """Return the agreement of two tuples: the mean of two scores, with either tuple as the gold tuple."""
    one, other = from_marks([first, second])
    return (score_tuple(one, other) + score_tuple(other, one)) / 2


def score(gold: Groups, given: Groups, corefs: Groups = ()) -> float:
    """Return the F1 of a whole answer, as the published scorer computes it for ranking."""
    return score_item(from_marks(gold), from_marks(given), mentions_from_marks(corefs)).f1


def by_entity(groups: Groups) -> Groups:
    """Sort groups by the positions of their entity, as in published records; the sort is stable."""
    return tuple(
        sorted(groups, key=lambda group: next((mark.positions for mark in group if mark.role == ENTITY), ()))
    )


# The prompt that asks a model which entity is where, at what time, through what event.


class StepQuestion(MarksAnswer):
    """Questions answered by tuples, which have a fragment, a label or both for each role."""

    layer: ClassVar[str] = ANSWER
    roles: ClassVar[tuple[str, ...]] = ROLES
    labels: ClassVar[Mapping[str, tuple[str, ...]]] = LABELS
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "请找出下面文本里的全部空间信息：什么实体，在什么时间，因为什么事件，处在什么空间关系中。\n"
            "角色有：空间实体、参照实体、事件、事实性、时间、处所、起点、终点、方向、朝向、部件处所、"
            "部位、形状、路径、距离。"
            "参照实体只和距离同用。事实性只写“假”，没有发生才写。时间单用时写说话时、过去或将来；"
            "与参照事件同用时写"
            '{"label": "之前", "text": "到家"}，label 是之时、之前、之后或之间。距离照抄原文，'
            "或写远、近、变远、变近。\n"
            "只写一个 JSON 列表，每条空间信息是一个对象，例如"
            '[{"空间实体": "猫", "事件": "睡", "时间": "说话时", "处所": "炉子边"}]。片段照抄原文；'
            f"不连续的片段用“…”隔开。{OCCURRENCE['zh']}"
            "不要解释。\n\n文本：\n{story}\n\n答案：",
            "en": "Find all spatial information in this text: which entity stands, at what time, through what"
            " event, in what spatial relation.\n"
            "The roles are 空间实体 (entity), 参照实体 (the other end of a distance), 事件 (event),"
            " 事实性 (only 假,"
            " where it does not hold), 时间 (time), 处所 (place), 起点 (origin), 终点 (destination),"
            " 方向 (direction of"
            " movement), 朝向 (what a side faces), 部件处所 (place of a part), 部位 (part), 形状"
            " (shape), 路径 (path),"
            " 距离 (distance). A time alone is 说话时 (now), 过去 (past) or 将来 (future); beside an"
            " event it is"
            ' {"label": "之前", "text": "came home"} with 之时, 之前, 之后 or 之间. A distance is'
            " copied, or 远, 近,"
            " 变远, 变近.\n"
            "Give only a JSON list with one object for each piece of information, such as"
            ' [{"空间实体": "the cat", "事件": "sleeps", "时间": "说话时", "处所": "by the stove"}].'
            " Copy fragments"
            ' from the text; put "…" between pieces that are apart.'
            f" {OCCURRENCE['en']} No explanation.\n\n"
            "Text:\n{story}\n\nAnswer:",
        }
    )


STEP_QUESTION: Final = StepQuestion()


# Conversion of an item to a record of published files, and back.


def value(item: Released) -> StepText:
    """Convert an item to a published record; tuples and mentions are None if withheld."""
    own = item.get("own")
    if not own:
        return StepText(item["id"], item["story"], None)
    mentions = (mentions_from_marks(read_groups(own.get(layer))) for layer in (COREFERENCE, NON_COREFERENCE))
    return StepText(item["id"], item["story"], from_marks(read_groups(own.get(ANSWER))), *mentions)


def fields(record: StepText) -> Mapping[str, Any]:
    """Convert a published record to the fields of an item."""
    found = {
        ANSWER: to_marks(record.tuples or ()),
        COREFERENCE: mentions_to_marks(record.corefs),
        NON_COREFERENCE: mentions_to_marks(record.non_corefs),
    }
    own = {layer: write_groups(groups) for layer, groups in found.items() if groups}
    kept = None if record.tuples is None else own
    return {
        "id": record.id,
        "story_id": record.id,
        "story": record.context or "",
        "language": "zh",
        "own": kept,
    }


STEP_FILES: Final = Published(
    layouts=("space2023-2", "space2022-3"),
    file="task2_{split}.jsonl",
    value=value,
    fields=fields,
    count=step_counts,
    figures=MappingProxyType(
        {
            "characters": _("characters in a text"),
            "tuples": _("tuples"),
            "by_tuples": _("texts by tuples"),
            "roles": _("elements by role"),
            "coreferences": _("sets of mentions of one entity"),
            "non_coreferences": _("sets of mentions that only look like one"),
        }
    ),
)


# The kind: items that ask for the tuples of a text about space.


def score_answer(given: object, right: object) -> float:
    """Return the F1 of an answer in Parable's JSON, as the published scorer computes it for ranking."""
    wanted: Mapping[str, Any] = right if isinstance(right, Mapping) else {}
    found: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    corefs = read_groups(wanted.get(COREFERENCE))
    return score(read_groups(wanted.get(ANSWER)), read_groups(found.get(ANSWER)), corefs)


STEP: Final = Kind(
    code="step_tuples",
    name=_("spatial tuples"),
    item_name=_("Spatial tuples item"),
    items_name=_("Spatial tuples items"),
    brief=_(
        "Make a tuple for each thing that the text says of a place, a movement, a direction or a distance, "
        "and mark its words by their roles. Then mark which words name the same entity."
    ),
    answer="own",
    own_question=STEP_QUESTION,
    scorer=score_answer,
    agrees_from=AGREES_FROM,
    measure="f1",
    has_options=False,
    has_stem=False,
    published=STEP_FILES,
    exposed_by_story=True,
    has_marks=True,
)
