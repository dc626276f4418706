"""Label Studio, tasks or its full JSON export (not JSON-MIN, where answers take the place of the data).

The `data` of a task are the columns, guessed or chosen like those of any table. HTML in them becomes plain
text; remarks report this, and name what is lost. A task without an id in its data has its Label Studio number
as id. A list of objects with `id` and `title`, `body` or `html`, as `List` displays it for `Ranker`, gives
the options of an item of ordering. Annotations and predictions are answers of people and models: choices,
ranks, ratings and taxonomies are counted, and never read as keys, not even ground truth; the logs say how
choices and ranks are read as answers. Of the flat exports (JSON-MIN, CSV) the table is read, in which an
answer may look like a key.

Spans of `Labels` whose labels are roles of a kind of items with marks are the answer of an item of that kind
(docs/kinds.md) if one person has annotated the text; spans of several people are counted like other answers.
Relations join the spans that belong together. Spans of `HyperText` and `Paragraphs` are not read.

Made by *Export*, *JSON* of a project in Label Studio. Tried with Label Studio 1.23.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from parable.formats.errors import ErrorCode, ErrorList, excerpt
from parable.formats.format import LOSABLE, Content, Format, Rows, Writer
from parable.formats.html_text import has_tags
from parable.formats.json_reader import read_json_values
from parable.formats.layout_names import KEY, STORY, WEAK, best_named
from parable.formats.marked_texts import (
    MarkedText,
    TextSpan,
    kind_of_labels,
    marked_rows,
    span_between,
)
from parable.formats.markup import MarkedTexts
from parable.formats.nested_rows import is_item
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile

_ANSWERS: Final = ("annotations", "completions", "predictions", "drafts")
_WORDS: Final = ("title", "body", "html")
_MARKS: Final = frozenset({*_ANSWERS, "total_annotations", "inner_id", "project", "meta"})


def _detect(file: SourceFile) -> bool:
    """Return whether the first value is a task: an object with `data` and any fields of Label Studio."""
    task = file.first_value if '"data"' in file.plain[:100_000] else None
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        return False
    return bool(_MARKS & {*task}) or {*task} <= {"id", "data"}


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    tasks = [*_tasks(file, errors)]
    given = [[spans_of(one.get("result")) for one in annotations_of(task)] for _row, task in tasks]
    marked = [[span for spans, _links in one for span in spans] for one in given]
    columns = [_column_of(spans, task["data"]) for (_row, task), spans in zip(tasks, marked, strict=True)]
    known = {*columns} - {""}
    texts: list[MarkedText] = []
    for (row, task), answers, found in zip(tasks, given, columns, strict=True):
        is_text = bool(known) and not is_item(task["data"])
        column = found or next((name for name in task["data"] if is_text and name in known), "")
        is_answer = bool(found) and len(answers) == 1
        count = sum(len(task[name]) for name in _ANSWERS if isinstance(task.get(name), list)) - is_answer
        if count:
            errors.remark(row, "answer", ErrorCode.ANSWERS_NOT_KEYS, count=count)
        values = _values(row, task, column, errors)
        if column:
            spans, links = answers[0] if is_answer else ([], [])
            texts.append(MarkedText(row, str(task["data"][column]), values, spans, links))
        else:
            yield row, values
    yield from marked_rows(texts, errors, (span.label for spans in marked for span in spans))


def annotations_of(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the annotations of a task that are not skipped."""
    found = task.get("annotations")
    given = found if isinstance(found, list) else ()
    return [one for one in given if isinstance(one, dict) and not one.get("was_cancelled")]


def _values(row: int, task: Mapping[str, Any], marked: str, errors: ErrorList) -> dict[str, object]:
    """Return the columns of a task, with HTML converted to plain text.

    The column `marked` is left out.
    """
    found: dict[str, object] = {}
    for name, value in ({"id": task.get("id")} | task["data"]).items():
        if value is None or name == marked:
            continue
        if name == "id":
            found[name] = str(value)
        elif isinstance(value, str) and has_tags(value):
            found[name] = _plain(row, name, value, errors)
        elif is_ranked(value) and "task" not in task["data"]:
            found |= {"choices": [_option(row, one, errors) for one in value], "task": "ordering"}
        else:
            found[name] = value
    if found.get("task") == "ordering" and not best_named([*found], KEY):
        found["answer"] = ""  # there is no key, and none must be guessed
    return found


