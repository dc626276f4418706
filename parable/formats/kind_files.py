"""Reads files of tasks without choices: detects the layout of a file, and reads answers to be scored."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Generic

from parable.formats.epic import NARRATIVES, PROVERBS
from parable.formats.errors import ErrorCode, ErrorList, InputError, RowError
from parable.formats.fields import RowFields
from parable.formats.json_reader import read_json_rows
from parable.formats.layouts import Layout, Record, compare
from parable.formats.nodes import Node
from parable.formats.source_file import Readable, source_file
from parable.formats.sources import decode, load
from parable.formats.space import (
    ANOMALY,
    JUDGED_2021,
    JUDGED_2022,
    QUESTION_2024,
    REASON_2021,
    REASONS_2022,
    SCENE,
    SLOTS_2022,
    STEP,
)

LAYOUTS: Final[Mapping[str, Layout[Any]]] = MappingProxyType(
    {
        layout.code: layout
        for layout in (
            JUDGED_2021, REASON_2021, JUDGED_2022, REASONS_2022, SLOTS_2022, ANOMALY, STEP, SCENE,
            QUESTION_2024, PROVERBS, NARRATIVES,
        )
    }
)  # fmt: skip
"""Every published layout, by its code."""
_LOOKED_AT: Final = 100
"""Number of rows that are read to detect a layout; some layouts differ only in rows with an answer."""


def layout_of(source: Readable) -> Layout[Any] | None:
    """Return the layout that fits the fields of a file's rows.

    If several fit, return the first that reads most rows. Return None if no layout fits or the file cannot be
    read at all.
    """
    return next(iter(layouts_of(source)), None)


def layouts_of(source: Readable) -> tuple[Layout[Any], ...]:
    """Return the layouts that fit the fields of a file's rows and read most rows; usually there is one.

    Files without answers may fit several.
    """
    rows = _first_rows(source)
    shapes = {frozenset(row) for row in rows}
    fitting = [layout for layout in LAYOUTS.values() if any(map(layout.fits, shapes))]
    read = {layout.code: sum(_is_read(layout, row) for row in rows) for layout in fitting}
    return tuple(layout for layout in fitting if read[layout.code] == max(read.values()))


def _first_rows(source: Readable) -> list[Mapping[str, object]]:
    try:
        file = source_file(source)
        if not file.is_json:
            return []
    except InputError:
        return []
    return [row for _number, row in islice(read_json_rows(file.text, ErrorList("")), _LOOKED_AT)]


def _is_read(layout: Layout[Any], row: Mapping[str, object]) -> bool:
    try:
        return compare(row, layout.write(layout.read(Node(row)))) == ([], [])
    except InputError:
        return False


@dataclass(frozen=True, slots=True)
class Answers(Generic[Record]):
    """Answers by id, and the errors of the file; if there are errors, the answers must not be used."""

    records: Mapping[str, Record]
    errors: tuple[RowError, ...]


def read_answers(source: Path | bytes, *, name: str, layout: Layout[Record]) -> Answers[Record]:
    """Read answers as the published scorers do: if several lines have the same id, the last one counts.

    Lines without an id are skipped. A line without an answer, or with an answer of another form, is an error.
    """
    errors = ErrorList(name)
    found: dict[str, Record] = {}
    try:
        for row, values in read_json_rows(decode(load(source)), errors):
            if values.get(layout.id_field) is None:
                continue
            fields = RowFields(row, values, errors)
            try:
                node = Node(values)
                node.member(layout.fields[-1])
                found[node.member(layout.id_field).line()] = layout.read(node)
            except InputError as refused:
                fields.error(refused.field, refused.code, **refused.params)
    except InputError as refused:
        if refused.code != ErrorCode.EMPTY_FILE:
            errors.refuse(refused)
    return Answers(found, errors.in_order())
