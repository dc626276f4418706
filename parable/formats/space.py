"""The layouts of the published files of SpaCE2021 to SpaCE2024, Chinese tests of spatial understanding."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from parable.formats.errors import ErrorCode, InputError
from parable.formats.layouts import Layout, Written
from parable.formats.nodes import Node
from parable.kinds.anomaly import Alternative, AnomalyText, Fragment
from parable.kinds.scene import Judgement, ScenePair
from parable.kinds.spans import Span
from parable.kinds.spatial_question import SpatialQuestion
from parable.kinds.step import (
    DISTANCE,
    FACTUALITY,
    PLACES,
    ROLES,
    TIME,
    Coreferences,
    Element,
    StepText,
    StepTuple,
)

LETTERS: Final = ("A", "B", "C", "D")
_TRUTH: Final[Mapping[object, bool]] = MappingProxyType({True: True, False: False})


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text with the judgement whether it is sound.

    If `reason` is set, the judgement is whether the reason is right.
    """

    id: str
    context: str
    is_sound: bool
    reason: str | None = None


def _read_reasons(row: Node) -> AnomalyText:
    found = tuple(
        Alternative(_fragments(one.member("fragments")), one.member("type").line())
        for one in row.member("reasons").entries()
    )
    return AnomalyText(_id(row), row.member("context").text(), found)


def _write_reasons(one: AnomalyText) -> Written:
    reasons = [
        {"fragments": _write_fragments(reason), "type": reason.type} for reason in one.alternatives or ()
    ]
    return {"qid": one.id, "context": one.context, "reasons": reasons}


def _read_anomaly(row: Node) -> AnomalyText:
    results = row.optional("results")
    found = None if results is None else tuple(Alternative(_fragments(one)) for one in results.entries())
    return AnomalyText(_id(row), _optional_text(row, "context"), found)


def _write_anomaly(one: AnomalyText) -> Written:
    found = None if one.alternatives is None else [_write_fragments(each) for each in one.alternatives]
    return _present({"qid": one.id, "context": one.context, "results": found})


def _read_step(row: Node) -> StepText:
    results = row.optional("results")
    return StepText(
        id=_id(row),
        context=_optional_text(row, "context"),
        tuples=None if results is None else tuple(map(_step_tuple, results.entries())),
        corefs=_mentions(row, "corefs"),
        non_corefs=_mentions(row, "non_corefs"),
    )


def _write_step(one: StepText) -> Written:
    found = None
    if one.tuples is not None:
        found = [
            [
                _present({"role": each.role, "fragment": _write_optional(each.span), "label": each.label})
                for each in filled.elements
            ]
            for filled in one.tuples
        ]
    return _present(
        {
            "qid": one.id,
            "context": one.context,
            "corefs": _write_mentions(one.corefs),
            "non_corefs": _write_mentions(one.non_corefs),
            "results": found,
        }
    )


def _read_scene(row: Node) -> ScenePair:
    results = row.optional("results")
    judgements = None
    if results is not None:
        judgements = tuple(
            Judgement(
                one.member("judge").one_of({"true": True, "false": False}), _optional_text(one, "reason")
            )
            for one in results.entries()
        )
    return ScenePair(_id(row), _optional_text(row, "context1"), _optional_text(row, "context2"), judgements)


def _write_scene(one: ScenePair) -> Written:
    found = None
    if one.judgements is not None:
        found = [
            _present({"judge": "true" if each.is_same else "false", "reason": each.reason})
            for each in one.judgements
        ]
    return _present({"qid": one.id, "context1": one.first, "context2": one.second, "results": found})


def _read_question(row: Node) -> SpatialQuestion:
    options = row.member("option")
    return SpatialQuestion(
        id=_id(row),
        text=row.member("text").text(),
        question=row.member("question").text(),
        options=tuple(options.member(letter).text_or_number() for letter in LETTERS),
        answers=tuple(one.line() for one in row.member("answer").entries()),
    )


