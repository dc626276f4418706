"""A kind that nobody has written: like any of `parable/kinds`, it imports only its neighbours there."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.kinds.anomaly import Alternative, AnomalyText, anomaly_counts, from_marks, to_marks
from parable.kinds.base import Kind
from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import ANSWER, Groups
from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.kinds.written_marks import MarksAnswer


class ThingsQuestion(MarksAnswer):
    """Every thing that a text names."""

    layer: ClassVar[str] = ANSWER
    roles: ClassVar[tuple[str, ...]] = ("T",)
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"en": 'Name the things: [{"T": "lamp"}].\n\nText:\n{story}\n\nAnswer:'}
    )


def characters(groups: Groups) -> set[int]:
    """The positions of all marks."""
    return {place for group in groups for mark in group for place in mark.positions}


def likeness(first: Groups, second: Groups) -> float:
    """The share of characters that two answers have in common."""
    one, other = characters(first), characters(second)
    return len(one & other) / (len(one | other) or 1)


def score_answer(given: Any, right: Any) -> float:
    """The same for answers in our own JSON."""
    read = [read_groups(one.get(ANSWER)) if isinstance(one, Mapping) else () for one in (given, right)]
    return likeness(*read)


def value(item: Released) -> AnomalyText:
    """A record in a layout that was published, of another kind."""
    groups = read_groups((item.get("own") or {}).get(ANSWER))
    found: tuple[Alternative, ...] | None = from_marks(groups) if item.get("own") else None
    return AnomalyText(item["id"], item["story"], found)


def fields(record: AnomalyText) -> Mapping[str, Any]:
    """The fields of an item that has this record."""
    groups = record.alternatives
    return {"id": record.id, "own": None if groups is None else {ANSWER: write_groups(to_marks(groups))}}


THINGS: Final = Kind(
    code="things",
    name="things",
    item_name="Things item",
    items_name="Things items",
    brief="Mark the things.",
    answer="own",
    own_question=ThingsQuestion(),
    scorer=score_answer,
    agrees_from=0.9,
    measure="overlap",
    has_options=False,
    has_stem=False,
    has_marks=True,
    published=Published(
        layouts=("space2023-1",),
        file="things_{split}.jsonl",
        value=value,
        fields=fields,
        count=anomaly_counts,
        figures={},
    ),
)
