"""Word documents (DOCX) as teachers write tests; they are read like the plain text of a test.

Letters and numbers of automatic lists are in `numbering.xml` and not in the text: they are computed as Word
displays them. The only option of a question that is highlighted, underlined, coloured or bold is its key,
with a remark. Deleted words are left out, inserted words are read; of words with a reading above them (ruby),
only the words are read. Cells of tables are read as paragraphs. Pictures, formulas, text boxes, headers and
footnotes are not read.

Made by *Save As*, *Word Document* in Word, or *Word 2010–365 Document* in LibreOffice. Tried with python-docx
1.2.0, and no Word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from parable.formats.errors import InputError
from parable.formats.exam_lines import Line, has_questions, read_exam
from parable.formats.format import Content, Format
from parable.formats.markup import Parts, parse_xml
from parable.formats.option_marks import LETTERS
from parable.formats.source_file import SourceFile

_DOCUMENT, _NUMBERING = "word/document.xml", "word/numbering.xml"
_LETTERS_FORMATS: Final = frozenset({"upperLetter", "lowerLetter"})
_NUMBER_FORMATS: Final = frozenset(
    [
        "decimal",
        "decimalFullWidth",
        "decimalHalfWidth",
        "decimalZero",
        "decimalEnclosedCircle",
        "decimalEnclosedFullstop",
        "decimalEnclosedParen",
        "chineseCounting",
        "chineseCountingThousand",
        "ideographDigital",
        "japaneseCounting",
    ]
)
_BLACK: Final = frozenset({"", "auto", "000000"})
_OFF: Final = frozenset({"0", "false", "off", "none"})
_SKIPPED: Final = frozenset({"del", "moveFrom", "rt", "pict", "drawing", "txbxContent", "footnoteReference"})


def _detect(file: SourceFile) -> bool:
    if _DOCUMENT not in file.parts:
        return False
    try:
        return has_questions(_lines(Parts(file.raw)))
    except InputError:
        return False


def _lines(parts: Parts) -> Iterator[Line]:
    labels = _Labels(parse_xml(parts.read(_NUMBERING)) if _NUMBERING in parts else None)
    for paragraph in parse_xml(parts.read(_DOCUMENT)).iter("p"):
        properties = paragraph.find("pPr")
        label = labels.next(None if properties is None else properties.find("numPr"))
        text: list[str] = []
        marks: list[frozenset[str]] = []
        _read(paragraph, text, marks)
        yield Line("".join(text), label, marks)
        yield Line("")  # an explanation is one paragraph


def _read(element: Element, text: list[str], marks: list[frozenset[str]]) -> None:
    for child in element:
        if child.tag in _SKIPPED or child.tag == "p":
            continue
        if child.tag != "r":
            _read(child, text, marks)
            continue
        marked = _marks(child.find("rPr"))
        for part in child:
            words = (
                part.text or ""
                if part.tag == "t"
                else {"tab": "\t", "br": "\n", "cr": "\n"}.get(part.tag, "")
            )
            if part.tag in ("ruby", "rubyBase"):
                _read(part, text, marks)
            text.extend(words)
            marks.extend([marked] * len(words))


def _marks(properties: Element | None) -> frozenset[str]:
    if properties is None:
        return frozenset()
    values = {one.tag: one.get("val", "") for one in properties}
    shade = properties.find("shd")
    is_shaded = shade is not None and shade.get("fill", "auto").lower() not in ("auto", "ffffff", "")
    return frozenset(
        name
        for name, is_on in {
            "highlight": values.get("highlight", "none") != "none" or is_shaded,
            "underline": values.get("u", "none") not in _OFF,
            "bold": "b" in values and values["b"] not in _OFF,
            "color": values.get("color", "") not in _BLACK,
        }.items()
        if is_on
    )


class _Labels:
    """Numbers automatic lists as Word does: each list by level, and a level restarts the levels below."""

    def __init__(self, numbering: Element | None) -> None:
        self._levels: dict[str, Mapping[int, tuple[str, int]]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._lists: dict[str, str] = {}
        if numbering is None:
            return
        abstract = {one.get("abstractNumId", ""): _levels(one) for one in numbering.iter("abstractNum")}
        for one in numbering.iter("num"):
            name, found = one.get("numId", ""), one.find("abstractNumId")
            of = "" if found is None else found.get("val", "")
            levels = dict(abstract.get(of, {}))
            restarts = False
            for override in one.iter("lvlOverride"):
                level, start = _whole(override.get("ilvl"), 0), override.find("startOverride")
                if start is not None and level in levels:
                    levels[level] = levels[level][0], _whole(start.get("val"), 1)
                    restarts = True
            self._levels[name] = levels
            self._lists[name] = name if restarts else of

    def next(self, properties: Element | None) -> str:
        """Return the label of the next paragraph with these properties: a letter, a number, or ""."""
        if properties is None:
            return ""
        values = {one.tag: one.get("val", "") for one in properties}
        name, level = values.get("numId", ""), _whole(values.get("ilvl"), 0)
        if level not in self._levels.get(name, {}):
            return ""
        kind, first = self._levels[name][level]
        counts = self._counts.setdefault(self._lists[name], {})
        counts[level] = counts.get(level, first - 1) + 1
        for lower in [one for one in counts if one > level]:
            del counts[lower]
        if kind in _LETTERS_FORMATS:
            return LETTERS[(counts[level] - 1) % len(LETTERS)]
        return str(counts[level]) if kind in _NUMBER_FORMATS else ""


def _whole(text: str | None, otherwise: int) -> int:
    """Return a text as a whole number of up to six digits; `otherwise` for any other text."""
    return int(text) if text and re.fullmatch(r"[0-9]{1,6}", text) else otherwise


def _levels(abstract: Element) -> Mapping[int, tuple[str, int]]:
    """Return the number format and the first number of each level of a list."""
    found: dict[int, tuple[str, int]] = {}
    for one in abstract.iter("lvl"):
        values = {part.tag: part.get("val", "") for part in one}
        found[_whole(one.get("ilvl"), 0)] = values.get("numFmt", "decimal"), _whole(values.get("start"), 1)
    return found


FORMAT: Final = Format(
    code="word",
    label="Word document (DOCX)",
    label_zh="Word 文档（DOCX）",
    contents=frozenset({Content.ARCHIVE}),
    detect=_detect,
    rows=lambda file, errors: read_exam(_lines(Parts(file.raw)), errors),
)
