"""Layouts of published datasets: records are read, field by field, and written back unchanged."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.fields import RowFields
from parable.formats.json_reader import read_json_rows
from parable.formats.nodes import Node
from parable.formats.records import Collector, Reading
from parable.formats.sources import decode, load

Record = TypeVar("Record")
Written = dict[str, object]

_INDENT: Final = 1


@dataclass(frozen=True, slots=True)
class Layout(Generic[Record]):
    """A published layout: its fields in order, and functions that read and write a record.

    `optional` are fields that a file may lack, such as the answers of a test file. With `is_list`, the file
    is one JSON list, indented by one space; otherwise it has one object per line.
    """

    code: str
    fields: tuple[str, ...]
    read: Callable[[Node], Record]
    write: Callable[[Record], Written]
    optional: frozenset[str] = frozenset()
    is_list: bool = False

    @property
    def id_field(self) -> str:
        """The name of the field that holds the id of a record."""
        return self.fields[0]

    def fits(self, names: frozenset[str]) -> bool:
        """Return whether an object with these field names may have this layout."""
        return frozenset(self.fields) - self.optional <= names <= frozenset(self.fields)


def read_layout(source: Path | bytes, *, name: str, layout: Layout[Record]) -> Reading[Record]:
    """Read a file of a layout; bad input gives errors in the reading, never an exception.

    A row that would be written back differently is an error, too. Fields that the layout does not have are
    listed in `ignored`.
    """
    errors = ErrorList(name)
    found = Collector[Record](errors, key=lambda record: str(layout.write(record)[layout.id_field]))
    try:
        for row, values in read_json_rows(decode(load(source, otherwise=ErrorCode.OTHER_THAN_LINES)), errors):
            fields = RowFields(row, values, errors)
            record = read_row(fields, layout, found)
            if record is not None:
                found.add(fields, record)
    except InputError as refused:
        errors.refuse(refused)
    return found.reading(layout.code)


def read_row(fields: RowFields, layout: Layout[Record], found: Collector[Any]) -> Record | None:
    """Return the record of one row; add an error and return None if a value is invalid.

    Also add an error, at the first difference, if the record would be written back differently.
    """
    try:
        record = layout.read(Node(fields.values))
    except InputError as refused:
        fields.error(refused.field, refused.code, **refused.params)
        return None
    changed, ignored = compare(fields.values, layout.write(record))
    found.ignore(ignored)
    for place in changed[:1]:
        fields.error(place, ErrorCode.OUTSIDE_LAYOUT)
    return record


def compare(values: object, written: object, place: str = "") -> tuple[list[str], list[str]]:
    """Return the paths at which `written` differs from `values`, and the paths of members that it lacks."""
    if isinstance(values, Mapping) and isinstance(written, Mapping):
        shared = {name: f"{place}.{name}" if place else name for name in values if name in written}
        left_out = [f"{place}.{name}" if place else name for name in values if name not in written]
        below = [compare(values[name], written[name], inner) for name, inner in shared.items()]
        added = [] if len(shared) == len(written) else [place or FILE]
        return _joined(below, added, left_out)
    if isinstance(values, list) and isinstance(written, list) and len(values) == len(written):
        if values == written and not any(isinstance(one, dict | list) for one in values):
            return [], []
        pairs = enumerate(zip(values, written, strict=True), start=1)
        return _joined([compare(one, other, f"{place}[{n}]") for n, (one, other) in pairs], [], [])
    is_same = type(values) is type(written) and values == written
    return ([] if is_same else [place or FILE]), []


def _joined(
    below: Iterable[tuple[list[str], list[str]]], changed: list[str], ignored: list[str]
) -> tuple[list[str], list[str]]:
    for more_changed, more_ignored in below:
        changed += more_changed
        ignored += more_ignored
    return changed, ignored


def layout_chunks(records: Iterable[Record], layout: Layout[Record]) -> Iterator[bytes]:
    """Yield the file of these records in pieces.

    `records` is consumed only as the file is written.
    """
    objects = map(layout.write, records)
    if not layout.is_list:
        for one in objects:
            yield f"{json.dumps(one, ensure_ascii=False)}\n".encode()
        return
    before, inner = "[", " " * _INDENT
    for one in objects:
        text = json.dumps(one, ensure_ascii=False, indent=_INDENT)
        indented = text.replace("\n", f"\n{inner}")  # no string of JSON holds a line break
        yield f"{before}\n{inner}{indented}".encode()
        before = ","
    yield b"[]\n" if before == "[" else b"\n]\n"
