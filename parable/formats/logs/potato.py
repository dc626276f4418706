"""Potato: the annotations that `python -m potato.export --format jsonl` writes, one line per person and item.

The id of an item is that of the instance, the model the name of the person. The answer is that to the
question named `answer`, or to the only question: its label, or several labels joined by commas. If a line has
spans with the roles of a kind of items with marks, and no such label, the marks are the answer. A whole
number is a rating beside the answer, if only one question has one or the question is named `rating`: `raters`
reads these.

Made by `python -m potato.export --format jsonl`. Tried with potato-annotation 2.12.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from parable.formats.answer_log import AnswerLog
from parable.formats.errors import ErrorCode, InputError, excerpt
from parable.formats.log_parts import log_lines
from parable.formats.marked_texts import TextSpan, marks_of, span_between

_ANSWER, _RATING = "answer", "rating"
_NUMBER: Final = re.compile(r"[0-9]{1,2}")
_TICKS: Final = frozenset({"true", "on", "1"})


def _detect(_path: Path, head: bytes) -> bool:
    first = head.partition(b"\n")[0]
    return first.lstrip()[:1] == b"{" and all(
        b'"%s"' % name in first for name in (b"instance_id", b"user_id", b"labels")
    )


def _values(record: Mapping[str, Any], row: int) -> dict[str, object]:
    values: dict[str, object] = {
        "model": str(record.get("user_id", "")),
        "item_id": str(record.get("instance_id", "")),
    }
    labels = record.get("labels")
    answers = {
        name: text
        for name, given in (labels.items() if isinstance(labels, dict) else ())
        if (text := _said(given))
    }
    numbers = {name: text for name, text in answers.items() if _NUMBER.fullmatch(text)}
    if rating := numbers.get(_RATING) or (next(iter(numbers.values())) if len(numbers) == 1 else ""):
        values["rating"] = int(rating)
    if _ANSWER not in answers and len(answers) > 1:
        answers = {name: text for name, text in answers.items() if name not in numbers}
    marks = marks_of(_spans(record), row=row)
    if _ANSWER in answers or (len(answers) == 1 and marks is None):
        return values | {"text": answers.get(_ANSWER) or next(iter(answers.values()))}
    if marks is not None:
        return values | {"choice": marks}
    if answers:
        raise InputError(ErrorCode.WHICH_QUESTION, row=row, field="labels", found=excerpt(", ".join(answers)))
    return values | {"outcome": "failed"}


def _said(given: object) -> str:
    """Return a person's answer to a question as text: the ticked labels, or else the values of the fields."""
    if not isinstance(given, dict):
        return str(given) if isinstance(given, str | int | float) else ""
    said = (
        label if str(value).casefold() in _TICKS else str(value)
        for label, value in given.items()
        if isinstance(value, str | int | float)
    )
    return ", ".join(filter(None, said))


def _spans(record: Mapping[str, Any]) -> list[TextSpan]:
    held = record.get("spans")
    return [
        span_between(
            str(one.get("name", "")), one.get("start"), one.get("end"), words=str(one.get("text", ""))
        )
        for spans in (held.values() if isinstance(held, dict) else ())
        for one in (spans if isinstance(spans, list) else ())
        if isinstance(one, dict)
    ]


LOG: Final = AnswerLog(
    code="potato",
    label="Potato (annotations)",
    detect=_detect,
    read=lambda path: ((row, _values(record, row)) for row, record in log_lines(path)),
    has_ratings=True,
)
