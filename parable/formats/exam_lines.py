"""Reads tests as teachers type them: stories, numbered stems, lettered options, and lines with the answers.

One parser serves Word documents and plain texts. A line is one paragraph. Its letter or number may be typed
in the text ("A.", "B、", "（C）", "3.") or come from the automatic list of a word processor. Options may
share a line. The key is an answer line ("Answer: B", "答案：B"), a letter in the brackets of a Chinese stem
("（ B ）"), a list of answers at the end ("1. B 2. C", "1-5 BCADB"), or the one option with special
formatting.
"""

# Names tasks: a question with several answers, as its answers say.

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from parable.formats.errors import ErrorCode, ErrorList, excerpt
from parable.formats.option_marks import LETTERS

MARKS: Final = ("highlight", "underline", "color", "bold")
"""Formatting that may mark an option as the key, the most reliable first."""

_OPTION: Final = re.compile(r"[(（]?([A-ZＡ-Ｚ])\s*[)）.．、:：]\s*")
_NEXT: Final = re.compile(r"(?<=[\s\u3000;；])[(（]?([B-ZＢ-Ｚ])\s*[)）.．、:：]\s*")
_FIRST_INSIDE: Final = re.compile(r"(?<=[\s\u3000?？。:：)）])[(（]?[AＡ]\s*[)）.．、:：]\s*\S")
_NUMBER: Final = re.compile(r"[(（【]?(\d{1,4})\s*[)）】.．、]\s*(?=\S)(?!\d)")
_ANSWER: Final = re.compile(
    r"[【\[(（]?(?:正确答案|参考答案|标准答案|答案|(?:correct )?answer|key)[】\])）]?\s*[:：]?\s*"
    r"[(（]?([A-ZＡ-Ｚ](?:[\s,，、]*[A-ZＡ-Ｚ])*)[)）]?\s*[.。]?",
    re.IGNORECASE,
)
_EXPLANATION: Final = re.compile(
    r"[【\[]?(?:答案解析|解析|解释|explanation|rationale|feedback)[】\]]?\s*[:：]\s*(.*)|【(?:答案)?解析】\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_HEADING: Final = re.compile(
    r"[【\[]?(?:参考答案|答案|answers?|answer key)[】\]]?\s*[:：]?\s*", re.IGNORECASE
)
_PAIR: Final = re.compile(r"(\d{1,4})\s*[.．、:：)）]?\s*([A-ZＡ-Ｚ]{1,8})(?![A-Za-z])")
_RUN: Final = re.compile(r"(\d{1,4})\s*[-–~～至]\s*(\d{1,4})\s*[.．、:：]?\s*([A-ZＡ-Ｚ\s]+)")
_IN_STEM: Final = re.compile(r"[(（]\s*([A-ZＡ-Ｚ]{1,8})\s*[)）]")
_FULL_WIDTH: Final = {ord("Ａ") + place: letter for place, letter in enumerate(LETTERS)}
_LONGEST_TITLE: Final = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph: its text, its label in an automatic list ("A", "1" or ""), its characters' formatting."""

    text: str
    label: str = ""
    marks: Sequence[frozenset[str]] = ()


@dataclass(slots=True)
class _Item:
    number: str = ""
    stem: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    marked: list[frozenset[str]] = field(default_factory=list)
    answer: str = ""
    explanation: list[str] = field(default_factory=list)
    story: str = ""
    title: str = ""

    def add(self, options: Sequence[tuple[str, str, frozenset[str]]]) -> None:
        """Add options to the item, each given as letter, text and formatting."""
        self.options += [words for _letter, words, _marks in options]
        self.marked += [marks for _letter, _words, marks in options]


