"""Lines, as MCTest publishes its items: an id, a note, a story, then several times a stem and four options.

Keys are in another file (`.ans`), which is not read: items come without keys.

Made by the authors of MCTest (`.tsv`). Tried with a file of our own in that layout.
"""

import re
from typing import Final

from parable.formats.errors import ErrorList
from parable.formats.format import Content, Format, Rows
from parable.formats.option_marks import LETTERS
from parable.formats.source_file import SourceFile

_QUESTION: Final = re.compile(r"(?:one|multiple): ")


def _detect(file: SourceFile) -> bool:
    text = file.plain
    return _is_line(text.partition("\n")[0]) and all(
        _is_line(line.rstrip("\r")) for line in text.split("\n") if line.strip()
    )


def _is_line(line: str) -> bool:
    cells = line.split("\t")
    return len(cells) > 7 and len(cells) % 5 == 3 and _QUESTION.match(cells[3]) is not None


def _rows(file: SourceFile, _errors: ErrorList) -> Rows:
    lines = (line.rstrip("\r") for line in file.text.split("\n"))
    items = (
        {
            "story_id": cells[0],
            "story": cells[2].replace("\\newline", "\n").replace("\\tab", "\t"),
            "question": _QUESTION.sub("", cells[index], count=1),
            **dict(zip(LETTERS[:4], cells[index + 1 : index + 5], strict=True)),
            "answer": "",
        }
        for cells in (line.split("\t") for line in lines if _is_line(line))
        for index in range(3, len(cells), 5)
    )
    return enumerate(items, start=1)


FORMAT: Final = Format(
    code="mctest",
    label="MCTest lines",
    label_zh="MCTest 文本行",
    contents=frozenset({Content.TEXT}),
    detect=_detect,
    rows=_rows,
)
