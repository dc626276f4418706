"""QTI 1.2, as Canvas and many other learning platforms export quizzes: a ZIP package or one XML file.

The kinds `multiple_choice_question`, `true_false_question` and `multiple_answers_question` are items. The
key is what sets the score to 100; conditions of feedback are passed over. A text without a question
(`text_only_question`) is the story of the questions after it. General feedback is the explanation. Letters
are by place alone. Questions of other kinds are named and left out; groups, points, settings of the quiz
and feedback to single answers are not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from xml.etree.ElementTree import Element

from parable.formats.errors import ErrorList, InputError
from parable.formats.format import Format, Rows, Values
from parable.formats.markup import MarkedTexts, Parts, parse_xml, remark_kind, root_name
from parable.formats.option_marks import LETTERS
from parable.formats.source_file import SourceFile

_ROOT: Final = "questestinterop"
_TEXT, _TRUE_FALSE, _SEVERAL = "text_only_question", "true_false_question", "multiple_answers_question"
_READ: Final = frozenset({"multiple_choice_question", _TRUE_FALSE, _SEVERAL, ""})
_MANIFEST: Final = "imsmanifest.xml"
_QUIZ: Final = re.compile(rb"<(?:[\w.-]+:)?questestinterop[\s>]")


def _detect(file: SourceFile) -> bool:
    if _MANIFEST not in file.parts:
        return root_name(file.plain) == _ROOT
    try:
        return any(_quizzes(file))
    except InputError:
        return False


def _quizzes(file: SourceFile) -> Sequence[bytes]:
    parts = Parts(file.raw)
    names = [name for name in parts if name.lower().endswith((".xml", ".xml.qti")) and name != _MANIFEST]
    return [text for name in names if _QUIZ.search((text := parts.read(name))[:4000])]


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    texts = _quizzes(file) if file.parts else [file.text]
    number = 0
    for text in texts:
        story = title = ""
        for item in parse_xml(text).iter("item"):
            number += 1
            kind, read = _kind(item), MarkedTexts(errors, number)
            if kind == _TEXT:
                story, title = _material(read, "story", item.find("presentation")), item.get("title", "")
            elif kind in _READ and (response := item.find("presentation//response_lid")) is not None:
                yield number, _item(item, response, kind, read, story=story, title=title)
            else:
                remark_kind(errors, number, kind)


def _kind(item: Element) -> str:
    fields = {one.findtext("fieldlabel"): one.findtext("fieldentry") for one in item.iter("qtimetadatafield")}
    return (
        (fields.get("question_type") or fields.get("cc_profile") or "").removeprefix("cc.").split(".v0p1")[0]
    )


def _item(
    item: Element, response: Element, kind: str, read: MarkedTexts, *, story: str, title: str
) -> Values:
    labels = list(response.iter("response_label"))
    right = _right(item)
    letters = {label.get("ident", ""): letter for label, letter in zip(labels, LETTERS, strict=False)}
    is_several = kind == _SEVERAL or response.get("rcardinality", "").lower() == "multiple"
    values: dict[str, object] = {
        "story": story or None,
        "title": title or None,
        "question": _material(read, "question", item.find("presentation")),
        "answer": ", ".join(letters[ident] for ident in letters if ident in right) or None,
        "explanation": _feedback(item, read) or None,
        "task": "true_false" if kind == _TRUE_FALSE else "multiple" if is_several else None,
    }
    for label, letter in zip(labels, LETTERS, strict=False):
        values[letter] = _material(read, letter, label)
    return {name: value for name, value in values.items() if value is not None}


def _right(item: Element) -> set[str]:
    """Return the identifiers of the options that the condition with the full score asks for."""
    best, found = 0.0, set[str]()
    for condition in item.iter("respcondition"):
        score = max((_number(one.text) for one in condition.iter("setvar")), default=0.0)
        if score > best:
            wrong = {one.text for part in condition.iter("not") for one in part.iter("varequal")}
            named = {one.text or "" for one in condition.iter("varequal")}
            best, found = score, {ident.strip() for ident in named - wrong}
    return found


def _number(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return 0.0


def _material(read: MarkedTexts, field: str, element: Element | None) -> str:
    """Return the text of the first material of an element, not of options that are in it."""
    if element is None:
        return ""
    own = [
        one
        for part in element
        if part.tag in ("material", "flow", "flow_mat")
        for one in part.iter("mattext")
    ]
    return "\n".join(
        read(field, one.text or "", is_html=one.get("texttype") == "text/html") for one in own
    ).strip()


def _feedback(item: Element, read: MarkedTexts) -> str:
    general = [one for one in item.iter("itemfeedback") if one.get("ident", "").startswith("general")]
    return "\n".join(read("explanation", text.text or "") for one in general for text in one.iter("mattext"))


FORMAT: Final = Format(
    code="canvas", label="QTI 1.2 (Canvas)", label_zh="QTI 1.2（Canvas）", detect=_detect, rows=_rows
)
