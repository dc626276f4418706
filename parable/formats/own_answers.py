"""Answers in a form of their kind's own: an object in the field `own`.

What is shown with the story, such as the second text of a pair, is in it as well and is never withheld.
"""

from collections.abc import Mapping
from typing import Any, Final

from parable.formats.errors import ErrorCode
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.records import ItemRecord, released
from parable.kinds import KINDS, kind_of

OWN: Final = "own"


def has_own_answer(task: str) -> bool:
    """Whether items of the task are answered in a form of their own; false where there is no such task."""
    return task in KINDS and KINDS[task].answer == OWN


def read_own_field(row: RowFields) -> Mapping[str, Any] | None:
    """The object of the field; None where it is absent."""
    value = row.values.get(OWN)
    if value is not None and not isinstance(value, dict):
        row.error(OWN, ErrorCode.NOT_AN_OBJECT, found=json_excerpt(value))
        return None
    return value


def own_fields(item: ItemRecord, *, withheld: bool = False) -> dict[str, object]:
    """The field, without the answer where that is withheld; names in one order, wherever it was kept."""
    shown = kind_of(item.task).question.asked_of(released(item)) if withheld else item.own or {}
    return {OWN: _in_order(shown)}


def _in_order(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return list(map(_in_order, value)) if isinstance(value, list | tuple) else value