def is_ranked(value: object) -> bool:
    """Return whether a value is a list to rank, as `List` displays it: objects with an id and a text."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(
            isinstance(one, dict) and "id" in one and len(one) > 1 and {*one} <= {"id", *_WORDS}
            for one in value
        )
    )


def _option(row: int, entry: Mapping[str, object], errors: ErrorList) -> str:
    html = entry.get("html")
    if isinstance(html, str) and html:
        return _plain(row, "choices", html, errors)
    return "\n".join(str(entry[name]) for name in _WORDS if entry.get(name))


def _plain(row: int, name: str, html: str, errors: ErrorList) -> str:
    errors.remark(row, excerpt(name), ErrorCode.HTML_AS_TEXT)
    return MarkedTexts(errors, row)(excerpt(name), html)


def spans_of(result: object) -> tuple[list[TextSpan], list[tuple[str, str]]]:
    """Return the spans that an annotation marks, and the pairs of span ids that its relations join."""
    spans: list[TextSpan] = []
    links: list[tuple[str, str]] = []
    for one in result if isinstance(result, list) else ():
        if not isinstance(one, dict):
            continue
        if one.get("type") == "relation":
            links.append((str(one.get("from_id", "")), str(one.get("to_id", ""))))
        value = one.get("value")
        labels = value.get("labels") if isinstance(value, dict) else None
        if isinstance(value, dict) and isinstance(labels, list) and type(value.get("start")) is int:
            words, name = str(value.get("text") or ""), str(one.get("id", ""))
            spans += [
                span_between(label, value["start"], value.get("end"), id=name, words=words)
                for label in labels
                if isinstance(label, str)
            ]
    return spans, links


def _column_of(spans: Sequence[TextSpan], data: Mapping[str, object]) -> str:
    """Return the column whose text contains the words of all spans; "" if the spans are not an answer.

    If no column contains them, return the likeliest story. Spans are not an answer if the data are an item
    with options, or if no label is a role.
    """
    if is_item(data) or kind_of_labels(span.label for span in spans) is None:
        return ""
    texts = {name: text for name, text in data.items() if isinstance(text, str) and name != "id"}
    likely = [*best_named([*texts], STORY), *best_named([*texts], WEAK), *texts]
    right = (name for name in likely if all(_spells(span, texts[name]) for span in spans))
    return next(right, likely[0] if likely else "")


def _spells(span: TextSpan, text: str) -> bool:
    start = span.positions[0] if span.positions else -1
    return bool(span.words) and start >= 0 and text.startswith(span.words, start)


def _tasks(file: SourceFile, errors: ErrorList) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for row, task in read_json_values(file.text, errors):
        if isinstance(task, dict) and isinstance(task.get("data"), dict):
            yield row, task
        else:
            errors.add(row, "data", ErrorCode.MISSING)


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    """Yield tasks to import, whose data are the stem, the options by letter, the story, the key and more."""
    before = "[\n"
    for item in items:
        right = [item.answer] if item.answer is not None else list(item.answers)
        data: dict[str, object] = {
            "id": item.id,
            "story_id": item.story_id,
            "title": item.title,
            "story": item.story,
            "question": item.question,
            **dict(zip(LETTERS, item.choices, strict=False)),
            "answer": ", ".join(LETTERS[place] for place in right),
            "explanation": item.explanation,
            "task": item.task,
            "split": item.split,
            "language": item.language,
        }
        task = {"data": {name: value for name, value in data.items() if value}}
        yield (before + json.dumps(task, ensure_ascii=False)).encode()
        before = ",\n"
    yield b"[]\n" if before == "[\n" else b"\n]\n"


FORMAT: Final = Format(
    code="label_studio",
    label="Label Studio tasks",
    label_zh="Label Studio 任务",
    contents=frozenset({Content.JSON}),
    detect=_detect,
    rows=_rows,
    writer=Writer(
        suffix=".label-studio.json",
        parts=_parts,
        kinds=lambda kind: kind.has_options and kind.has_keys,
        holds=frozenset(LOSABLE) - {"types", "style", "generators"},
    ),
)
