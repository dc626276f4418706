"""Aiken, a text format of Moodle: a stem of one line, options behind `A.` or `A)`, and `ANSWER: B`.

Parable reads more than Moodle does. All lines before the first option are the stem, of which Moodle keeps
only the last. An option begins with the next letter and a mark, which may also be Chinese (`A、`). A question
without `ANSWER` is read without a key.

Aiken has no ids, stories, explanations or types: they are not written, a stem of several lines becomes one
line, and `--map story:WORDS` gives a story when items are imported.

Made by *Question bank*, *Export*, *Aiken format* in Moodle, or typed. Tried with files of our own; Moodle's
reader was read, and not run.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from parable.formats.errors import ErrorList
from parable.formats.format import Content, Format, Rows, Writer
from parable.formats.keys import Key
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord, key_within
from parable.formats.source_file import SourceFile

_OPTION: Final = re.compile(r"([A-Z])\s*[).．、][ \t\u3000]*(?=\S)")
_STRICT_OPTION: Final = re.compile(r"[A-Z][).][ \t]")
_ANSWER: Final = re.compile(r"ANSWER:\s*([A-Z])\b.*")


def _detect(file: SourceFile) -> bool:
    """Return whether the first question is valid in Moodle, and its answer is one of its options."""
    lines = [line.strip() for line in file.plain[:20_000].splitlines() if line.strip()]
    if len(lines) < 4 or _STRICT_OPTION.match(lines[0]):
        return False
    options = 1
    while options < len(lines) and _STRICT_OPTION.match(lines[options]):
        options += 1
    answer = _ANSWER.fullmatch(lines[options]) if options < len(lines) else None
    letters = [line[0] for line in lines[1:options]]
    return answer is not None and letters == [*LETTERS[: len(letters)]] and answer[1] in letters


def _rows(file: SourceFile, _errors: ErrorList) -> Rows:
    stem: list[str] = []
    options: dict[str, object] = {}
    start = 0

    def row() -> dict[str, object]:
        return {"question": "\n".join(stem), **options}

    for number, line in enumerate(map(str.strip, file.text.splitlines()), start=1):
        option = _OPTION.match(line) if stem and len(options) < len(LETTERS) else None
        if (answer := _ANSWER.fullmatch(line)) and stem:
            key = Key(LETTERS.index(answer[1])) if answer[1] in options else answer[1]
            yield start, {**row(), "answer": key}
            stem, options = [], {}
        elif option is not None and option[1] == LETTERS[len(options)]:
            options[option[1]] = line[option.end() :]
        elif line and options:  # the next question begins, and this one has no answer
            yield start, row()
            stem, options, start = [line], {}, number
        elif line:
            start = start if stem else number
            stem.append(line)
    if options:
        yield start, row()


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    for number, item in enumerate(items):
        lines = [" ".join(item.question.split())]
        for letter, option in zip(LETTERS, item.choices, strict=False):
            lines.append(f"{letter}. {' '.join(option.split())}")
        lines.append(f"ANSWER: {LETTERS[key_within(item)]}")
        yield ("\n" * bool(number) + "".join(f"{line}\n" for line in lines)).encode()


FORMAT: Final = Format(
    code="aiken",
    label="Aiken (Moodle)",
    label_zh="Aiken（Moodle）",
    contents=frozenset({Content.TEXT}),
    detect=_detect,
    rows=_rows,
    writer=Writer(suffix=".aiken.txt", parts=_parts, kinds=lambda kind: kind.has_one_key),
)
