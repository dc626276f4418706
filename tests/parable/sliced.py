"""Sets judged whole and in slices, for tests that compare both."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from parable.commands.audit import judged, judged_slices
from parable.commands.item_files import set_of
from parable.commands.second_process import this_process
from parable.formats.records import Row
from parable.quality.slices.build import SliceBuilder, Source
from parable.quality.slices.state import State
from parable.quality.slices.whole import Whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from parable.formats.records import ItemRecord
    from parable.quality.gates import GateResult
    from parable.quality.item.sets import SetFindings

Judged = tuple["SetFindings", "list[GateResult]"]


def judged_whole(items: Sequence[ItemRecord]) -> Judged:
    """Return what an audit of all items at once finds."""
    return judged(set_of(items), this_process())


def states_of(
    folder: Path, items: Sequence[ItemRecord], cuts: Sequence[int], at_once: int = 97
) -> list[State]:
    """Return the states of the slices that end at these positions."""
    ends = [0, *sorted(cuts), len(items)]
    states: list[State] = []
    for number, (first, last) in enumerate(pairwise(ends)):
        path = folder / f"{number}.slice"
        with SliceBuilder(path, number, len(ends) - 1, "one set") as builder:
            builder.open_source(Source("items.jsonl"), {})
            for start in range(first, last, at_once):
                rows = [Row(at + 1, items[at]) for at in range(start, min(start + at_once, last))]
                builder.add(rows)
            builder.finish()
        states.append(State(path))
    return states


def judged_in_slices(folder: Path, items: Sequence[ItemRecord], cuts: Sequence[int]) -> Judged:
    """Return what the merged states of slices find, given in the opposite order."""
    return judged_slices(Whole(states_of(folder, items, cuts)[::-1]), this_process())
