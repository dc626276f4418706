"""UIMA CAS as XMI or JSON, as dkpro-cassis and INCEpTION write it: a text, or one per view, and annotations.

An annotation is a span if it begins and ends in a text. Its label is the feature whose value is a role of a
kind of items with marks (docs/kinds.md), or else the name of its type. If labels are roles, the text is an
item of that kind; otherwise it is a story. Annotations with `Governor` and `Dependent`, such as relations,
join the spans that belong together. Positions in the files count UTF-16 units, and are converted to code
points. The number of the view is the id; metadata of documents and type systems are not read. Nothing has to
be installed.

Made by `cas.to_xmi(PATH)` or `cas.to_json(PATH)` of dkpro-cassis, or *Export* of a document in INCEpTION,
which its project must allow. Tried with dkpro-cassis 0.12.0, and no INCEpTION.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import Content, Format, Rows
from parable.formats.json_reader import read_json_values
from parable.formats.marked_texts import MarkedText, TextSpan, is_role, marked_rows
from parable.formats.markup import parse_xml, remark_missing, root_name
from parable.formats.source_file import SourceFile

_STRUCTURES: Final = "%FEATURE_STRUCTURES"
_NO_LABELS: Final = frozenset({"DocumentAnnotation", "DocumentMetaData"})
_ENDS: Final = ("Governor", "Dependent")
_Structure = Mapping[str, Any]
"""The features of a CAS structure by name; `type`, `id` and `sofa` are always named so."""


def _detect(file: SourceFile) -> bool:
    if file.content is Content.MARKUP:
        return root_name(file.plain) == "XMI" and "sofaString" in file.plain
    return f'"{_STRUCTURES}"' in file.plain


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    found = (
        [{**element.attrib, "type": element.tag} for element in parse_xml(file.text)]
        if file.content is Content.MARKUP
        else [*_of_json(file, errors)]
    )
    sofas = [one for one in found if one["type"] == "Sofa" and isinstance(one.get("sofaString"), str)]
    if not sofas and not len(errors):
        raise InputError(ErrorCode.NO_ROWS, field=FILE)
    own: defaultdict[str, list[_Structure]] = defaultdict(list)
    for one in found:
        own[str(one.get("sofa"))].append(one)
    texts = []
    for name in sorted({*own} - {str(sofa.get("id")) for sofa in sofas}):
        for one in own[name]:
            if "begin" in one and one["type"] not in _NO_LABELS:
                remark_missing(errors, 1, name, str(one.get("id")))
    for row, sofa in enumerate(sofas, start=1):
        spans, links = _marks(own[str(sofa.get("id"))], sofa["sofaString"])
        texts.append(MarkedText(row, sofa["sofaString"], {"id": str(row)}, spans, links))
    return marked_rows(texts, errors)


def _of_json(file: SourceFile, errors: ErrorList) -> Iterator[_Structure]:
    """Yield the structures of a JSON CAS; the `@` before the names of references is removed."""
    for row, value in read_json_values(file.text, errors):
        held = value.get(_STRUCTURES) if isinstance(value, dict) else None
        if not isinstance(held, list):
            errors.add(row, _STRUCTURES, ErrorCode.MISSING)
            continue
        for one in held:
            if isinstance(one, dict):
                features = {name.removeprefix("@"): feature for name, feature in one.items()}
                kind = str(one.get("%TYPE", "")).rpartition(".")[2]
                yield features | {"type": kind, "id": one.get("%ID")}


def _marks(structures: Sequence[_Structure], text: str) -> tuple[list[TextSpan], list[Sequence[str]]]:
    """Return the spans of a text, and the pairs of span ids that relations join."""
    # The start of each code point in UTF-16 units, and the end; None if both counts are the same.
    points = None
    if not text.isascii() and max(text) > "\uffff":
        points = [0, *accumulate(1 + (char > "\uffff") for char in text)]
    spans: list[TextSpan] = []
    links: list[Sequence[str]] = []
    for one in structures:
        if all(name in one for name in _ENDS):
            links.append([str(one[name]) for name in _ENDS])
        elif "begin" in one and one["type"] not in _NO_LABELS:
            start, end = (_point(one.get(name), points) for name in ("begin", "end"))
            positions = range(start, end) if start >= 0 else ()
            texts = (value for value in one.values() if isinstance(value, str))
            label = next(filter(is_role, texts), one["type"])
            spans.append(TextSpan(label, positions, str(one.get("id"))))
    return spans, links


def _point(unit: object, points: Sequence[int] | None) -> int:
    """Return the position in code points of a position in UTF-16 units; -1 if it is not a number."""
    text = str(unit)
    if isinstance(unit, bool) or not text.isascii() or not text.isdecimal() or len(text) > 9:
        return -1
    if points is None or int(text) > points[-1]:
        return int(text)
    return bisect_left(points, int(text))


FORMAT: Final = Format(
    code="uima",
    label="UIMA CAS",
    label_zh="UIMA CAS",
    contents=frozenset({Content.MARKUP, Content.JSON}),
    detect=_detect,
    rows=_rows,
)
