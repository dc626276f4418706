"""Audits of files in slices: each makes a state in a process of its own, and the states are merged."""

import argparse
import gc
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from parable.commands.item_files import own_stories, shown
from parable.commands.wording import sentence
from parable.formats.errors import FILE, ErrorCode, ErrorList, RowError
from parable.formats.file_ranges import FileRange, identity_of, lines_before, parts_of, ranges_of
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS
from parable.formats.parable_jsonl import read_between
from parable.formats.records import ItemRecord, Row
from parable.formats.release_folder import read_decided_stories
from parable.quality.slices.build import SliceBuilder, Source
from parable.quality.slices.state import SUFFIX, State, StateError
from parable.quality.slices.whole import SlicesError, Whole, equal_groups
from parable.splits import split_named
from parable.system import processors

AT_ONCE: Final = 4_000
"""The number of items of a file read whole that are added to a state together."""


class UnreadableError(Exception):
    """Raised if a slice of the files cannot be used."""

    def __init__(self, errors: Sequence[RowError]) -> None:
        super().__init__(errors)
        self.errors = errors


def state_path(folder: Path, number: int, of: int) -> Path:
    """Return where the state of a slice is; `number` counts from 0."""
    return folder / f"{number + 1}-of-{of}{SUFFIX}"


def about(options: argparse.Namespace) -> list[object]:
    """Return what identifies the set and how it is read; states of other sets cannot be merged with it."""
    read = [options.format, options.numbers, options.sheet, options.mapping]
    return [identity_of(sorted(options.paths)), read]


def build(options: argparse.Namespace, number: int, folder: Path) -> int:
    """Write the state of a slice, unless it is there; return its number of items.

    Raises UnreadableError for files that cannot be used.
    """
    path, said = state_path(folder, number, options.slices), about(options)
    if (known := _finished(path, said)) is not None:
        return known
    gc.disable()  # items have no reference cycles
    paths = sorted(options.paths)
    remarks: list[RowError] = []
    with SliceBuilder(path, number, options.slices, said) as builder:
        for one in ranges_of(paths, number, options.slices, options.format):
            _add(builder, one, options, remarks)
        builder.finish([_as_list(one) for one in remarks])
        return builder.items


def _finished(path: Path, said: Sequence[object]) -> int | None:
    try:
        state = State(path)
    except StateError:
        return None
    return int(state.facts["items"]) if state.facts["about"] == said else None


def _add(builder: SliceBuilder, one: FileRange, options: argparse.Namespace, remarks: list[RowError]) -> None:
    folder = one.path.parent.parent
    known = read_decided_stories(folder)
    split = split_named(one.path.name) or split_named(one.path.parent.name)
    builder.open_source(Source(shown(one.path), split=split, is_decided=known is not None), known or {})
    if one.is_whole:
        reading = read_items(
            one.path,
            name=shown(one.path),
            format=options.format,
            rules=ANYBODYS,
            numbers=options.numbers,
            sheet=options.sheet,
            mapping=options.mapping,
        )
        if reading.errors:
            raise UnreadableError(reading.errors)
        remarks += reading.remarks
        rows = reading.rows if known is None else _with_stories(reading.rows, folder)
        for first in range(0, len(rows), AT_ONCE):
            builder.add(rows[first : first + AT_ONCE])
        return
    errors = ErrorList(shown(one.path))
    before = lines_before(one.path, one.start)
    for start, end in parts_of(one):
        lines, rows = read_between(one.path, start, end, before, errors)
        if errors.in_order():
            raise UnreadableError(errors.in_order())
        builder.add(rows if known is None else _with_stories(rows, folder))
        before += lines
    remarks += errors.remarks


def _with_stories(rows: Sequence[Row[ItemRecord]], folder: Path) -> list[Row[ItemRecord]]:
    named = own_stories([row.record for row in rows], folder)
    return [Row(row.row, record, row.typed) for row, record in zip(rows, named, strict=True)]


def _as_list(one: RowError) -> list[object]:
    return [one.file, one.row, one.field, one.code.value, one.params, one.rows, one.count, one.items]


def _remark(said: Sequence[Any]) -> RowError:
    file, row, field, code, params, rows, count, items = said
    return RowError(file, row, field, ErrorCode(code), params, tuple(rows), count, tuple(items))


@contextmanager
def states_folder(options: argparse.Namespace) -> Iterator[Path]:
    """Yield the folder of the states: the given one, or a temporary one."""
    if options.states is not None:
        options.states.mkdir(parents=True, exist_ok=True)
        yield options.states
        return
    with TemporaryDirectory(prefix="parable-slices-") as folder:
        yield Path(folder)


def build_all(options: argparse.Namespace, folder: Path) -> None:
    """Build the states that are missing, as many at once as there are processors."""
    with ProcessPoolExecutor(
        min(processors(), options.slices), get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        begun = [pool.submit(build, options, number, folder) for number in range(options.slices)]
        for number, one in enumerate(begun, start=1):
            details = {"slice": number, "of": options.slices, "items": one.result()}
            print(sentence("slice_done", options.language) % details, file=sys.stderr)


def load(options: argparse.Namespace, folder: Path) -> Whole:
    """Return the set that the states of all slices make up.

    Raises SlicesError if they do not, and UnreadableError if files have different items of one id.
    """
    said = about(options)
    states = [State(state_path(folder, number, options.slices)) for number in range(options.slices)]
    if any(state.facts["about"] != said for state in states):
        raise SlicesError("slices_of_others")
    whole = Whole(states)
    _refuse_repeated_ids(whole)
    return whole


def remarks_of(whole: Whole) -> list[RowError]:
    """Return how the files were read, file by file within each slice."""
    found = [_remark(said) for state in whole.states for said in state.facts["remarks"]]
    named = {whole.sources[number][at].name: split for (number, at), split in whole.splits_by_name.items()}
    return [
        *found,
        *(
            RowError(name, 1, FILE, ErrorCode.SPLIT_BY_NAME, {"split": split})
            for name, split in named.items()
        ),
    ]


def _refuse_repeated_ids(whole: Whole) -> None:
    """Refuse ids that several files share, and different items of a file with one id."""
    errors: list[RowError] = []
    for group in equal_groups(whole.column("name"), np.arange(len(whole))):
        files = [whole.file_of(place) for place in group.tolist()]
        if len(set(files)) > 1:
            raise SlicesError("slices_share_ids", whole.ids(group[:1])[0])
        first, *others = whole.rows(group)
        errors += [
            RowError(files[0], row.row, "id", ErrorCode.DUPLICATE_ID, {"first_row": first.row})
            for row in others
            if row.record != first.record
        ]
    if errors:
        raise UnreadableError(errors)
