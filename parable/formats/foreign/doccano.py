"""doccano, its export as JSONL or JSON: texts with labels, spans, or spans and relations.

`text` is the story; the other columns of the file imported into doccano are columns here, too. Labels are
answers of annotators: they are counted, and never read as keys. If no column has options, the labels that
occur in the file are the options of every text, with a remark; `--map stem:WORDS` gives the stem, and the
items have no keys. Comments are not read, nor is the CSV export, whose column `label` looks like a key. If
the imported file had a column `data`, doccano exports that column in place of the text.

Spans whose labels are roles of a kind of items with marks are the answer of an item of that kind
(docs/kinds.md), unless the data are items with options; relations join the spans that belong together.
Positions count code points, as in a project without *Count grapheme clusters as one character*: the file does
not say which words a span has. If the data have no id, the number of the example in doccano is the id.

Made by *Dataset*, *Actions*, *Export Dataset*, *JSONL* in doccano. Tried with doccano 1.8.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from parable.formats import limits
from parable.formats.errors import ErrorCode, ErrorList, listed
from parable.formats.format import Content, Format, Rows
from parable.formats.json_reader import read_json_values
from parable.formats.layout_names import STORY, best_named
from parable.formats.log_parts import as_list
from parable.formats.marked_texts import MarkedText, TextSpan, marked_rows, span_between
from parable.formats.nested_rows import is_item
from parable.formats.source_file import SourceFile

_COMMENTS: Final = "Comments"
_ANSWERS: Final = ("label", "labels", "cats", "entities", "relations")
_Record = Mapping[str, Any]


def _detect(file: SourceFile) -> bool:
    if '"text"' not in file.plain[:100_000]:
        return False
    first = file.first_value
    if not isinstance(first, dict) or not isinstance(first.get("text"), str):
        return False
    answers = [first[name] for name in _ANSWERS if isinstance(first.get(name), list)]
    is_marked = any(_span(one) is not None for answer in answers for one in answer)
    return bool(answers) and (isinstance(first.get(_COMMENTS), list) or is_marked)


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    records = [*_records(file, errors)]
    columns = [{name: value for name, value in one.items() if name != "text"} for _row, one in records]
    for values in columns:
        for name in (*_ANSWERS, _COMMENTS):
            if isinstance(values.get(name), list):
                del values[name]
    story = "text" if any(best_named([*values], STORY) for values in columns) else "story"
    spans = [[*_spans(one)] for _row, one in records]
    are_items = any(map(is_item, columns))
    if any(spans) and not are_items:
        texts = []
        for (row, one), values, marked in zip(records, columns, spans, strict=True):
            relations = [value for value in as_list(one.get("relations")) if isinstance(value, dict)]
            links = [(str(value.get("from_id", "")), str(value.get("to_id", ""))) for value in relations]
            texts.append(MarkedText(row, one["text"], values, marked, links))
        yield from marked_rows(texts, errors)
        return
    options = {} if are_items else _options(records, errors)
    for (row, one), values in zip(records, columns, strict=True):
        if answers := sum(len(one[name]) for name in _ANSWERS if isinstance(one.get(name), list)):
            errors.remark(row, "answer", ErrorCode.ANSWERS_NOT_KEYS, count=answers)
        yield row, {story: one["text"], **values, **options}


def _records(file: SourceFile, errors: ErrorList) -> Iterator[tuple[int, _Record]]:
    for row, value in read_json_values(file.text, errors):
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            yield row, value
        else:
            errors.add(row, "text", ErrorCode.MISSING)


def _options(records: list[tuple[int, _Record]], errors: ErrorList) -> dict[str, object]:
    """Return the labels of all texts as options; {} if there are fewer or more than an item may have."""
    found = sorted(
        {
            label
            for _row, one in records
            for name in _ANSWERS
            if isinstance(one.get(name), list)
            for label in one[name]
            if isinstance(label, str)
        }
    )
    if not limits.MIN_OPTIONS <= len(found) <= limits.MAX_OPTIONS:
        return {}
    errors.remark(1, "choices", ErrorCode.OPTIONS_FROM_LABELS, found=listed(found))
    return {"choices": found}


def _spans(record: _Record) -> Iterator[TextSpan]:
    for name in _ANSWERS:
        for value in record[name] if isinstance(record.get(name), list) else ():
            if (span := _span(value)) is not None:
                yield span


def _span(value: object) -> TextSpan | None:
    """Return the span of `[start, end, label]`, or of an object with these values.

    Return None for other values.
    """
    if isinstance(value, list) and len(value) == 3 and isinstance(value[2], str):
        return span_between(value[2], value[0], value[1])
    if isinstance(value, dict) and "start_offset" in value and isinstance(value.get("label"), str):
        name = str(value.get("id", ""))
        return span_between(value["label"], value["start_offset"], value.get("end_offset"), id=name)
    return None


FORMAT: Final = Format(
    code="doccano",
    label="doccano",
    label_zh="doccano",
    contents=frozenset({Content.JSON}),
    detect=_detect,
    rows=_rows,
)
