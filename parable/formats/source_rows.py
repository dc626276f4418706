"""The rows of a file of others by the names of its columns: JSON of any shape, tables, text in known blocks.

A layout that is neither is one entry of `LAYOUTS`: a function that returns its rows from the text, or None
where the text is not of it.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from parable.formats import limits
from parable.formats.csv_reader import SEPARATORS
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, listed
from parable.formats.fields import RowFields
from parable.formats.json_reader import is_json
from parable.formats.nested_rows import read_nested_rows
from parable.formats.option_marks import LETTERS
from parable.formats.source_file import SourceFile
from parable.formats.sources import refuse_stray
from parable.formats.tables import Aliases, Table, header_names

Rows = list[dict[str, object]]

_LETTER: Final = re.compile(r"[A-Za-z]")
_QUESTION: Final = re.compile(r"(?:one|multiple): ")
_LEAST_NAMELESS: Final = 4
"""Columns of a table without names: a stem, two options, a key."""


@dataclass(frozen=True, slots=True)
class Source:
    """Rows with their places and values by column, and all columns in their order.

    Of a table a row may be half finished.
    """

    rows: tuple[RowFields, ...]
    names: tuple[str, ...]
    is_table: bool = False


def read_source(
    file: SourceFile, errors: ErrorList, aliases: Aliases, rules: limits.ItemRules, sheet: str = ""
) -> Source:
    """Read all rows of a file; raises InputError where it cannot be read."""
    if not file.is_spreadsheet:
        text = file.text
        refuse_stray(text)
        for read in LAYOUTS:
            if rows := read(text):
                if read is nameless_rows:
                    errors.remark(1, FILE, ErrorCode.NO_HEADER, found=listed(rows[0]))
                return _source(enumerate(rows, start=1), errors, rules)
        if is_json(text):
            return _source(read_nested_rows(text, errors), errors, rules)
    names = list(dict.fromkeys(filter(None, header_names(file, aliases, sheet))))
    if not names:
        raise InputError(ErrorCode.NO_ROWS, field=FILE)
    own = {name: name for name in names}
    table = Table(file, errors, aliases, required=names, columns=own, rules=rules, sheet=sheet)
    return Source(tuple(table), tuple(names), is_table=True)


def _source(
    numbered: Iterable[tuple[int, Mapping[str, object]]],
    errors: ErrorList,
    rules: limits.ItemRules,
) -> Source:
    rows = tuple(RowFields(row, values, errors, None, rules) for row, values in numbered)
    names: dict[str, None] = {}
    for one in rows:
        if len(names) < limits.MAX_COLUMNS:
            names |= dict.fromkeys(one.values)
    return Source(rows, tuple(names))


def lettered_blocks(text: str) -> Rows | None:
    """Rows of LogiQA: blocks of seven lines with a letter, a context, a stem and options behind A to D."""
    if not _LETTER.fullmatch(text.lstrip()[:2].strip()):
        return None
    blocks = [
        block.strip().split("\n")
        for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n"))
        if block.strip()
    ]
    names = ("answer", "context", "question", "A", "B", "C", "D")
    if not all(len(block) == len(names) and _LETTER.fullmatch(block[0].strip()) for block in blocks):
        return None
    return [dict(zip(names, block, strict=True)) for block in blocks]


def story_lines(text: str) -> Rows | None:
    """Rows of MCTest: a line has an id, a note, a story and then a stem and four options several times."""
    if not _is_story_line(text.partition("\n")[0]):
        return None
    found = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
    if not all(map(_is_story_line, found)):
        return None
    return [
        {
            "story_id": cells[0],
            "story": cells[2].replace("\\newline", "\n").replace("\\tab", "\t"),
            "question": _QUESTION.sub("", cells[place], count=1),
            **dict(zip(LETTERS[:4], cells[place + 1 : place + 5], strict=True)),
        }
        for cells in (line.split("\t") for line in found)
        for place in range(3, len(cells), 5)
    ]


def _is_story_line(line: str) -> bool:
    cells = line.split("\t")
    return len(cells) > 7 and len(cells) % 5 == 3 and _QUESTION.match(cells[3]) is not None


def nameless_rows(text: str) -> Rows | None:
    """Rows of a table without a header, as MMLU has: a stem, options, and their letter in the last column."""
    if is_json(text):
        return None
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        try:
            first = next((row for row in reader if any(row)), [])
            width = len(first)
            if not _LEAST_NAMELESS <= width <= limits.MAX_OPTIONS + 2 or not _ends_in_letter(first, width):
                continue
            rows = [first, *(row for row in reader if any(row))]
        except csv.Error:
            continue
        if all(_ends_in_letter(row, width) for row in rows):
            names = ["question", *LETTERS[: width - 2], "answer"]
            return [dict(zip(names, row, strict=True)) for row in rows]
    return None


def _ends_in_letter(row: Sequence[str], width: int) -> bool:
    """Whether a row has so many cells, the last of them the letter of one of those between."""
    said = row[-1].strip().upper() if len(row) == width else ""
    return bool(said) and said in [*LETTERS[: width - 2]]


LAYOUTS: Final[Sequence[Callable[[str], Rows | None]]] = (lettered_blocks, story_lines, nameless_rows)