class _Exam:
    """Builds the items of a test from its lines.

    `_take_answers`, `_take_answer`, `_take_options` and `_take_stem` return False if the line is of another
    kind.
    """

    def __init__(self) -> None:
        self.items: list[_Item] = []
        self.answers: dict[str, str] = {}
        self.pending: list[str] = []
        self._item: _Item | None = None
        self._story = self._title = ""
        self._explains = self._lists_answers = False

    def take(self, line: Line) -> None:
        """Process a line; an empty line ends an explanation."""
        text = line.text.strip()
        if not text:
            self._explains = False
        elif not (
            self._take_answers(text)
            or self._take_answer(text)
            or self._take_options(line)
            or self._take_stem(line, text)
        ):
            self._take_text(text)

    def _take_answers(self, text: str) -> bool:
        """Read a line of the list of answers, or its heading; return False for any other line."""
        heading = _HEADING.match(text)
        answers = _answers_in(text[heading.end() :] if heading else text)
        if answers and (heading or self._lists_answers or (self.items and len(answers) > 1)):
            self.answers |= answers
            self._lists_answers = True
            return True
        if heading and heading.end() == len(text) and self.items:
            self._lists_answers = True
            return True
        return False

    def _take_answer(self, text: str) -> bool:
        """Read the answer or the explanation below an item's options; return False for any other line."""
        if self._item is None or not self._item.options:
            return False
        if found := _ANSWER.fullmatch(text):
            self._item.answer, self._explains = found[1], False
            return True
        if found := _EXPLANATION.fullmatch(text):
            self._item.explanation, self._explains = [found[1] or found[2] or ""], True
            return True
        return False

    def _take_options(self, line: Line) -> bool:
        """Read the options in a line; return False if it has none.

        The options belong to the current item, or to a new item whose stem is the text before them.
        """
        count = len(self._item.options) if self._item else 0
        wanted = LETTERS[count : count + 1] or "A"
        options = _options(line, wanted) or _options(line, "A")
        if not options:
            return False
        if options[0][0] == "A" and (self._item is None or self._item.options):
            if len(self.pending) > 1:
                self._story, self._title = _story(self.pending[:-1])
            self._begin("", self.pending[-1:])
        if self._item is not None:
            self._item.add(options)
        self._explains = False
        return self._item is not None

    def _take_stem(self, line: Line, text: str) -> bool:
        """Read a numbered stem and any options on its line; return False if the line has no number."""
        number = line.label if line.label.isdigit() else ""
        if not number and (found := _NUMBER.match(text)):
            number, text = found[1], text[found.end() :]
        if not number:
            return False
        if self.pending:
            self._story, self._title = _story(self.pending)
        inside = _FIRST_INSIDE.search(text)
        options = _options(Line(text[inside.start() :]), "A") if inside else []
        if inside and len(options) > 1:
            text = text[: inside.start()].rstrip()
        self._begin(number, [text]).add(options if len(options) > 1 else [])
        return True

    def _take_text(self, text: str) -> None:
        """Add a paragraph to the current stem or explanation, or else to the next story."""
        if self._item and not self._item.options:
            self._item.stem.append(text)
        elif self._item and self._explains:
            self._item.explanation.append(text)
        else:
            self.pending.append(text)
            self._item, self._lists_answers = None, False

    def _begin(self, number: str, stem: list[str]) -> _Item:
        self._item = _Item(number=number, stem=stem, story=self._story, title=self._title)
        self.items.append(self._item)
        self.pending, self._explains = [], False
        return self._item


def has_questions(lines: Iterable[Line]) -> bool:
    """Return whether an option A is followed by an option B anywhere in the lines."""
    before = ""
    for line in lines:
        found = [letter for letter, _text, _marks in _options(line, "A" if before != "A" else "B")]
        if found[:2] == ["A", "B"] or (before == "A" and found[:1] == ["B"]):
            return True
        if line.text.strip():
            before = found[-1] if found else ""
    return False


