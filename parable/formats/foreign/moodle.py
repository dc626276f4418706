"""Moodle XML, as the question bank of Moodle exports and imports it.

Questions of the kinds `multichoice` (one right answer or several) and `truefalse` are items; an answer is
right if its fraction is above 0. A `description` is the story of the questions after it. In files that
Parable writes, the story is part of the question's text, in an element of the class `story`. The general
feedback is the explanation, the `idnumber` the id. HTML becomes plain text; remarks name the pictures, sounds
and formulas that are lost. Questions of other kinds are named and left out. Categories, grades, penalties,
hints and feedback on single answers are not read.

Made by *Question bank*, *Export*, *Moodle XML format* in Moodle. Tried with moodlexport 0.0.32, and no
Moodle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final
from xml.etree.ElementTree import Element

from parable.formats.errors import ErrorList
from parable.formats.format import Content, Format, Rows, Values, Writer
from parable.formats.markup import MarkedTexts, as_html, parse_xml, remark_kind, root_name, score_of
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile

_MULTIPLE, _TRUE_FALSE, _DESCRIPTION, _CATEGORY = "multichoice", "truefalse", "description", "category"
_YES: Final = frozenset({"true", "1", "yes"})
_STORY: Final = '<div class="story">'


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    story = title = ""
    for number, question in enumerate(parse_xml(file.text).iter("question"), start=1):
        kind, texts = question.get("type", ""), MarkedTexts(errors, number)
        if kind == _DESCRIPTION:
            story = _text(texts, question, "questiontext", "story")
            title = (question.findtext("name/text") or "").strip()
        elif kind in (_MULTIPLE, _TRUE_FALSE):
            yield number, _item(question, kind, texts, story=story, title=title)
        elif kind != _CATEGORY:
            remark_kind(errors, number, kind)


def _item(question: Element, kind: str, texts: MarkedTexts, *, story: str, title: str) -> Values:
    answers = question.findall("answer")
    right = [
        letter
        for letter, one in zip(LETTERS, answers, strict=False)
        if score_of(one.get("fraction", "0")) > 0
    ]
    html = question.findtext("questiontext/text") or ""
    before, mark, after = html.partition(_STORY)
    if mark:
        own, _end, stem = after.partition("</div>")
        story, html = texts("story", own), before + stem
    is_single = (question.findtext("single") or "true").strip().lower() in _YES
    values: dict[str, object] = {
        "id": (question.findtext("idnumber") or "").strip() or None,
        "story": story or None,
        "title": title or None,
        "question": texts("question", html, is_html=_is_html(question.find("questiontext"))),
        "answer": ", ".join(right) if right else None,
        "explanation": _text(texts, question, "generalfeedback", "explanation") or None,
        "task": "true_false" if kind == _TRUE_FALSE else None if is_single else "multiple",
    }
    for letter, answer in zip(LETTERS, answers, strict=False):
        words = texts(letter, answer.findtext("text") or "", is_html=_is_html(answer))
        values[letter] = words.capitalize() if kind == _TRUE_FALSE else words
    return {name: value for name, value in values.items() if value is not None}


def _is_html(element: Element | None) -> bool:
    return element is None or element.get("format", "html") in ("html", "moodle_auto_format", "")


def _text(texts: MarkedTexts, question: Element, name: str, field: str) -> str:
    found = question.find(name)
    return "" if found is None else texts(field, found.findtext("text") or "", is_html=_is_html(found))


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    """Yield a quiz with one question per item; the question's text includes the story."""
    yield b"<?xml version='1.0' encoding='UTF-8'?>\n<quiz>\n"
    for item in items:
        yield "".join(f"{line}\n" for line in _question(item)).encode()
    yield b"</quiz>\n"


def _question(item: ItemRecord) -> Iterator[str]:
    right = {item.answer} if item.answer is not None else {*item.answers}
    kind = _TRUE_FALSE if item.task == "true_false" else _MULTIPLE
    story = f"{_STORY}{as_html(item.story)}</div>" if item.story else ""
    name = " ".join((item.title or item.question[:80]).split())
    yield f'<question type="{kind}">'
    yield f"<name><text>{escape(name)}</text></name>"
    yield f'<questiontext format="html">{_cdata(story + as_html(item.question))}</questiontext>'
    yield f'<generalfeedback format="html">{_cdata(as_html(item.explanation or ""))}</generalfeedback>'
    yield f"<idnumber>{escape(item.id)}</idnumber>"
    if kind == _MULTIPLE:
        yield f"<single>{'false' if item.answers else 'true'}</single>"
        yield "<shuffleanswers>0</shuffleanswers><answernumbering>ABCD</answernumbering>"
    for index, choice in enumerate(item.choices):
        fraction = 100 / len(right) if index in right else 0
        text = as_html(choice if kind == _MULTIPLE else ("true", "false")[index])
        yield f'<answer fraction="{fraction:.7g}" format="html">{_cdata(text)}</answer>'
    yield "</question>"


def _cdata(html: str) -> str:
    return f"<text><![CDATA[{html.replace(']]>', ']]&gt;')}]]></text>"


FORMAT: Final = Format(
    code="moodle",
    label="Moodle XML",
    label_zh="Moodle XML",
    contents=frozenset({Content.MARKUP}),
    detect=lambda file: root_name(file.plain) == "quiz" and "<question" in file.plain[:100_000],
    rows=_rows,
    writer=Writer(
        suffix=".xml",
        parts=_parts,
        kinds=lambda kind: kind.has_one_key or kind.has_several_keys,
        holds=frozenset({"id", "story", "explanation", "lines"}),
    ),
)