def _write_question(one: SpatialQuestion) -> Written:
    options = dict(zip(LETTERS, one.options, strict=True))
    return {
        "qid": one.id,
        "text": one.text,
        "question": one.question,
        "option": options,
        "answer": list(one.answers),
    }


def _id(row: Node, name: str = "qid") -> str:
    return row.member(name).line()


def _optional_text(row: Node, name: str) -> str | None:
    found = row.optional(name)
    return None if found is None else found.text()


def _fragments(node: Node) -> tuple[Fragment, ...]:
    return tuple(Fragment(one.member("role").line(), read_span(one)) for one in node.entries())


def _write_fragments(one: Alternative) -> list[Written]:
    return [{"role": each.role, **write_span(each.span)} for each in one.fragments]


def _step_tuple(node: Node) -> StepTuple:
    elements = []
    for one in node.entries():
        fragment, label = one.optional("fragment"), one.optional("label")
        elements.append(
            Element(
                one.member("role").line(),
                None if fragment is None else read_span(fragment),
                None if label is None else label.line(),
            )
        )
    return StepTuple(tuple(elements))


def _mentions(row: Node, name: str) -> Coreferences | None:
    groups = row.optional(name)
    return None if groups is None else tuple(tuple(map(read_span, one.entries())) for one in groups.entries())


def _write_mentions(groups: Coreferences | None) -> list[list[Written]] | None:
    return None if groups is None else [list(map(write_span, group)) for group in groups]


def read_span(node: Node) -> Span:
    """Return the span in a JSON object; its positions keep their order and repeats."""
    return Span(node.member("text").text(), node.member("idxes").whole_numbers())


def write_span(span: Span) -> Written:
    """Return a span as a JSON object."""
    return {"text": span.text, "idxes": list(span.positions)}


def _write_optional(span: Span | None) -> Written | None:
    return None if span is None else write_span(span)


def _present(members: Written) -> Written:
    return {name: value for name, value in members.items() if value is not None}


JUDGED_2021: Final[Layout[JudgedText]] = Layout(
    "space2021-1",
    ("qID", "context", "judge1"),
    lambda row: JudgedText(
        _id(row, "qID"), row.member("context").text(), row.member("judge1").one_of(_TRUTH)
    ),
    lambda one: {"qID": one.id, "context": one.context, "judge1": one.is_sound},
    is_list=True,
)
REASON_2021: Final[Layout[JudgedText]] = Layout(
    "space2021-2",
    ("qID", "context", "reason", "judge2"),
    lambda row: JudgedText(
        is_sound=row.member("judge2").one_of(_TRUTH),
        id=_id(row, "qID"),
        context=row.member("context").text(),
        reason=row.member("reason").text(),
    ),
    lambda one: {"qID": one.id, "context": one.context, "reason": one.reason, "judge2": one.is_sound},
    is_list=True,
)
JUDGED_2022: Final[Layout[JudgedText]] = Layout(
    "space2022-1",
    ("qid", "context", "judge"),
    lambda row: JudgedText(
        is_sound=row.member("judge").one_of({1: True, 0: False}),
        id=_id(row),
        context=row.member("context").text(),
    ),
    lambda one: {"qid": one.id, "context": one.context, "judge": int(one.is_sound)},
)
REASONS_2022: Final = Layout("space2022-2", ("qid", "context", "reasons"), _read_reasons, _write_reasons)
ANOMALY: Final = Layout(
    "space2023-1",
    ("qid", "context", "results"),
    _read_anomaly,
    _write_anomaly,
    optional=frozenset({"context", "results"}),
)
STEP: Final = Layout(
    "space2023-2",
    ("qid", "context", "corefs", "non_corefs", "results"),
    _read_step,
    _write_step,
    optional=frozenset({"context", "corefs", "non_corefs", "results"}),
)
SCENE: Final = Layout(
    "space2023-3",
    ("qid", "context1", "context2", "results"),
    _read_scene,
    _write_scene,
    optional=frozenset({"context1", "context2", "results"}),
)
QUESTION_2024: Final = Layout(
    "space2024", ("qid", "text", "question", "option", "answer"), _read_question, _write_question
)

