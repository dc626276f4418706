"""Items to assemble, and items as an earlier release has them, in plain values."""

from __future__ import annotations

from collections.abc import Sequence

from parable.formats.records import ItemRecord
from release.assembly import AssemblyItem, Placed
from release.assembly.records import FrozenItem


def piece(
    handle: int,
    story: str,
    question: str = "",
    *,
    task: str = "moral",
    style: str = "human",
    types: Sequence[str] = (),
    options: Sequence[str] = tuple("abcd"),
    answer: int = 0,
    genre: str = "",
    in_order: tuple[int, ...] = (),
) -> AssemblyItem:
    """An item of a story of this name."""
    record = ItemRecord("", task, story, story, story, question, tuple(options), answer, tuple(types), style)
    places = tuple(range(len(options)))
    return AssemblyItem(handle, record, positions=places, genre=genre, in_order=in_order)


def released(placed: Placed) -> FrozenItem:
    """The item as a release that is extended has it."""
    choices = [placed.item.record.choices[at] for at in placed.order]
    record = {"choices": choices, "answer": placed.answer}
    return FrozenItem(placed.number, f"x-{placed.number}", placed.split, record)
