"""SurveyJS definitions: questions of one choice (`radiogroup`, `dropdown`, `boolean`) or more (`checkbox`).

The key is `correctAnswer`, a value of the choices; `A|text` is a value and its text. Text without a question
(`html`) is the story of the questions after it on its page. Questions of other kinds are named and left out;
conditions, validators and translations other than the default are not read. Results of a survey have values
and no texts: they are tables of answers.

Made by the *JSON Editor* of Survey Creator. Tried with definitions of our own, as survey-core 3.1.1 reads
them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from parable.formats.errors import ErrorList
from parable.formats.format import Content, Format, Rows
from parable.formats.json_reader import read_json_values
from parable.formats.markup import MarkedTexts, remark_kind
from parable.formats.option_marks import LETTERS
from parable.formats.source_file import SourceFile

_ONE: Final = frozenset({"radiogroup", "dropdown", "boolean"})
_SEVERAL: Final = frozenset({"checkbox", "tagbox"})
_PANELS: Final = frozenset({"panel", "paneldynamic"})


def _detect(file: SourceFile) -> bool:
    head = file.plain[:100_000]
    if head.lstrip()[:1] != "{" or not ('"elements"' in head or '"questions"' in head):
        return False
    first = file.first_value
    return isinstance(first, dict) and isinstance(first.get("pages", first.get("elements")), list)


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    row = 0
    for _line, survey in read_json_values(file.text, errors):
        if not isinstance(survey, dict):
            continue
        pages = survey.get("pages") or [survey]
        for page in pages if isinstance(pages, list) else ():
            story = ""
            for element in _elements(page):
                row += 1
                kind, texts = str(element.get("type", "")), MarkedTexts(errors, row)
                if kind in ("html", "expression"):
                    story = texts("story", _text(element.get("html")))
                elif kind in _ONE | _SEVERAL:
                    yield row, _item(element, kind, story)
                else:
                    remark_kind(errors, row, kind)


def _elements(page: object) -> Iterator[Mapping[str, Any]]:
    found = page.get("elements", page.get("questions", [])) if isinstance(page, dict) else []
    for element in found if isinstance(found, list) else ():
        if isinstance(element, dict) and str(element.get("type")) in _PANELS:
            yield from _elements(element)
        elif isinstance(element, dict):
            yield element


def _item(element: Mapping[str, Any], kind: str, story: str) -> Mapping[str, object]:
    choices = element.get("choices") or []
    if kind == "boolean":
        choices = [
            {"value": True, "text": element.get("labelTrue", "Yes")},
            {"value": False, "text": element.get("labelFalse", "No")},
        ]
    pairs = [_choice(one) for one in choices] if isinstance(choices, list) else []
    right = element.get("correctAnswer")
    wanted = {json.dumps(one) for one in (right if isinstance(right, list) else [right])}
    keys = [
        letter for letter, (value, _text) in zip(LETTERS, pairs, strict=False) if json.dumps(value) in wanted
    ]
    values: dict[str, object] = {
        "id": element.get("name"),
        "story": story or None,
        "question": _text(element.get("title")) or str(element.get("name", "")),
        "answer": ", ".join(keys) or None,
        "explanation": _text(element.get("description")) or None,
        "task": "multiple" if kind in _SEVERAL else None,
    }
    values |= {letter: text for letter, (_value, text) in zip(LETTERS, pairs, strict=False)}
    return {name: value for name, value in values.items() if value is not None}


def _choice(one: object) -> tuple[object, str]:
    """Return the value and the text of a choice."""
    if isinstance(one, dict):
        return one.get("value"), _text(one.get("text")) or str(one.get("value"))
    value, mark, text = str(one).partition("|")
    return (value, text) if mark else (one, str(one))


def _text(value: object) -> str:
    """Return a text.

    Of a translated text, return the default or else the first translation.
    """
    if isinstance(value, dict):
        value = value.get("default") or next(iter(value.values()), "")
    return value.strip() if isinstance(value, str) else ""


FORMAT: Final = Format(
    code="surveyjs",
    label="SurveyJS definition",
    label_zh="SurveyJS 问卷",
    contents=frozenset({Content.JSON}),
    detect=_detect,
    rows=_rows,
)
