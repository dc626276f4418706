"""Reads people's labels of items by rules of item writing, one JSON object per line.

A line has `id`, `question`, `choices`, `answer_index` and `labels`, {rule: [0 or 1, ...]}: 1 if the item
breaks the rule. A rule that is absent was not judged; a rule whose labels of an item contradict each other is
left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from parable.formats import limits
from parable.formats.errors import ErrorCode, ErrorList, InputError
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.json_reader import read_json_rows
from parable.formats.records import ItemRecord, Reading, Row
from parable.formats.sources import decode, load
from parable.kinds import codes

TASK: Final = codes()[0]
"""The task given to labelled items; it has no effect, as labels concern stems and options only."""


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """An item, and for each rule whether people said that the item breaks it."""

    item: ItemRecord
    labels: Mapping[str, bool]


def read_labels(source: Path | bytes, *, name: str) -> Reading[LabelledItem]:
    """Read a file of labelled items; bad input gives errors in the reading, never an exception."""
    errors = ErrorList(name)
    rows: list[Row[LabelledItem]] = []
    try:
        for number, values in read_json_rows(
            decode(load(source, otherwise=ErrorCode.OTHER_THAN_LINES)), errors
        ):
            fields = RowFields(number, values, errors, rules=limits.ANYBODYS)
            found = LabelledItem(_item(fields), _labels(fields))
            if fields.sound:
                rows.append(Row(number, found))
    except InputError as refused:
        errors.refuse(refused)
    return Reading(name, "labels", tuple(rows), errors.in_order())


def _item(fields: RowFields) -> ItemRecord:
    choices = fields.options("choices")
    answer = fields.values.get("answer_index")
    if isinstance(answer, bool) or not isinstance(answer, int):
        fields.error("answer_index", ErrorCode.NOT_WHOLE_NUMBER, found=json_excerpt(answer))
        answer = None
    elif choices and not 0 <= answer < len(choices):
        fields.error("answer_index", ErrorCode.KEY_OUTSIDE, found=str(answer), count=len(choices))
    name = fields.identifier("id", required=True)
    question = fields.text("question", limits.MAX_STEM_CHARS, required=True)
    return ItemRecord(name, TASK, name, "", "", question, choices, answer)


def _labels(fields: RowFields) -> dict[str, bool]:
    given = fields.values.get("labels")
    if not isinstance(given, Mapping):
        fields.error("labels", ErrorCode.MISSING)
        return {}
    found: dict[str, bool] = {}
    for rule, values in given.items():
        if not isinstance(values, list) or not all(isinstance(one, int) and one in {0, 1} for one in values):
            fields.error(
                f"labels.{rule}", ErrorCode.UNKNOWN_VALUE, found=json_excerpt(values), allowed="0, 1"
            )
        elif len(set(values)) == 1:
            found[str(rule)] = bool(values[0])
    return found