# Task 3 of SpaCE2022: tuples of eighteen slots, which SpaCE2023 made into fifteen roles.

_WIDTH: Final = 18
_FRAGMENT_ROLES: Final = (*ROLES[:3], *PLACES)
_FRAGMENTS: Final = dict(zip(_FRAGMENT_ROLES, (0, 1, 2, *range(7, 16)), strict=True))
"""Slot numbers of the roles that are always filled by a fragment of the text."""
_FACTUALITY: Final = 3
_TIME_TEXT, _TIME_EVENT, _TIME_LABEL = 4, 5, 6
_DISTANCE_TEXT, _DISTANCE_LABEL = 16, 17
_LABELS: Final = frozenset({_FACTUALITY, _TIME_LABEL, _DISTANCE_LABEL})


def _read(row: Node) -> StepText:
    return StepText(
        id=row.member("qid").line(),
        context=row.member("context").text(),
        tuples=tuple(_tuple(one) for one in row.member("outputs").entries()),
        corefs=_element_list(row.member("corefs")),
        non_corefs=_element_list(row.member("non_corefs")),
    )


def _element_list(node: Node) -> Coreferences:
    return tuple(tuple(map(read_span, group.entries())) for group in node.entries())


def _tuple(node: Node) -> StepTuple:
    slots = node.entries()
    if len(slots) != _WIDTH or (slots[_TIME_TEXT].value and slots[_TIME_EVENT].value):
        raise InputError(ErrorCode.OUTSIDE_LAYOUT, field=node.place)
    spans = {n: read_span(one) for n, one in enumerate(slots) if one.value is not None and n not in _LABELS}
    labels = {n: slots[n].line() for n in _LABELS if slots[n].value is not None}
    time = spans.get(_TIME_TEXT, spans.get(_TIME_EVENT))
    found = {role: Element(role, spans.get(slot)) for role, slot in _FRAGMENTS.items()}
    found[FACTUALITY] = Element(FACTUALITY, label=labels.get(_FACTUALITY))
    found[TIME] = Element(TIME, time, labels.get(_TIME_LABEL))
    found[DISTANCE] = Element(DISTANCE, spans.get(_DISTANCE_TEXT), labels.get(_DISTANCE_LABEL))
    filled = (found[role] for role in ROLES)
    return StepTuple(tuple(one for one in filled if one.span is not None or one.label is not None))


def _write(one: StepText) -> Written:
    return {
        "qid": one.id,
        "context": one.context,
        "corefs": _write_element_list(one.corefs),
        "non_corefs": _write_element_list(one.non_corefs),
        "outputs": [_slots(each) for each in one.tuples or ()],
    }


def _write_element_list(groups: Coreferences | None) -> list[list[Written]]:
    return [list(map(write_span, group)) for group in groups or ()]


def _slots(one: StepTuple) -> list[object]:
    found: list[object] = [None] * _WIDTH
    for element in one.elements:
        if element.role == FACTUALITY:
            found[_FACTUALITY] = element.label
        elif element.role == TIME:
            found[_TIME_LABEL] = element.label
            found[_TIME_EVENT if element.label else _TIME_TEXT] = _write_optional(element.span)
        elif element.role == DISTANCE:
            found[_DISTANCE_TEXT], found[_DISTANCE_LABEL] = _write_optional(element.span), element.label
        else:
            found[_FRAGMENTS[element.role]] = _write_optional(element.span)
    return found


SLOTS_2022: Final = Layout(
    "space2022-3", ("qid", "context", "corefs", "non_corefs", "outputs"), _read, _write
)
