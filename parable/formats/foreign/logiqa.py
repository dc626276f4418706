"""Blocks of lines, as LogiQA publishes its items: a letter, a context, a stem and options behind A to D.

Empty lines separate the blocks. The context is the story. Nothing is lost.

Made by the authors of LogiQA (`Train.txt`, `Eval.txt`, `Test.txt`). Tried with a file of our own in that
layout.
"""

import re
from collections.abc import Iterator
from typing import Final

from parable.formats.errors import ErrorList
from parable.formats.format import Content, Format, Rows
from parable.formats.source_file import SourceFile

_LETTER: Final = re.compile(r"[A-Za-z]")
_NAMES: Final = ("answer", "context", "question", "A", "B", "C", "D")


def _detect(file: SourceFile) -> bool:
    text = file.plain
    return _LETTER.fullmatch(text[:100].lstrip()[:2].strip()) is not None and all(
        len(block) == len(_NAMES) and _LETTER.fullmatch(block[0].strip()) for block in _blocks(text)
    )


def _blocks(text: str) -> Iterator[list[str]]:
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        if block.strip():
            yield block.strip().split("\n")


def _rows(file: SourceFile, _errors: ErrorList) -> Rows:
    blocks = [block for block in _blocks(file.text) if len(block) == len(_NAMES)]
    return enumerate((dict(zip(_NAMES, block, strict=True)) for block in blocks), start=1)


FORMAT: Final = Format(
    code="logiqa",
    label="LogiQA blocks",
    label_zh="LogiQA 文本块",
    contents=frozenset({Content.TEXT}),
    detect=_detect,
    rows=_rows,
)
