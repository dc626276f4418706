"""Task 3 of SpaCE2022: tuples of eighteen slots, which SpaCE2023 made into fifteen roles."""

from typing import Final

from parable.formats.errors import ErrorCode, InputError
from parable.formats.layouts import Layout, Written
from parable.formats.nodes import Node
from parable.formats.space import read_span, write_span
from parable.kinds.spans import Span
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

_WIDTH: Final = 18
_FRAGMENT_ROLES: Final = (*ROLES[:3], *PLACES)
_FRAGMENTS: Final = dict(zip(_FRAGMENT_ROLES, (0, 1, 2, *range(7, 16)), strict=True))
"""The slots of roles that are fragments alone."""
_FACTUALITY: Final = 3
_TIME_TEXT, _TIME_EVENT, _TIME_LABEL = 4, 5, 6
_DISTANCE_TEXT, _DISTANCE_LABEL = 16, 17
_LABELS: Final = frozenset({_FACTUALITY, _TIME_LABEL, _DISTANCE_LABEL})


def _read(row: Node) -> StepText:
    return StepText(
        id=row.member("qid").line(),
        context=row.member("context").text(),
        tuples=tuple(_tuple(one) for one in row.member("outputs").entries()),
        corefs=_mentions(row.member("corefs")),
        non_corefs=_mentions(row.member("non_corefs")),
    )


def _mentions(node: Node) -> Coreferences:
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
        "corefs": _write_mentions(one.corefs),
        "non_corefs": _write_mentions(one.non_corefs),
        "outputs": [_slots(each) for each in one.tuples or ()],
    }


def _write_mentions(groups: Coreferences | None) -> list[list[Written]]:
    return [list(map(write_span, group)) for group in groups or ()]


def _slots(one: StepTuple) -> list[object]:
    found: list[object] = [None] * _WIDTH
    for element in one.elements:
        if element.role == FACTUALITY:
            found[_FACTUALITY] = element.label
        elif element.role == TIME:
            found[_TIME_LABEL] = element.label
            found[_TIME_EVENT if element.label else _TIME_TEXT] = _span(element.span)
        elif element.role == DISTANCE:
            found[_DISTANCE_TEXT], found[_DISTANCE_LABEL] = _span(element.span), element.label
        else:
            found[_FRAGMENTS[element.role]] = _span(element.span)
    return found


def _span(span: Span | None) -> Written | None:
    return None if span is None else write_span(span)


SLOTS_2022: Final = Layout(
    "space2022-3", ("qid", "context", "corefs", "non_corefs", "outputs"), _read, _write
)
