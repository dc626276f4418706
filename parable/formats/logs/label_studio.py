"""Label Studio: the annotations of its full JSON export, which people made of our items.

The id of an item is `id` in the data, or else the number of the task. The model is the annotator, by e-mail
or number; several annotations of one person are repeats. The answer is that of the control named `answer`, or
of the only control: the choices, joined by commas, the path of a taxonomy, a text, or a ranking as an order
of the list in the data. Spans whose labels are roles are marks. Skipped tasks, predictions and drafts are
left out. Ratings are not answers: `raters` reads the only rating, or the one named `rating`. The export is
one list, read a task at a time; a task has at most 4 MB.

Made by *Export*, *JSON* of a project in Label Studio. Tried with Label Studio 1.23.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from parable.formats.answer_log import AnswerLog, Answers
from parable.formats.errors import ErrorCode, InputError, excerpt
from parable.formats.foreign.label_studio import annotations_of, is_ranked, spans_of
from parable.formats.log_parts import log_elements
from parable.formats.marked_texts import marks_of

_ANSWER, _RATING = "answer", "rating"
_Said = str | list[int]


def _read(path: Path) -> Answers:
    seen: Counter[tuple[str, str]] = Counter()
    for row, task in enumerate(log_elements(path), start=1):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise InputError(ErrorCode.MISSING, field="data", row=row)
        item = str(task["data"].get("id") or task.get("id", ""))
        for annotation in annotations_of(task):
            person = annotation.get("completed_by")
            if isinstance(person, dict):
                person = person.get("email") or person.get("id")
            model = "" if person is None else str(person)
            seen[model, item] += 1
            yield (
                row,
                {
                    "model": model,
                    "item_id": item,
                    "repeat": seen[model, item],
                    **_answer(annotation.get("result"), task["data"], row),
                },
            )


def _answer(result: object, data: Mapping[str, Any], row: int) -> dict[str, object]:
    """Return the answer of one annotation, and its rating if any, as fields of a row."""
    said: dict[str, _Said] = {}
    ratings: dict[str, int] = {}
    for one in result if isinstance(result, list) else ():
        value = one.get("value") if isinstance(one, dict) else None
        if isinstance(value, dict) and type(value.get("rating")) is int:
            ratings[str(one.get("from_name", ""))] = value["rating"]
        if isinstance(value, dict) and (found := _said(value, data)):
            said[str(one.get("from_name", ""))] = found
    rating = ratings.get(_RATING, next(iter(ratings.values())) if len(ratings) == 1 else None)
    return _chosen(said, result, row) | ({} if rating is None else {"rating": rating})


def _chosen(said: Mapping[str, _Said], result: object, row: int) -> dict[str, object]:
    """Return the answer of an annotation as a field.

    It is that of the control named `answer`, or of the only control, or else the marks. Raise InputError if
    several controls have answers and none is named `answer`.
    """
    spans, links = spans_of(result)
    marks = marks_of(spans, links, row)
    if _ANSWER in said or (len(said) == 1 and marks is None):
        found = said.get(_ANSWER) or next(iter(said.values()))
        return {"text": found} if isinstance(found, str) else {"choice": found}
    if marks is not None:
        return {"choice": marks}
    if said:
        raise InputError(ErrorCode.WHICH_QUESTION, row=row, field="result", found=excerpt(", ".join(said)))
    return {"outcome": "failed"}


def _said(value: Mapping[str, Any], data: Mapping[str, Any]) -> _Said:
    """Return the value of a control as text; a ranking as positions in the list of the data.

    Return "" for other values.
    """
    for name in ("choices", "text"):
        if "labels" not in value and isinstance(value.get(name), list):
            return ", ".join(str(one) for one in value[name])
    if isinstance(value.get("taxonomy"), list):
        paths = (one for one in value["taxonomy"] if isinstance(one, list))
        return ", ".join(" > ".join(map(str, path)) for path in paths)
    if isinstance(value.get("ranker"), dict):
        return _order(value["ranker"], data)
    return ""


def _order(ranker: Mapping[str, Any], data: Mapping[str, Any]) -> _Said:
    """Return a ranking as positions in the list of the data, or as text if there are several buckets."""
    lists = {name: one for name, one in ranker.items() if isinstance(one, list) and one}
    known: list[Mapping[str, Any]] = next((one for one in data.values() if is_ranked(one)), [])
    places = {str(entry["id"]): at for at, entry in enumerate(known)}
    if len(lists) == 1:
        [ranked] = lists.values()
        if all(str(one) in places for one in ranked):
            return [places[str(one)] for one in ranked]
    return "; ".join(f"{name}: {', '.join(map(str, one))}" for name, one in lists.items())


LOG: Final = AnswerLog(
    code="label_studio",
    label="Label Studio (annotations)",
    detect=lambda _path, head: (
        head.lstrip()[:1] == b"[" and b'"completed_by"' in head and b'"annotations"' in head
    ),
    read=_read,
    has_ratings=True,
)