def read_exam(lines: Iterable[Line], errors: ErrorList) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the number and the values by field of each item of a test, in order.

    Numbers begin at 1.
    """
    exam = _Exam()
    for line in lines:
        exam.take(line)
    items = [item for item in exam.items if len(item.options) > 1]
    for item in exam.items:
        if len(item.options) <= 1:
            lost = excerpt(" ".join(item.stem))
            errors.remark(len(items) or 1, "question", ErrorCode.TEXT_NOT_READ, found=lost)
    if exam.pending:
        errors.remark(len(items) or 1, "story", ErrorCode.TEXT_NOT_READ, found=excerpt(exam.pending[0]))
    numbers = Counter(item.number for item in items)
    for row, item in enumerate(items, start=1):
        stem = "\n".join(item.stem)
        key = item.answer or (exam.answers.get(item.number, "") if numbers[item.number] == 1 else "")
        inside = _IN_STEM.findall(stem)
        if len(inside) == 1 and _letters(inside[0]) <= {*LETTERS[: len(item.options)]}:
            key = key or inside[0]
            stem = _IN_STEM.sub("（　）", stem)
        if not key:
            key = _by_marks(item, row, errors)
        letters = sorted(_letters(key))
        values = {
            "title": item.title or None,
            "story": item.story or None,
            "question": stem,
            "answer": ", ".join(letters) or None,
            "task": "multiple" if len(letters) > 1 else None,
            "explanation": "\n".join(item.explanation).strip() or None,
        }
        options = dict(zip(LETTERS, item.options, strict=False))
        yield row, {name: value for name, value in (values | options).items() if value is not None}


def _story(paragraphs: Sequence[str]) -> tuple[str, str]:
    """Return the text and the title of a story; a short first line that ends no sentence is the title."""
    first, *others = paragraphs
    if others and len(first) <= _LONGEST_TITLE and first[-1] not in '.。!！?？”"':
        return "\n".join(others), first
    return "\n".join(paragraphs), ""


def _options(line: Line, first: str) -> list[tuple[str, str, frozenset[str]]]:
    """Return the options in a line, each as letter, text and formatting; [] if the first is not `first`."""
    text = line.text
    if line.label and line.label in LETTERS:
        return [(line.label, text.strip(), _common(line, 0, len(text)))] if line.label == first else []
    start = len(text) - len(text.lstrip())
    found = _OPTION.match(text, start)
    if not found or found[1].translate(_FULL_WIDTH) != first:
        return []
    bounds = [(first, found.end(), found.start())]
    for match in _NEXT.finditer(text, found.end()):
        letter = match[1].translate(_FULL_WIDTH)
        if letter == LETTERS[LETTERS.index(bounds[-1][0]) + 1 : LETTERS.index(bounds[-1][0]) + 2]:
            bounds.append((letter, match.end(), match.start()))
    ends = [begin for _letter, _words, begin in bounds[1:]] + [len(text)]
    return [
        (letter, text[words:end].strip(" \t\u3000;；"), _common(line, words, end))
        for (letter, words, _begin), end in zip(bounds, ends, strict=True)
    ]


def _common(line: Line, start: int, end: int) -> frozenset[str]:
    marks = [line.marks[at] for at in range(start, min(end, len(line.marks))) if not line.text[at].isspace()]
    return frozenset.intersection(*marks) if marks else frozenset()


def _by_marks(item: _Item, row: int, errors: ErrorList) -> str:
    for mark in MARKS:
        places = [place for place, marks in enumerate(item.marked) if mark in marks]
        if len(places) == 1:
            letter = LETTERS[places[0]]
            errors.remark(row, "answer", ErrorCode.KEY_BY_MARK, letter=letter, mark=mark)
            return letter
    return ""


def _letters(text: str) -> set[str]:
    return {letter for letter in text.translate(_FULL_WIDTH).upper() if letter in LETTERS}


def _answers_in(text: str) -> dict[str, str]:
    """Return the answers in a line by question number; {} if the line holds anything else."""
    found: dict[str, str] = {}
    rest = text
    for run in _RUN.finditer(text):
        letters = "".join(run[3].split())
        numbers = range(int(run[1]), int(run[2]) + 1)
        if len(letters) == len(numbers):
            found |= {str(number): letter for number, letter in zip(numbers, letters, strict=True)}
            rest = rest.replace(run[0], "")
    pairs = _PAIR.findall(rest)
    found |= dict(pairs)
    left = re.sub(r"[\s,，;；、.．。]+", "", _PAIR.sub("", rest))
    return found if found and not left else {}
