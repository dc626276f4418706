"""QTI 1.2, as Canvas and many other learning platforms export quizzes: a ZIP package or one XML file.

The kinds `multiple_choice_question`, `true_false_question` and `multiple_answers_question` are items. The key
is given by the condition that sets the highest score; conditions for feedback are ignored. A text without a
question (`text_only_question`) is the story of the questions after it. General feedback is the explanation.
Options get letters by their position alone. Questions of other kinds are named and left out; groups, points,
settings of the quiz and feedback on single answers are not read.

Made by *Settings*, *Export Course Content*, *Quiz* in Canvas, or by text2qti. Tried with text2qti 0.8.0, and
no Canvas.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final
from xml.etree.ElementTree import Element

from parable.formats.errors import ErrorList, InputError
from parable.formats.format import Content, Format, Rows, Values, Writer
from parable.formats.markup import (
    MarkedTexts,
    Parts,
    as_html,
    parse_xml,
    remark_kind,
    remark_missing,
    root_name,
    score_of,
)
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile
from parable.formats.zip_parts import zip_parts

_TEXT, _TRUE_FALSE, _SEVERAL = "text_only_question", "true_false_question", "multiple_answers_question"
_READ: Final = frozenset({"multiple_choice_question", _TRUE_FALSE, _SEVERAL, ""})
_MANIFEST: Final = "imsmanifest.xml"
_QUIZ: Final = re.compile(rb"<(?:[\w.-]+:)?questestinterop[\s>]")


def _detect(file: SourceFile) -> bool:
    if _MANIFEST not in file.parts:
        return root_name(file.plain) == "questestinterop"
    try:
        return any(_quizzes(file))
    except InputError:
        return False


def _quizzes(file: SourceFile) -> Sequence[bytes]:
    parts = Parts(file.raw)
    names = [name for name in parts if name.lower().endswith((".xml", ".xml.qti")) and name != _MANIFEST]
    return [text for name in names if _QUIZ.search((text := parts.read(name))[:4000])]


def _missing(file: SourceFile) -> list[str]:
    """Return the files of quizzes that the manifest names and the package lacks."""
    try:
        resources = parse_xml(Parts(file.raw).read(_MANIFEST)).iter("resource")
    except InputError:
        return []  # the quizzes are found without it
    quizzes = [one for one in resources if one.get("type", "").startswith("imsqti_xmlv1p2")]
    named = (one.get("href", "") for quiz in quizzes for one in [quiz, *quiz.iter("file")])
    return [name for name in dict.fromkeys(named) if name and posixpath.normpath(name) not in file.parts]


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    texts = _quizzes(file) if file.parts else [file.text]
    for name in _missing(file) if file.parts else ():
        remark_missing(errors, 1, name, _MANIFEST)
    number = 0
    for text in texts:
        story = title = ""
        for item in parse_xml(text).iter("item"):
            number += 1
            fields = {
                one.findtext("fieldlabel"): one.findtext("fieldentry")
                for one in item.iter("qtimetadatafield")
            }
            named = fields.get("question_type") or fields.get("cc_profile") or ""
            kind, read = named.removeprefix("cc.").split(".v0p1")[0], MarkedTexts(errors, number)
            if kind == _TEXT:
                story, title = _material(read, "story", item.find("presentation")), item.get("title", "")
            elif kind in _READ and (response := item.find("presentation//response_lid")) is not None:
                yield number, _item(item, response, kind, read, story=story, title=title)
            else:
                remark_kind(errors, number, kind)


def _item(
    item: Element, response: Element, kind: str, read: MarkedTexts, *, story: str, title: str
) -> Values:
    labels = list(response.iter("response_label"))
    right = _right(item)
    letters = {label.get("ident", ""): letter for label, letter in zip(labels, LETTERS, strict=False)}
    is_several = kind == _SEVERAL or response.get("rcardinality", "").lower() == "multiple"
    general = [one for one in item.iter("itemfeedback") if one.get("ident", "").startswith("general")]
    explained = [text.text or "" for one in general for text in one.iter("mattext")]
    values: dict[str, object] = {
        "story": story or None,
        "title": title or None,
        "question": _material(read, "question", item.find("presentation")),
        "answer": ", ".join(letters[ident] for ident in letters if ident in right) or None,
        "explanation": "\n".join(read("explanation", text) for text in explained) or None,
        "task": "true_false" if kind == _TRUE_FALSE else "multiple" if is_several else None,
    }
    for label, letter in zip(labels, LETTERS, strict=False):
        values[letter] = _material(read, letter, label)
    return {name: value for name, value in values.items() if value is not None}


def _right(item: Element) -> set[str]:
    """Return the identifiers of the options that the condition with the highest score requires."""
    best, found = 0.0, set[str]()
    for condition in item.iter("respcondition"):
        score = max((score_of(one.text or "") for one in condition.iter("setvar")), default=0.0)
        if score > best:
            wrong = {one.text for part in condition.iter("not") for one in part.iter("varequal")}
            named = {one.text or "" for one in condition.iter("varequal")}
            best, found = score, {ident.strip() for ident in named - wrong}
    return found


def _material(read: MarkedTexts, field: str, element: Element | None) -> str:
    """Return the text of an element, without the texts of the options in it."""
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


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    """Yield a package with one quiz, in which each story is a text before its questions."""

    def quiz() -> Iterator[bytes]:
        yield _HEAD.encode()
        before = ("", "")
        for number, item in enumerate(items, start=1):
            if (item.story, item.title) != before:
                before = (item.story, item.title)
                yield _item_of(f"s{number}", item.title, _TEXT, _mattext(as_html(item.story)), "").encode()
            yield _question(f"q{number}", item).encode()
        yield b"</section></assessment></questestinterop>\n"

    return zip_parts([(_MANIFEST, [_WRITTEN_MANIFEST.encode()]), ("quiz/quiz.xml", quiz())])


def _question(ident: str, item: ItemRecord) -> str:
    right = {item.answer} if item.answer is not None else {*item.answers}
    is_several = item.answer is None
    kind = "multiple_choice_question"
    if is_several or item.task == "true_false":
        kind = _SEVERAL if is_several else _TRUE_FALSE
    labels = conditions = ""
    for place, (letter, choice) in enumerate(zip(LETTERS, item.choices, strict=False)):
        labels += f'<response_label ident="{letter}">{_mattext(as_html(choice))}</response_label>'
        equal = f'<varequal respident="response1">{letter}</varequal>'
        conditions += equal if place in right else f"<not>{equal}</not>" if is_several else ""
    presentation = (
        f'{_mattext(as_html(item.question))}<response_lid ident="response1"'
        f' rcardinality="{"Multiple" if is_several else "Single"}">'
        f"<render_choice>{labels}</render_choice></response_lid>"
    )
    rest = (
        "<resprocessing><outcomes>"
        '<decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>'
        '<respcondition continue="No"><conditionvar>'
        f"{f'<and>{conditions}</and>' if is_several else conditions}</conditionvar>"
        '<setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing>'
    )
    if item.explanation:
        why = _mattext(as_html(item.explanation))
        rest += f'<itemfeedback ident="general_fb"><flow_mat>{why}</flow_mat></itemfeedback>'
    return _item_of(ident, item.id, kind, presentation, rest)


def _item_of(ident: str, title: str, kind: str, presentation: str, rest: str) -> str:
    return (
        f'<item ident="{ident}" title="{escape(title)}"><itemmetadata><qtimetadata><qtimetadatafield>'
        f"<fieldlabel>question_type</fieldlabel><fieldentry>{kind}</fieldentry></qtimetadatafield>"
        f"</qtimetadata></itemmetadata><presentation>{presentation}</presentation>{rest}</item>\n"
    )


def _mattext(html: str) -> str:
    return f'<material><mattext texttype="text/html">{escape(html)}</mattext></material>'


_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">
<assessment ident="quiz" title="Parable"><section ident="root_section">
"""
_WRITTEN_MANIFEST: Final = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="parable" xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1">
<metadata><schema>IMS Content</schema><schemaversion>1.1.3</schemaversion></metadata>
<organizations/>
<resources>
<resource identifier="quiz" type="imsqti_xmlv1p2"><file href="quiz/quiz.xml"/></resource>
</resources>
</manifest>
"""

FORMAT: Final = Format(
    code="canvas",
    label="QTI 1.2 (Canvas)",
    label_zh="QTI 1.2（Canvas）",
    contents=frozenset({Content.ARCHIVE, Content.MARKUP}),
    detect=_detect,
    rows=_rows,
    writer=Writer(
        suffix=".canvas.zip",
        parts=_parts,
        kinds=lambda kind: kind.has_one_key or kind.has_several_keys,
        holds=frozenset({"title", "story", "explanation", "lines"}),
    ),
)
