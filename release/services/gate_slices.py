"""The check of many unreleased items by the gates, in slices that any worker may read.

A slice leaves the states of its items in the storage. The check then merges the states of all slices, so that
it needs the memory of a few columns of numbers in place of that of all items.
"""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from accounts.services import system_account
from annotation.models import Style
from jobs.job_types import Report, quiet
from jobs.services import order_job
from parable.formats.records import ItemRecord, Row
from parable.quality.gates import GATES, Gate, GateResult, ask
from parable.quality.gates.base import ALL, STYLE, WRITER
from parable.quality.gates.decision_rule import Measured, count_tests, decide
from parable.quality.slices.build import SliceBuilder, Source
from parable.quality.slices.merge import decide_whole, measure
from parable.quality.slices.state import State
from parable.quality.slices.whole import Known, Whole
from projects.models import Project
from release.models import GateCheck, GateSlice
from release.queries.gate import (
    GATE_CHECK,
    GATE_SLICE,
    bounds,
    count_unreleased,
    gate_slices,
    known_of,
    part_of,
    records_between,
    what_stands,
    writers_of,
)
from release.services.gate_findings import found_in

ROOT: Final = "gate_slices"
_COPIED: Final = 1 << 20


def is_checked_in_slices(project: Project) -> bool:
    """Return whether a project has so many unreleased items, or slices of them, that no process reads all."""
    return gate_slices(project).exists() or count_unreleased(project) > settings.GATE_SLICE_ITEMS


def check_in_slices(*, project: Project, report: Report = quiet) -> list[int]:
    """Order the slices that are not read yet, and return them; if all are read, merge them and return none.

    Safe to call at any time: what is read is not read again.
    """
    slices = list(gate_slices(project)) or _create_slices(project)
    unread = [one.pk for one in slices if not one.states]
    report(0, len(slices) - len(unread), len(slices))
    if not unread:
        _merge(project, slices)
    for pk in unread:
        about = {"number": next(one.number + 1 for one in slices if one.pk == pk), "of": len(slices)}
        order_job(
            actor=system_account(), project=project, kind=GATE_SLICE, subject=pk, about=about, is_capped=False
        )
    return unread


@transaction.atomic
def _create_slices(project: Project) -> list[GateSlice]:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if known := list(gate_slices(project)):  # another check was faster
        return known
    seen, folder = what_stands(project), f"{ROOT}/{secrets.token_hex(16)}"
    ends = bounds(project, settings.GATE_SLICE_ITEMS)
    return GateSlice.objects.bulk_create(
        GateSlice(
            project=project, folder=folder, number=number, of=len(ends), first=first, last=last, seen=seen
        )
        for number, (first, last) in enumerate(ends)
    )


def check_gate_slice(*, slice_id: int, report: Report = quiet) -> int | None:
    """Read the items of a slice and store their states; return the project if it was the last slice.

    Safe to call twice: a slice that is read, or whose check is over, is left alone.
    """
    one = GateSlice.objects.select_related("project").filter(pk=slice_id).first()
    if one is None:
        return None
    if not one.states:
        _store(one, _read(one, report))
    is_last = not gate_slices(one.project).filter(states={}).exists()
    if is_last:
        order_job(
            actor=system_account(), project=one.project, kind=GATE_CHECK, subject=one.project_id, again=True,
            is_capped=False,
        )  # fmt: skip
    return one.project_id if is_last else None


def _read(one: GateSlice, report: Report) -> dict[str, str]:
    """Return the names of the stored states of a slice: of all items, and of those of each style."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        names = (ALL, *Style.values)
        stem = one.project.moral_stem
        builders = {
            name: stack.enter_context(
                SliceBuilder(Path(folder, name), one.number, one.of, one.folder, standard_stem=stem)
            )
            for name in names
        }
        for builder in builders.values():
            builder.open_source(Source(""), {})
        read = 0
        for records in records_between(one.project, one.first, one.last):
            builders[ALL].add(_rows(records))
            for style in Style.values:
                builders[style].add(_rows([item for item in records if item.style == style]))
            read += len(records)
            report(0, read)
        for builder in builders.values():
            builder.finish()
        return {name: _put(Path(folder, name), f"{one.folder}/{one.number}-{name}") for name in names}


def _rows(records: list[ItemRecord]) -> list[Row[ItemRecord]]:
    return [Row(number, item) for number, item in enumerate(records, start=1)]


def _put(path: Path, name: str) -> str:
    with path.open("rb") as file:
        return default_storage.save(name, File(file))


@transaction.atomic
def _store(one: GateSlice, states: dict[str, str]) -> None:
    """Save the names of the states, unless another worker did or the check is over."""
    if not GateSlice.objects.filter(pk=one.pk, states={}).update(states=states):
        for name in states.values():
            transaction.on_commit(partial(default_storage.delete, name), robust=True)


def _merge(project: Project, slices: list[GateSlice]) -> None:
    """Run the gates on the merged slices, save what they find, and delete the slices."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Whole(_states(slices, ALL, Path(folder)), known_of(project))
        gates = _gates(ALL)
        found: list[dict[str, object]] = []
        if len(whole):
            found.append(found_in(ALL, len(whole), decide_whole(whole, measure(whole, gates))))
            found += _parts(project, slices, len(whole), Path(folder))
        _save(project, slices, {"items": len(whole), "parts": found})


def _parts(project: Project, slices: list[GateSlice], items: int, folder: Path) -> list[dict[str, object]]:
    """Return what is found in the parts of each style and writer, decided by the tests of all parts."""
    measured: list[tuple[str, str, int | None, int, list[Measured | GateResult]]] = []
    for style in Style.values:
        whole = Whole(_states(slices, style, folder), Known(suspected={}))
        if 0 < len(whole) < items:
            measured.append((STYLE, style, None, len(whole), measure(whole, _gates(STYLE))))
    for writer in writers_of(project):
        part = part_of(project, writer)
        answers = [answer for gate in _gates(WRITER) for answer in ask(gate, part.items)]
        measured.append((WRITER, "", writer, len(part.items.items), answers))
    tests = count_tests(one for *_part, answers in measured for one in answers if isinstance(one, Measured))
    return [
        found_in(
            kind,
            many,
            [decide(one, tests) if isinstance(one, Measured) else one for one in answers],
            style,
            user,
        )
        for kind, style, user, many, answers in measured
    ]


def _gates(kind: str) -> list[Gate]:
    return [gate for gate in GATES.values() if kind in gate.parts]


def _states(slices: list[GateSlice], part: str, folder: Path) -> Iterator[State]:
    """Yield the states of a part, copied from the storage to a folder."""
    for one in slices:
        path = folder / f"{one.number}-{part}"
        with default_storage.open(one.states[part], "rb") as stored, path.open("wb") as file:
            while read := stored.read(_COPIED):
                file.write(read)
        yield State(path)


@transaction.atomic
def _save(project: Project, slices: list[GateSlice], findings: dict[str, object]) -> None:
    GateCheck.objects.update_or_create(
        project=project,
        defaults={"checked_at": timezone.now(), "seen": slices[0].seen, "findings": findings},
    )
    # what they held is merged, and is in the findings
    GateSlice.objects.filter(pk__in=[one.pk for one in slices]).delete()
    for name in (name for one in slices for name in one.states.values()):
        transaction.on_commit(partial(default_storage.delete, name), robust=True)
